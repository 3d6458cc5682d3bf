import type { Comparison } from '../../shared/compare.ts';

const MARKS = {
  comparable: ['✓', 'They may be compared'],
  'another question': ['≠', 'They answer another question'],
  'not comparable': ['✕', 'They may not be compared'],
} as const;

/** Whether a claim may be made at all, and what differs, before any figure. */
export function StandingCard({ comparison }: { comparison: Comparison }) {
  const { standing, question, differences, assumed } = comparison;
  const [sign, words] = MARKS[standing];
  return (
    <section className="card" aria-labelledby="standing">
      <h2>May they be compared?</h2>
      <p id="standing" className={`standing ${standing.replaceAll(' ', '-')}`}>
        <strong>
          <span aria-hidden="true">{sign}</span> {words}.
        </strong>{' '}
        <span dir="auto">{question}</span>
      </p>
      {differences.length === 0 ? (
        <p className="hint">Nothing differs in what the records hold.</p>
      ) : (
        <div className="differences" tabIndex={0} role="group" aria-label="What differs" data-own-arrows>
          <table>
            <thead>
              <tr>
                <th scope="col">What differs</th>
                <th scope="col">A</th>
                <th scope="col">B</th>
                <th scope="col">What that does</th>
              </tr>
            </thead>
            <tbody>
              {differences.map(({ what, a, b, mark, rules_out: rulesOut }) => (
                <tr key={what}>
                  <th scope="row" dir="auto">
                    {what}
                  </th>
                  <td dir="auto">{a}</td>
                  <td dir="auto">{b}</td>
                  <td className={mark === 'harmless' ? 'muted' : rulesOut ? 'stall-ink' : 'pace-ink'}>
                    <span aria-hidden="true">{mark === 'harmless' ? '○' : rulesOut ? '✕' : '◆'}</span> {mark}
                    {rulesOut && ', no claim while it differs'}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {assumed.length > 0 && <p className="hint">Not recorded, taken to be the same: {assumed.join(', ')}.</p>}
    </section>
  );
}
