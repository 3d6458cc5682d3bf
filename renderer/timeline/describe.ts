import { counted, ms, percent } from '../../shared/units.ts';
import { PACE } from '../../shared/pace.ts';
import { type Lane, type LaneGroup, tokenText } from '../trace/lane.ts';
import { quotedToken } from '../trace/token-marks.ts';

/** A lane in one sentence, for those who do not see the canvas. */
export function describeLane(group: LaneGroup, lane: Lane): string {
  const name = group.cold ? 'Warm-up' : `${group.name}, sample ${lane.sample + 1}`;
  const wait = lane.at[0];
  if (wait === undefined || lane.count === 0) return `${name}: no token yet.`;
  const pace =
    lane.meanMs === null ? '' : `, then ${counted(lane.count - 1, 'interval')} of ${ms(lane.meanMs)} on average`;
  const stalls = lane.stalls === 0 ? '' : `, ${counted(lane.stalls, 'stall')}`;
  return `${name}: wait ${ms(wait)}${pace}${stalls}.`;
}

export interface TokenFacts {
  readonly title: string;
  readonly lines: readonly (readonly [string, string])[];
  readonly stall: boolean;
}

/** What is known of a token. */
export function tokenFacts(lane: Lane, token: number): TokenFacts {
  const interval = lane.intervals[token] ?? 0;
  const known = lane.texts !== null;
  const share = lane.endMs > 0 ? percent(interval / lane.endMs) : percent(null);
  const lines: [string, string][] = [
    [token === 0 ? 'Wait' : 'Interval', ms(interval)],
    ['Available at', ms(lane.at[token])],
    ['Share of the request', share],
  ];
  if (token > 0 && lane.medianMs !== null) lines.push(['Sample median', ms(lane.medianMs)]);
  if (known && lane.ids[token] !== undefined) lines.push(['Id', String(lane.ids[token])]);
  const text = known ? quotedToken(tokenText(lane, token)) : `id ${lane.ids[token] ?? 'unknown'}`;
  return { title: `Token ${token + 1}: ${text}`, lines, stall: lane.pace[token] === PACE.stall };
}

/** The same in one sentence, to be said when a token is selected. */
export function sayToken(lane: Lane, token: number): string {
  const facts = tokenFacts(lane, token);
  return `${facts.title}, ${facts.stall ? 'stall, ' : ''}${facts.lines.map(([name, value]) => `${name} ${value}`).join(', ')}`;
}
