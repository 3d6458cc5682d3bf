import { useMemo } from 'react';
import { count, counted, ms, msValue, percent, tokensPerSecond } from '../../shared/units.ts';
import { useController, useWindowState } from '../state/context.ts';
import { activeMarks, activeTrace, selectedLane } from '../state/select.ts';
import { tokenFacts } from '../timeline/describe.ts';
import { PACE } from '../../shared/pace.ts';
import { type Lane, type LaneGroup, tokenText, waitOf } from '../trace/lane.ts';
import { quotedToken } from '../trace/token-marks.ts';
import { Definitions } from './Definitions.tsx';
import { RangeFigures } from './RangeFigures.tsx';
import { slowestTokens } from './slowest.ts';
import { TokenStrip } from './TokenStrip.tsx';

/** What is selected, in figures: a range, a sample, and one of its tokens. */
export function Inspector() {
  const trace = useWindowState(activeTrace);
  const marks = useWindowState(activeMarks);
  const lane = useWindowState(selectedLane);
  useWindowState((state) => state.live?.version);
  const group = lane === null ? undefined : trace.groups[lane.group];
  return (
    <aside className="inspector" aria-label="Selection">
      {marks.range !== null && <RangeFigures trace={trace} range={marks.range} />}
      {lane === null || group === undefined ? (
        <p className="hint">Select a sample: click a lane, or press ↓.</p>
      ) : (
        <SampleFigures lane={lane} group={group} token={marks.token} />
      )}
    </aside>
  );
}

const STOPS = { length: 'the cap', eos: 'end of text', cancelled: 'by request', failed: 'failed' };

function SampleFigures({ lane, group, token }: { lane: Lane; group: LaneGroup; token: number | null }) {
  const wait = waitOf(lane);
  const waitName = lane.promptTokens === null ? 'Prefill' : `Prefill, ${counted(lane.promptTokens, 'token')}`;
  return (
    <>
      <section className="panel">
        <h2>
          <bdi>{group.cold ? 'Warm-up' : group.name}</bdi>
          {group.cold ? '' : ` · sample ${lane.sample + 1}`}
        </h2>
        <div className="figures">
          <p>
            <strong className="wait-ink">{msValue(wait)}</strong>
            <span>ms wait</span>
          </p>
          <p>
            <strong className="pace-ink">{msValue(lane.medianMs)}</strong>
            <span>ms median interval</span>
          </p>
        </div>
        <p className="bracket-words">
          <span className="wait-ink">wait {ms(wait)}</span>
          {lane.meanMs !== null && ` | ${counted(lane.count - 1, 'interval')}, ${ms(lane.meanMs)} each`}
        </p>
        <dl className="facts">
          <Fact name="Tokenization" value={ms(lane.tokenizationMs)} />
          {lane.tokenizationMs !== null && (
            <Fact name={waitName} value={ms(wait === null ? null : wait - lane.tokenizationMs)} />
          )}
          {lane.chunks !== null && lane.chunks.length > 1 && (
            <Fact name="Chunks, in the runtime" value={lane.chunks.map((chunk) => msValue(chunk)).join(' + ')} />
          )}
          {wait !== null && lane.count > 1 && (
            <Fact name={`Decode, ${counted(lane.count - 1, 'interval')}`} value={ms(lane.endMs - wait)} />
          )}
          {lane.meanMs !== null && lane.meanMs > 0 && <Fact name="Pace" value={tokensPerSecond(1000 / lane.meanMs)} />}
          {wait !== null && (
            <Fact name={lane.stopReason === undefined ? 'So far' : 'End to end'} value={ms(lane.endMs)} />
          )}
          <Fact name="Stalls" value={lane.stalls === 0 ? 'none' : `▼ ${count(lane.stalls)}`} warn={lane.stalls > 0} />
          {lane.stopReason === undefined ? (
            <Fact name="Stop" value="running" />
          ) : (
            <Fact
              name="Stop"
              value={
                lane.stopReason === null
                  ? 'not recorded'
                  : `${STOPS[lane.stopReason]}${lane.cap !== null && lane.stopReason === 'length' ? `, ${count(lane.cap)}` : ''}`
              }
            />
          )}
          {lane.cacheTokens !== null && <Fact name="Cache before release" value={counted(lane.cacheTokens, 'token')} />}
          {lane.observerMs !== null && (
            <Fact name="Cost of observing" value={`${ms(lane.observerMs)}, ${percent(lane.observerMs / lane.endMs)}`} />
          )}
        </dl>
      </section>
      {token !== null && token < lane.count && <TokenPanel lane={lane} token={token} />}
      <section className="panel strip-panel">
        <h2>Tokens</h2>
        {lane.count === 0 && <p className="hint">None yet.</p>}
        {lane.texts === null && lane.count > 0 && (
          <p className="hint">This record holds no text for each token: ids are shown.</p>
        )}
        <TokenStrip lane={lane} token={token} />
        {lane.texts === null && lane.text !== null && (
          <p className="reply" dir="auto">
            {lane.text.slice(0, 2000)}
          </p>
        )}
      </section>
      <Slowest lane={lane} />
      <Definitions lane={lane} />
    </>
  );
}

function Fact({ name, value, warn = false }: { name: string; value: string; warn?: boolean }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={warn ? 'stall-ink' : undefined}>{value}</dd>
    </div>
  );
}

function TokenPanel({ lane, token }: { lane: Lane; token: number }) {
  const facts = tokenFacts(lane, token);
  return (
    <section className="panel">
      <h2 className="plain" dir="auto">
        {facts.title}
      </h2>
      <dl className="facts">
        {facts.lines.map(([name, value]) => (
          <Fact key={name} name={name} value={value} warn={facts.stall && name === 'Interval'} />
        ))}
      </dl>
    </section>
  );
}

const SHOWN_SLOWEST = 5;

function Slowest({ lane }: { lane: Lane }) {
  const controller = useController();
  const running = lane.stopReason === undefined;
  // While tokens stream in, the list would jump: it is made when the request is over.
  const tokens = useMemo(() => (running ? [] : slowestTokens(lane, SHOWN_SLOWEST)), [lane, running]);
  if (tokens.length === 0) return null;
  return (
    <section className="panel">
      <h2>Slowest intervals</h2>
      <ul className="slowest">
        {tokens.map((token) => (
          <li key={token}>
            <button
              type="button"
              onClick={() => controller.setMarks(() => ({ sample: { group: lane.group, sample: lane.sample }, token }))}
            >
              <span>
                {token + 1} →{' '}
                <bdi>{lane.texts === null ? tokenText(lane, token) : quotedToken(tokenText(lane, token))}</bdi>
              </span>
              <span className={lane.pace[token] === PACE.stall ? 'stall-ink' : undefined}>
                {lane.pace[token] === PACE.stall ? '▼ ' : ''}
                {ms(lane.intervals[token])}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
