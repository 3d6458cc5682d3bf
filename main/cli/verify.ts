import { renderText } from '../../shared/text-table.ts';
import { bytes, count } from '../../shared/units.ts';
import { defaultDataDirectory } from '../data-directory.ts';
import { hashCacheIn } from '../hash-cache.ts';
import { type VerifiedFile, verifyModel } from '../model-verify.ts';
import { EXIT, type Io } from './io.ts';
import { byteProgress } from './progress.ts';

/** Holds a downloaded model against its lock and prints a line per file. Throws what loading it would throw. */
export async function verify(directory: string, options: { hashes: boolean }, io: Io): Promise<number> {
  const progress = byteProgress(io);
  const { files, lock, fault } = await verifyModel(directory, {
    hashes: options.hashes,
    cache: hashCacheIn(defaultDataDirectory()),
    onBytes: (done, total) => progress.update(done, total),
  }).finally(() => progress.end());
  io.stdout(
    renderText(
      {
        columns: [
          { header: 'File', align: 'left' },
          { header: 'Bytes', align: 'right' },
          { header: 'State', align: 'left' },
        ],
        rows: files.map((file) => [file.path, count(file.bytes), stateOf(file)]),
      },
      io.columns ?? Number.POSITIVE_INFINITY,
    ),
  );
  if (fault !== undefined) throw fault;
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  io.stdout(`${lock.repository} at ${lock.revision}, ${lock.variant}: ${files.length} files, ${bytes(total)}\n`);
  if (files.some(({ hashed }) => !hashed)) io.stderr('sizes are right; --hashes also reads every byte\n');
  return EXIT.fine;
}

function stateOf({ problem, hashed }: VerifiedFile): string {
  if (problem !== null) return problem;
  return hashed ? 'size and sha256 right' : 'size right';
}
