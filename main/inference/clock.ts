/** Milliseconds from any fixed start, never going back. One clock stamps everything in a record. */
export type Clock = () => number;

/** The clock of this process. */
export const processClock: Clock = () => performance.now();
