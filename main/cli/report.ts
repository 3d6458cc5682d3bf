import { extname } from 'node:path';
import { TokenscopeError } from '../../shared/errors.ts';
import type { ReportTheme } from '../../shared/report/palette.ts';
import { writeFileAtomic } from '../record-files.ts';
import { REPORT_FORMATS, type ReportFormat, reportFile } from '../report.ts';
import { EXIT, type Io } from './io.ts';
import { loadRecord } from './load-record.ts';
import { refuseExisting } from './refuse-existing.ts';

export interface ReportOptions {
  /** Its ending is the format. */
  output: string;
  scale: number;
  theme: ReportTheme;
  force: boolean;
}

/** Draws the report of a record into a file. Returns the exit code. */
export async function report(file: string, options: ReportOptions, io: Io): Promise<number> {
  const format = formatOf(options.output);
  await refuseExisting(options.output, options.force);
  const { record, summary } = await loadRecord(file);
  const content = await reportFile({ record, summary, theme: options.theme }, format, options.scale);
  await writeFileAtomic(options.output, content, { force: options.force });
  io.stderr(`saved ${options.output}\n`);
  return EXIT.fine;
}

function formatOf(output: string): ReportFormat {
  const ending = extname(output).slice(1).toLowerCase();
  const format = REPORT_FORMATS.find((each) => each === ending);
  if (format !== undefined) return format;
  throw new TokenscopeError(
    'argument',
    `the name of a report ends in ${REPORT_FORMATS.map((each) => `.${each}`).join(', ')}`,
    {
      path: output,
      remedy: 'its ending says what is written',
    },
  );
}
