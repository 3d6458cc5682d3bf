import { useEffect, useMemo, useRef } from 'react';
import { frameTask } from '../idle.ts';

/** A task that runs at most once in a frame, always in its newest form. */
export function useFrameTask(task: () => void): { request(): void } {
  const newest = useRef(task);
  newest.current = task;
  const scheduled = useMemo(() => frameTask(() => newest.current()), []);
  useEffect(() => () => scheduled.cancel(), [scheduled]);
  return scheduled;
}
