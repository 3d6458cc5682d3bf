import type { Lane, LaneGroup } from '../../../renderer/trace/lane.ts';
import { laneOfSample } from '../../../renderer/trace/record-trace.ts';
import type { Sample } from '../../../shared/record.ts';

/** A consistent sample of these times. */
export function sampleOf(wait: number, intervals: number[], fields: Partial<Sample> = {}): Sample {
  const end = intervals.reduce((sum, interval) => sum + interval, wait);
  return {
    generated_token_ids: Array.from({ length: intervals.length + 1 }, (_, index) => 100 + index),
    generated_tokens: intervals.length + 1,
    ttft_ms: wait,
    itl_ms: intervals,
    e2e_ms: end,
    ...fields,
  };
}

export function laneOf(wait: number, intervals: number[], fields: Partial<Sample> = {}): Lane {
  return laneOfSample(sampleOf(wait, intervals, fields), 'run:0:0', 0, 0);
}

export function groupOf(name: string, lanes: number, group = 0): LaneGroup {
  return {
    name,
    cold: false,
    lanes: Array.from({ length: lanes }, (_, place) =>
      laneOfSample(sampleOf(40, [20, 20]), `run:${group}:${place}`, group, place),
    ),
    summary: null,
    planned: null,
  };
}
