import type { RunEvent } from '../../shared/messages.ts';
import type { Sample } from '../../shared/record.ts';
import { type RecordDraft, applyEvent } from '../../shared/record-draft.ts';
import { GrowingLane } from './growing-lane.ts';
import type { Lane, LaneGroup, Trace } from './lane.ts';
import { COLD_NAME, coldGroup, endOf, laneOfSample } from './record-trace.ts';

/** A run in progress: the draft of its record, and its lanes. Both grow by the same events. */
export class LiveTrace implements Trace {
  groups: readonly LaneGroup[] = [];
  endMs = 0;
  /** The request that is running, or the one that ended last. */
  current: Lane | null = null;
  /** Tokens told so far, in all requests. */
  tokens: number;
  private open: GrowingLane | null = null;
  private readonly lanes: Lane[][];
  private cold: Lane | null = null;

  constructor(readonly draft: RecordDraft) {
    this.lanes = draft.samples.map((samples, run) => samples.map((sample, place) => this.keep(sample, run, place)));
    const told = [...draft.samples.flat(), ...(draft.warmup === undefined ? [] : [draft.warmup])];
    this.tokens = told.reduce((sum, sample) => sum + sample.generated_tokens, draft.open?.ids.length ?? 0);
    if (draft.warmup !== undefined) this.cold = coldGroup(draft.warmup, 0).lanes[0] ?? null;
    if (draft.open !== undefined) {
      this.openLane(draft.open.promptTokens, draft.open.tokenizationMs);
      this.open?.push(draft.open.ids, draft.open.atMs, draft.open.texts);
    }
    this.tokens = tokensOf(draft);
    this.regroup();
  }

  apply(event: RunEvent): void {
    applyEvent(this.draft, event);
    switch (event.type) {
      case 'step':
        this.open = null;
        break;
      case 'prompt':
        this.openLane(event.prompt_tokens, event.tokenization_ms);
        break;
      case 'tokens':
        this.open?.push(event.ids, event.at_ms, event.texts);
        this.tokens += event.ids.length;
        this.endMs = Math.max(this.endMs, this.open?.endMs ?? 0);
        return;
      case 'sample':
        this.close(event.sample);
        break;
      case 'finished':
        this.open = null;
        break;
      case 'batch':
      case 'prefix_reuse':
      case 'skipped':
        break;
    }
    this.regroup();
  }

  private coldGroups(): number {
    return this.draft.plan.warmup === null ? 0 : 1;
  }

  private keep(sample: Sample, run: number, place: number): Lane {
    return laneOfSample(sample, `run:${run}:${place}`, run + this.coldGroups(), place);
  }

  private openLane(promptTokens: number, tokenizationMs: number): void {
    const { step, plan } = this.draft;
    if (step?.kind === 'run') {
      const run = plan.runs[step.run];
      const planned = { sample: step.sample, prompt: run?.prompt ?? null, cap: run?.max_new_tokens ?? null };
      const key = `run:${step.run}:${step.sample}`;
      this.open = new GrowingLane(key, step.run + this.coldGroups(), promptTokens, tokenizationMs, planned);
    } else if (step?.kind === 'warmup') {
      const planned = {
        sample: 0,
        prompt: plan.warmup?.prompt ?? null,
        cap: plan.warmup?.max_new_tokens ?? null,
      };
      this.open = new GrowingLane('cold', 0, promptTokens, tokenizationMs, planned);
    }
    if (this.open !== null) this.current = this.open;
  }

  private close(sample: Sample): void {
    const { step } = this.draft;
    this.open = null;
    if (step?.kind === 'warmup') {
      this.cold = coldGroup(sample, 0).lanes[0] ?? null;
      this.current = this.cold;
    }
    if (step?.kind !== 'run') return;
    const lane = this.keep(sample, step.run, this.lanes[step.run]?.length ?? 0);
    this.lanes[step.run]?.push(lane);
    this.current = lane;
  }

  private regroup(): void {
    const { plan } = this.draft;
    const open = this.open;
    const groups: LaneGroup[] = [];
    if (plan.warmup !== null) {
      const cold = open?.key === 'cold' ? open : this.cold;
      groups.push({
        name: COLD_NAME,
        cold: true,
        lanes: cold === null ? [] : [cold],
        summary: null,
        planned: 1,
      });
    }
    plan.runs.forEach((run, index) => {
      const group = groups.length;
      const done = this.lanes[index] ?? [];
      const lanes = open !== null && open.group === group && open.key !== 'cold' ? [...done, open] : done;
      groups.push({ name: run.name, cold: false, lanes, summary: null, planned: run.repeats });
    });
    this.groups = groups;
    this.endMs = endOf(groups);
  }
}

/** All that were told so far: a window that comes late counts them as one that was there. */
function tokensOf({ warmup, samples, open }: RecordDraft): number {
  const done = samples.flat().reduce((sum, sample) => sum + sample.generated_tokens, 0);
  return (warmup?.generated_tokens ?? 0) + done + (open?.ids.length ?? 0);
}
