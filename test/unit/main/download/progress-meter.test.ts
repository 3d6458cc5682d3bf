import { expect, test } from 'vitest';
import { ProgressMeter } from '../../../../main/download/progress-meter.ts';
import type { DownloadProgress } from '../../../../shared/model-download.ts';

function meter() {
  let now = 0;
  const events: DownloadProgress[] = [];
  const meter = new ProgressMeter(
    () => now,
    (event) => events.push(event),
  );
  const pass = (ms: number) => {
    now += ms;
  };
  return { meter, pass, events, last: () => events.at(-1)! };
}

test('a steady rate is told as it is, with the time left', () => {
  const { meter: m, pass, last } = meter();
  m.start(10_000);
  m.downloading('a', 10_000, 0);
  for (let second = 1; second <= 6; second++) {
    pass(1000);
    m.at(second * 1000);
  }
  expect(last()).toMatchObject({ done_bytes: 6000, total_bytes: 10_000, file: { path: 'a', done_bytes: 6000 } });
  expect(last().bytes_per_second).toBeCloseTo(1000);
  expect(last().seconds_left).toBeCloseTo(4);
});

test('a change is followed over some seconds, not at once', () => {
  const { meter: m, pass, last } = meter();
  m.start(1e6);
  m.downloading('a', 1e6, 0);
  pass(1000);
  m.at(1000);
  pass(1000);
  m.at(4000);
  expect(last().bytes_per_second).toBeGreaterThan(1100);
  expect(last().bytes_per_second).toBeLessThan(2000);
  for (let second = 2; second < 30; second++) {
    pass(1000);
    m.at(1000 + second * 3000);
  }
  expect(last().bytes_per_second).toBeCloseTo(3000, -1);
});

test('what was there before is done but was not transferred, and what begins anew is not done', () => {
  const { meter: m, pass, last } = meter();
  m.start(3000);
  m.verifying('a', 2000);
  m.hashed(1500);
  pass(200);
  m.downloading('a', 2000, 1500);
  expect(last()).toMatchObject({ done_bytes: 1500, bytes_per_second: null, seconds_left: null });
  pass(500);
  m.at(2000);
  expect(last().bytes_per_second).toBeCloseTo(1000);
  pass(500);
  m.at(0);
  expect(last().done_bytes).toBe(0);
  m.waiting('cut');
  expect(last().waiting).toBe('cut');
  pass(200);
  m.at(2000);
  m.finished(2000);
  expect(last()).toMatchObject({ done_bytes: 2000, file: null, waiting: null });
});

test('is told at most every tenth of a second, but each file and each end at once', () => {
  const { meter: m, pass, events } = meter();
  m.start(1000);
  m.downloading('a', 1000, 0);
  for (let done = 1; done <= 1000; done++) {
    pass(1);
    m.at(done);
  }
  m.finished(1000);
  expect(events.length).toBe(12);
});
