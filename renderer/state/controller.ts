import type { CommandId } from '../../shared/commands.ts';
import type {
  AppState,
  HostError,
  HostEvent,
  ModelDownload,
  Outcome,
  ProfilerHost,
  RecordSource,
  Settings,
} from '../../shared/host.ts';
import { messageOf } from '../../shared/errors.ts';
import type { ExportRequest, PictureRequest } from '../../shared/export-formats.ts';
import type { PlanInput } from '../../shared/plan.ts';
import { planSchema } from '../../shared/plan.ts';
import { counted } from '../../shared/units.ts';
import { STANDARD_SUITE } from '../../shared/standard-suite.ts';
import { busy, frameTask } from '../idle.ts';
import type { Trace } from '../trace/lane.ts';
import { LiveTrace } from '../trace/live-trace.ts';
import type { Pair } from '../compare/pair.ts';
import type { PlanForm } from '../setup/plan-form.ts';
import { recordState } from './read-record.ts';
import { activeMarks, comparisonKey, firstSample, marksKey, tabOfMarks } from './select.ts';
import { LIVE, NO_MARKS, type Dialog, type Marks, type RecordState, type View, type WindowState } from './state.ts';
import type { WindowStore } from './store.ts';

export type Controller = ReturnType<typeof createController>;

/** What the next run is to be. The form is kept as it was left; without a plan it has a mistake. */
export interface RunSetup {
  model: string | null;
  plan: PlanInput | null;
  form: PlanForm | null;
}

const INFO_STAYS_MS = 8000;

/** Everything a person can do in the window. Each action ends well or in a notice; none throws. */
export function createController(host: ProfilerHost, store: WindowStore) {
  let nextNotice = 1;
  let setup: RunSetup = { model: null, plan: STANDARD_SUITE, form: null };
  /** Set while the state of a run is being fetched: events until then are in what is fetched. */
  let attaching = false;

  const patch = store.setState;

  function notify(kind: 'info' | 'error', message: string, remedy: string | null = null): void {
    const notice = { id: nextNotice++, kind, message, remedy };
    patch(({ notices }) => ({ notices: [...notices.slice(-3), notice] }));
    // Good news goes by itself; an error stays until it is dismissed.
    if (kind === 'info') setTimeout(() => dismiss(notice.id), INFO_STAYS_MS);
  }

  function dismiss(id: number): void {
    patch(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }));
  }

  function refuse(error: HostError): void {
    notify('error', error.path === null ? error.message : `${error.path}: ${error.message}`, error.remedy);
  }

  /** Asks the application. Undefined: it refused, and the person has been told. */
  async function ask<T>(request: () => Promise<Outcome<T>>): Promise<{ value: T } | undefined> {
    const done = busy();
    try {
      const answer = await request();
      if (answer.ok) return { value: answer.value };
      refuse(answer.error);
    } catch (error) {
      notify('error', `The application did not answer: ${messageOf(error)}`);
    } finally {
      done();
    }
    return undefined;
  }

  /** As `ask`, for what takes minutes: meanwhile the window has nothing to do. */
  async function askPlainly<T>(request: () => Promise<Outcome<T>>): Promise<{ value: T } | undefined> {
    try {
      const answer = await request();
      if (answer.ok) return { value: answer.value };
      refuse(answer.error);
    } catch (error) {
      notify('error', `The application did not answer: ${messageOf(error)}`);
    }
    return undefined;
  }

  function setRecord(id: string, record: RecordState): void {
    patch(({ records }) => ({ records: new Map(records).set(id, record) }));
  }

  function setMarks(change: (marks: Marks) => Partial<Marks>): void {
    const state = store.getState();
    const key = marksKey(state);
    if (key === null) return;
    const current = activeMarks(state);
    patch({ marks: new Map(state.marks).set(key, { ...current, ...change(current) }) });
  }

  async function activate(id: string | null): Promise<void> {
    patch({ active: id, ...(id === LIVE ? { view: 'timeline' as const } : {}) });
    if (id !== null && id !== LIVE) await load(id);
  }

  /** Reads a record once, also one that is not on screen. */
  async function load(id: string): Promise<void> {
    if (store.getState().records.has(id)) return;
    setRecord(id, { status: 'loading' });
    const done = busy();
    try {
      const record = recordState(await host.readRecord(id));
      setRecord(id, record);
      if (record.status === 'ready' && !store.getState().marks.has(id)) {
        const { marks } = store.getState();
        const sample = firstSample(record.trace);
        patch({ marks: new Map(marks).set(id, { sample, token: null, range: null, collapsed: new Set() }) });
      }
    } catch (error) {
      const failure = {
        code: 'worker',
        message: messageOf(error),
        path: null,
        remedy: 'close the tab and open it again',
      };
      setRecord(id, { status: 'error', error: failure });
    } finally {
      done();
    }
  }

  const flushLive = frameTask(() => {
    patch(({ live }) => (live === null ? {} : { live: { trace: live.trace, version: live.version + 1 } }));
  });

  function onEvent(event: HostEvent): void {
    switch (event.type) {
      case 'state':
        onState(event.state);
        return;
      case 'run_started':
        onRunStarted(new LiveTrace(event.draft));
        return;
      case 'run_event': {
        const { live } = store.getState();
        if (live === null || attaching) return;
        live.trace.apply(event.event);
        flushLive.request();
        return;
      }
      case 'run_ended':
        onRunEnded(event);
        return;
      case 'notice':
        notify(event.kind, event.message);
        return;
      case 'opened':
        void activate(event.id);
        return;
      case 'command':
        commandListener?.(event.id);
        return;
    }
  }

  /** A new run comes to the front; one that is told again after a loss stays where it was. */
  function onRunStarted(trace: LiveTrace): void {
    attaching = false;
    patch(({ live, marks, active, view }) => {
      if (live !== null) return { live: { trace, version: live.version + 1 } };
      const rest = new Map(marks);
      rest.delete(LIVE);
      const follows = active === LIVE || active === null;
      return {
        live: { trace, version: 0 },
        marks: rest,
        active: follows ? LIVE : active,
        view: follows ? 'timeline' : view,
      };
    });
  }

  function onState(app: AppState): void {
    const { active, records, marks, pairs } = store.getState();
    const open = new Set(app.tabs.map(({ id }) => id));
    const kept = new Map([...records].filter(([id]) => open.has(id)));
    const keptMarks = new Map([...marks].filter(([key]) => key === LIVE || open.has(tabOfMarks(key))));
    const keptPairs = new Map([...pairs].filter(([id]) => open.has(id)));
    patch({ app, records: kept, marks: keptMarks, pairs: keptPairs });
    if (active !== null && active !== LIVE && !open.has(active)) void activate(app.tabs.at(-1)?.id ?? null);
  }

  function onRunEnded({ id, kind, notice }: Extract<HostEvent, { type: 'run_ended' }>): void {
    flushLive.cancel();
    const { active } = store.getState();
    patch({ live: null, spoken: 'The run has ended.' });
    if (notice !== null) notify(kind, notice);
    if (active === LIVE || active === null) void activate(id);
  }

  let commandListener: ((id: CommandId) => void) | undefined;

  return {
    /** Follows the application from now on; the result ends it. */
    async start(onCommand: NonNullable<typeof commandListener>): Promise<() => void> {
      commandListener = onCommand;
      const done = busy();
      attaching = true;
      const stop = host.subscribe(onEvent);
      try {
        const app = await host.getState();
        patch({ app });
        const draft = app.run === null ? undefined : await host.attachRun();
        if (draft !== undefined) patch({ live: { trace: new LiveTrace(draft), version: 0 } });
        if (app.run !== null) patch({ active: LIVE });
        else await activate(store.getState().active ?? app.tabs[0]?.id ?? null);
      } catch (error) {
        patch({ lost: messageOf(error) });
      } finally {
        attaching = false;
        done();
      }
      return stop;
    },

    notify,
    activate,
    load,
    setMarks,
    show: (view: View) => patch({ view }),
    openDialog: (dialog: Dialog | null) => patch({ dialog }),
    /** What is compared in a tab. */
    choosePair: (id: string, pair: Pair) => patch(({ pairs }) => ({ pairs: new Map(pairs).set(id, pair) })),
    /** The lanes that the comparison of a tab shows; with others the selection begins anew. */
    showPair(id: string, pairTrace: Trace | null): void {
      patch(({ marks }) => ({
        pairTrace,
        ...(pairTrace === null
          ? {}
          : { marks: new Map(marks).set(comparisonKey(id), { ...NO_MARKS, sample: firstSample(pairTrace) }) }),
      }));
    },
    dismiss,
    say: (spoken: string) => patch({ spoken }),

    async open(source: RecordSource): Promise<void> {
      const opened = await ask(() => host.openRecord(source));
      if (opened?.value !== undefined) await activate(opened.value.id);
    },

    async save(id: string, as: boolean): Promise<boolean> {
      const saved = await ask(() => host.saveRecord({ id, as }));
      if (saved?.value === undefined) return false;
      notify('info', 'Saved.');
      if (saved.value.id !== id) await activate(saved.value.id);
      return true;
    },

    setExportChoice: (exportChoice: WindowState['exportChoice']) => patch({ exportChoice }),
    /** The refusal, for the dialog to show where the choice is made; null: it is done, or was declined. */
    async exportFile(request: ExportRequest): Promise<HostError | null> {
      const done = busy();
      try {
        const answer = await host.exportFile(request);
        if (!answer.ok) return answer.error;
        if (answer.value !== undefined) {
          patch({ dialog: null });
          notify('info', `Exported as ${answer.value.name}.`);
        }
        return null;
      } catch (error) {
        return { code: 'worker', message: messageOf(error), path: null, remedy: 'try again' };
      } finally {
        done();
      }
    },
    async copyPicture(request: PictureRequest): Promise<void> {
      if ((await ask(() => host.copyPicture(request))) !== undefined) notify('info', 'The report is on the clipboard.');
    },

    /** Closes a tab; asks before what is not saved is lost. */
    async close(id: string, sure = false): Promise<void> {
      const tab = store.getState().app?.tabs.find((entry) => entry.id === id);
      if (tab?.unsaved === true && !sure) {
        patch({ dialog: { kind: 'close', id, name: tab.name } });
        return;
      }
      patch({ dialog: null });
      await ask(() => host.closeRecord(id));
    },

    /** What the next run is to be. Kept here so that the run button and the panel mean the same. */
    getSetup: () => setup,
    setSetup(next: RunSetup): void {
      setup = next;
      patch({ planName: next.plan?.name ?? '' });
    },

    async run(): Promise<void> {
      const { app } = store.getState();
      if (app === null) return;
      if (app.run !== null) {
        notify('info', `${app.run.plan_name} is still running on ${app.run.model_name}; stop it first.`);
        return;
      }
      const usable = app.models.filter(({ problem }) => problem === null);
      const model = usable.find(({ id }) => id === setup.model) ?? usable[0];
      const plan = planSchema.safeParse(setup.plan);
      if (model === undefined || !plan.success) {
        patch({ dialog: { kind: 'setup' } });
        return;
      }
      const before = store.getState().active;
      patch({ dialog: null, active: LIVE });
      const started = await ask(() => host.startRun({ model: model.id, plan: plan.data }));
      if (started === undefined) patch({ active: before });
    },

    async stop(): Promise<void> {
      if (store.getState().app?.run === null) return;
      await ask(() => host.cancelRun());
    },

    addModel: (file?: File) => ask(() => host.addModel(file === undefined ? { by: 'dialog' } : { by: 'file', file })),
    removeModel: (id: string) => ask(() => host.removeModel(id)),
    synthesize: (preset: string) => ask(() => host.synthesizeModel(preset)),
    cancelSynthesis: () => ask(() => host.cancelSynthesis()),
    /** The model's id; null: cancelled or refused, and the person has been told. */
    async download(request: ModelDownload): Promise<string | null> {
      const made = await askPlainly(() => host.downloadModel(request));
      if (made === undefined) return null;
      if (made.value === undefined) notify('info', 'The download was cancelled; the same one goes on from there.');
      else notify('info', 'The model is ready: it is in the list of models.');
      return made.value?.id ?? null;
    },
    cancelDownload: () => ask(() => host.cancelDownload()),
    async verify(id: string): Promise<void> {
      const made = await askPlainly(() => host.verifyModel(id));
      if (made === undefined) return;
      const { files } = made.value;
      const wrong = files.filter(({ problem }) => problem !== null);
      if (wrong.length === 0) {
        notify('info', `Every byte is as it was downloaded: ${counted(files.length, 'file')} read.`);
      } else {
        const words = wrong.map(({ path, problem }) => `${path} ${problem ?? ''}`).join('; ');
        notify('error', `The model is not what was downloaded: ${words}`, 'download it again');
      }
    },
    updateSettings: (settings: Partial<Settings>) => ask(() => host.updateSettings(settings)),
  };
}
