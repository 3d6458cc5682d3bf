import type { PrefixReuse } from '../../shared/record.ts';
import { count, ms } from '../../shared/units.ts';

/** What reusing the cache of a known prefix saves, and whether it changes the answer. */
export function PrefixCard({ prefix }: { prefix: PrefixReuse }) {
  const { cold_prefill_ms: cold, suffix_prefill_ms: suffix } = prefix;
  const longest = Math.max(cold, suffix);
  const rows = [
    { name: `Whole prompt, ${count(prefix.total_tokens)} tokens`, time: cold, kind: 'bar wait-bar' },
    {
      name: `Suffix alone, ${count(prefix.total_tokens - prefix.cached_prefix_tokens)} tokens`,
      time: suffix,
      kind: 'bar reuse-bar',
    },
  ];
  return (
    <figure className="chart">
      <figcaption>Prefix reuse, prefill</figcaption>
      <dl className="bars">
        {rows.map(({ name, time, kind }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <span
                className={kind}
                style={{ width: `${longest > 0 ? (time / longest) * 70 : 0}%` }}
                aria-hidden="true"
              />
              <span className="bar-figure">{ms(time)}</span>
            </dd>
          </div>
        ))}
      </dl>
      <p className="chart-note">
        {logitWords(prefix.max_abs_last_logit_diff)}{' '}
        {prefix.same_greedy_next_token ? (
          'The same next token.'
        ) : (
          <strong className="stall-ink">Another next token: do not trust the reuse.</strong>
        )}
      </p>
    </figure>
  );
}

function logitWords(difference: number): string {
  return difference === 0
    ? 'The last logits are equal.'
    : `Last logits differ by at most ${difference.toExponential(1)}.`;
}
