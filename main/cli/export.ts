import { exportText, TEXT_FORMATS, type TextFormat } from '../export-text.ts';
import { writeFileAtomic } from '../record-files.ts';
import { EXIT, type Io } from './io.ts';
import { loadRecord } from './load-record.ts';

export const EXPORT_FORMATS = TEXT_FORMATS;
export type ExportFormat = TextFormat;

export interface ExportOptions {
  to: ExportFormat;
  /** Standard output when undefined or `-`. */
  output?: string;
  force: boolean;
}

/** Writes a record in a format of other programs. Returns the exit code. */
export async function exportRecord(file: string, options: ExportOptions, io: Io): Promise<number> {
  const text = exportText(await loadRecord(file), options.to);
  if (options.output === undefined || options.output === '-') {
    io.stdout(text);
    return EXIT.fine;
  }
  await writeFileAtomic(options.output, text, { force: options.force });
  io.stderr(`saved ${options.output}\n`);
  return EXIT.fine;
}
