import type { OutputComparison } from '../../shared/compare-output.ts';
import { ms } from '../../shared/units.ts';
import { TokenStrip } from '../inspector/TokenStrip.tsx';
import { useWindowState } from '../state/context.ts';
import { activeMarks } from '../state/select.ts';
import { type Lane, type LaneGroup, tokenText } from '../trace/lane.ts';
import { quotedToken } from '../trace/token-marks.ts';

interface Props {
  output: OutputComparison;
  words: string;
  a: LaneGroup | null;
  b: LaneGroup | null;
}

/** Whether both wrote the same, and the tokens of their first samples with the first difference marked. */
export function OutputCard({ output, words, a, b }: Props) {
  const token = useWindowState((state) => activeMarks(state).token);
  const sign = output.same === null ? '○' : output.same === false ? '≠' : '✓';
  const differs = output.same === false ? output.index : null;
  const lanes = [
    ['A', a?.lanes[0]],
    ['B', b?.lanes[0]],
  ] as const;
  return (
    <section className="card output-card" aria-labelledby="output-words">
      <h2>Did both write the same?</h2>
      <p id="output-words" className={output.same === false ? 'standing not-comparable' : 'standing'} dir="auto">
        <strong>
          <span aria-hidden="true">{sign}</span> {words}
        </strong>
      </p>
      {lanes.map(
        ([letter, lane]) =>
          lane !== undefined && (
            <div key={letter} className={`pair-strip side-${letter.toLowerCase()}`}>
              <span className="side-letter">{letter}</span>
              {lane.count === 0 ? (
                <p className="hint">No token.</p>
              ) : (
                <TokenStrip
                  lane={lane}
                  token={token !== null && token < lane.count ? token : null}
                  prefix={`token-${letter.toLowerCase()}`}
                  whose={`${letter}, sample 1`}
                  differs={differs}
                />
              )}
            </div>
          ),
      )}
      {token !== null && <TokenWords token={token} lanes={lanes} />}
    </section>
  );
}

function TokenWords({ token, lanes }: { token: number; lanes: readonly (readonly ['A' | 'B', Lane | undefined])[] }) {
  return (
    <p className="hint pair-token" dir="auto">
      Token {token + 1}:{' '}
      {lanes
        .map(([letter, lane]) =>
          lane === undefined || token >= lane.count
            ? `${letter} has none`
            : `${letter} ${lane.texts === null ? tokenText(lane, token) : quotedToken(tokenText(lane, token))} after ${ms(lane.intervals[token])}, at ${ms(lane.at[token])}`,
        )
        .join(' · ')}
    </p>
  );
}
