import { type Lane, firstTokenAt } from '../trace/lane.ts';

/** The token that was awaited at a moment; 0 is the first one's wait. Null after the last. */
export function tokenAt(lane: Lane, time: number): number | null {
  if (time < 0 || lane.count === 0) return null;
  const token = firstTokenAt(lane, time);
  return token < lane.count ? token : null;
}

/** The nearest stall after or before a token, or null. */
export function nextStall(lane: Lane, from: number | null, direction: 1 | -1, stall: number): number | null {
  let token = from === null ? (direction === 1 ? 0 : lane.count) : from;
  for (;;) {
    token += direction;
    if (token < 0 || token >= lane.count) return null;
    if (lane.pace[token] === stall) return token;
  }
}
