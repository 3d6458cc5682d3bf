import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { version } from '../package.json';
import { messageOf, TokenscopeError } from '../shared/errors.ts';
import { DEFAULT_DOWNLOAD } from '../shared/model-download.ts';
import { DEVICE_CHOICES } from '../shared/plan.ts';
import { ANALYZE_FORMATS, analyze, type AnalyzeFormat } from './cli/analyze.ts';
import { COMPARE_FORMATS, compare, type CompareOptions } from './cli/compare.ts';
import { EXPORT_FORMATS, exportRecord, type ExportOptions } from './cli/export.ts';
import { download, type DownloadCommandOptions } from './cli/download.ts';
import { EXIT, type Io } from './cli/io.ts';
import { report, type ReportOptions } from './cli/report.ts';
import { REPORT_THEMES } from '../shared/report/palette.ts';
import { DEMO_MODEL } from './app-paths.ts';
import { run, type RunOptions } from './cli/run.ts';
import { serve, type ServeCommandOptions } from './cli/serve.ts';
import { synthesizeModel, type SynthesizeOptions } from './cli/synthesize.ts';
import { verify } from './cli/verify.ts';

/** The command line. Each command is a function from options to an exit code; this file only names them. */

const io: Io = {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  watched: process.stderr.isTTY,
  ...(process.stdout.isTTY ? { columns: process.stdout.columns } : {}),
};

// A reader that has seen enough (`| head`) is no fault.
process.stdout.on('error', (error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit();
  throw error;
});

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('it must be a whole number of at least 1.');
  return value;
}

function percentage(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('it must be a number of percent, 0 or more.');
  return value;
}

function scaleFactor(text: string): number {
  const value = Number(text);
  if (!(value >= 0.1 && value <= 16)) throw new InvalidArgumentError('it must be a number from 0.1 to 16.');
  return value;
}

/** Runs a command; an error that a person can act on is one line and a code, anything else is a fault of ours. */
function command<T extends unknown[]>(work: (...values: T) => Promise<number>): (...values: T) => Promise<void> {
  return async (...values) => {
    try {
      process.exitCode = await work(...values);
    } catch (error) {
      io.stderr(`tokenscope: ${messageOf(error)}\n`);
      process.exitCode = error instanceof TokenscopeError && error.code !== 'worker' ? EXIT.refused : EXIT.failed;
    }
  };
}

const program = new Command('tokenscope')
  .description(
    'A profiler for language-model requests: the wait for the first token, apart from the pace of the later ones.',
  )
  .version(version)
  .exitOverride()
  .showHelpAfterError('(--help lists the commands)');

program
  .command('run')
  .description('run a plan on a model of this machine and record every token')
  .option('--model <dir>', 'model folder in the Hugging Face ONNX layout', DEMO_MODEL)
  .option('--graph <file>', 'file inside onnx/, for a folder with several variants')
  .option('--plan <file>', 'plan as JSON; without one the standard suite')
  .option('--threads <n>', 'threads of the runtime; without it one per physical core', wholeNumber)
  .addOption(
    new Option('--device <name>', 'what runs the model; without it what the plan says').choices(DEVICE_CHOICES),
  )
  .option('--output <file>', 'where to save the record; - for standard output')
  .option('--force', 'replace an existing file', false)
  .action(command((options: RunOptions) => run(options, io)));

program
  .command('analyze')
  .description('check saved records and summarize them')
  .argument('<file...>', 'records')
  .addOption(new Option('--format <format>', 'how to print').choices(ANALYZE_FORMATS).default('table'))
  .action(command((files: string[], options: { format: AnalyzeFormat }) => analyze(files, options.format, io)));

program
  .command('report')
  .description('draw the report of a record as a picture or a page that opens anywhere')
  .argument('<file>', 'record')
  .requiredOption('--output <file>', 'file to write: its ending, .png, .svg or .html, is the format')
  .option('--scale <n>', 'pixels of a .png for each of the page, which is 1200 wide', scaleFactor, 2)
  .addOption(new Option('--theme <theme>', 'colours').choices(REPORT_THEMES).default('light'))
  .option('--force', 'replace an existing file', false)
  .action(command((file: string, options: ReportOptions) => report(file, options, io)));

program
  .command('export')
  .description('write a record for other programs')
  .argument('<file>', 'record')
  .addOption(
    new Option('--to <format>', 'csv: a row for each token; csv-samples: one for each sample; perfetto: a trace')
      .choices(EXPORT_FORMATS)
      .makeOptionMandatory(),
  )
  .option('--output <file>', 'file to write; without it standard output')
  .option('--force', 'replace an existing file', false)
  .action(command((file: string, options: ExportOptions) => exportRecord(file, options, io)));

program
  .command('compare')
  .description('compare two runs: whether they may be compared, and what can be claimed')
  .argument('<a>', 'record to compare with')
  .argument('[b]', 'record that is looked at; without it, two runs of <a>')
  .option('--run <name>', 'a run of <a>, or batch_sweep[0]; without it every run with the one of its name')
  .option('--with <name>', 'a run of <b>, when its name is another')
  .addOption(new Option('--format <format>', 'how to print').choices(COMPARE_FORMATS).default('table'))
  .option(
    '--fail-if-slower <percent>',
    'exit 5 when a wait or pace of <b> is slower by more, beyond chance',
    percentage,
  )
  .action(command((a: string, b: string | undefined, options: CompareOptions) => compare(a, b, options, io)));

program
  .command('synthesize')
  .description('write a model of a real shape with random weights, to measure the shape before having the weights')
  .option('--preset <name>', 'a known shape')
  .option('--config <file>', "take the shape from a model's config.json")
  .requiredOption('--out <dir>', 'folder to write')
  .option('--seed <n>', 'seed of the weights', wholeNumber, 1)
  .option('--force', 'replace an existing folder', false)
  .action(command((options: SynthesizeOptions) => synthesizeModel(options, io)));

program
  .command('download')
  .description('download a model from the Hugging Face hub, at one commit and verified')
  .option('--model <id>', 'owner/name on the hub', DEFAULT_DOWNLOAD.model)
  .option('--revision <commit>', 'full commit hash, or a branch or tag; without it the known commit, or main')
  .option(
    '--variant <name>',
    'which file of onnx/: fp32, fp16, q4, q4f16, int8, quantized, ...',
    DEFAULT_DOWNLOAD.variant,
  )
  .requiredOption('--destination <dir>', 'folder that becomes the model')
  .option('--force', 'replace what the folder holds', false)
  .action(command((options: DownloadCommandOptions) => download(options, io)));

program
  .command('verify')
  .description('hold a downloaded model against its lock: sizes at once, every byte with --hashes')
  .argument('<dir>', 'folder that download wrote')
  .option('--hashes', 'read every file and compare its SHA-256', false)
  .action(command((directory: string, options: { hashes: boolean }) => verify(directory, options, io)));

program
  .command('serve')
  .description('serve the app to a browser of this machine, on 127.0.0.1 only')
  .argument('[record...]', 'records to open')
  .option('--port <n>', 'port; without it any that is free', wholeNumber)
  .option('--open', 'open it in the browser', false)
  .option('--model <dir...>', 'model folders to add to the list', [])
  .option('--data-dir <dir>', 'where it remembers records, models and settings')
  .action(command((records: string[], options: ServeCommandOptions) => serve(records, options, io)));

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  // Help and the version are what was asked for; everything else is wrong usage.
  process.exitCode = error.exitCode === 0 ? EXIT.fine : EXIT.usage;
}
