import { messageOf } from '../shared/errors.ts';
import type { HostEvent } from '../shared/host.ts';
import { leftJournals, readJournal, removeJournal } from './run-journal.ts';
import type { Tabs } from './tabs.ts';

/** Runs that a crash of the application has cut off are opened as partial records. */
export async function recoverRuns(folder: string, tabs: Tabs, emit: (event: HostEvent) => void): Promise<void> {
  for (const path of await leftJournals(folder)) {
    try {
      const run = await readJournal(path);
      if (run === undefined) {
        await removeJournal(path);
        continue;
      }
      const { stored } = await tabs.addRun(`${run.plan}, ${run.model}`, run.record);
      if (stored) await removeJournal(path);
      const samples = run.record.runs.reduce((sum, { samples }) => sum + samples.length, 0);
      const message = `the last session ended during a run (${run.plan}); the ${samples} samples it had measured were recovered`;
      emit({ type: 'notice', kind: 'info', message });
    } catch (error) {
      emit({
        type: 'notice',
        kind: 'error',
        message: `an interrupted run could not be recovered: ${messageOf(error)}`,
      });
    }
  }
}
