import { z } from 'zod';
import { TokenscopeError } from '../../shared/errors.ts';
import { caseCollision, isEscaping, shown, unsafePath } from './safe-path.ts';
import type { PinOf } from './model-pins.ts';

/** A file to get, and everything that is known of its content beforehand. */
export interface WantedFile {
  path: string;
  bytes: number;
  /** Of the whole file, for what the hub keeps in LFS or for what is pinned. */
  sha256: string | null;
  /** Git's hash of the file as a blob, for what lies in the repository itself. */
  blobSha1: string | null;
}

const cardSchema = z.looseObject({
  license: z.unknown().optional(),
  license_name: z.unknown().optional(),
});

/** The fields of the hub's answer that are used. `?blobs=true` adds sizes and hashes. */
export const listingSchema = z.object({
  sha: z.string().regex(/^[0-9a-f]{40}$/),
  siblings: z.array(
    z.object({
      rfilename: z.string(),
      size: z.int().nonnegative().nullish(),
      blobId: z.string().nullish(),
      lfs: z.object({ sha256: z.string().nullish(), size: z.int().nonnegative().nullish() }).nullish(),
    }),
  ),
  cardData: z.unknown().optional(),
});
export type HubListing = z.infer<typeof listingSchema>;
type Sibling = HubListing['siblings'][number];

const REQUIRED = ['config.json', 'tokenizer.json', 'tokenizer_config.json'];
/** Newer models keep the chat template in a file of its own; older ones have it in tokenizer_config.json. */
const OPTIONAL = ['generation_config.json', 'special_tokens_map.json', 'chat_template.jinja'];

/** `onnx/model.onnx` is fp32, `onnx/model_q4.onnx` is q4. */
const GRAPH = /^onnx\/model(?:_([a-z0-9_]+))?\.onnx$/i;

export function graphPath(variant: string): string {
  return variant === 'fp32' ? 'onnx/model.onnx' : `onnx/model_${variant}.onnx`;
}

/** The variants that a listing has, as `--variant` takes them. */
export function variantsOf(listing: HubListing): string[] {
  return listing.siblings.flatMap(({ rfilename }) => {
    const match = GRAPH.exec(rfilename);
    return match === null ? [] : [match[1] ?? 'fp32'];
  });
}

/**
 * The files of one variant: the settings, the graph, and all external data that is named after the graph. Throws a
 * `download` error for a variant that is not there, for a listing that contradicts a pin, and for paths that must not be
 * written.
 */
export function chooseFiles(listing: HubListing, model: string, variant: string, pinOf: PinOf): WantedFile[] {
  const byPath = new Map<string, Sibling>();
  for (const sibling of listing.siblings) {
    const { rfilename } = sibling;
    if (isEscaping(rfilename)) {
      throw refuse(model, `the hub lists ${shown(rfilename)}, a path that leads out of the folder`);
    }
    if (byPath.has(rfilename)) throw refuse(model, `the hub lists ${shown(rfilename)} twice`);
    byPath.set(rfilename, sibling);
  }
  const graph = graphPath(variant);
  if (!byPath.has(graph)) throw unknownVariant(model, variant, variantsOf(listing));
  const data = [...byPath.keys()].filter((path) => isDataOf(graph, path)).toSorted();
  const missing = REQUIRED.find((path) => !byPath.has(path));
  if (missing !== undefined) throw refuse(model, `${missing} is missing: this is not the layout that can be run`);
  const paths = [...REQUIRED, ...OPTIONAL.filter((path) => byPath.has(path)), graph, ...data];

  for (const path of paths) {
    const reason = unsafePath(path);
    if (reason !== undefined) throw refuse(model, `the path ${shown(path)} ${reason}`);
  }
  const clash = caseCollision(paths);
  if (clash !== undefined) throw refuse(model, `${shown(clash[0])} and ${shown(clash[1])} differ by case only`);
  return paths.map((path) => wanted(model, listing.sha, path, byPath.get(path), pinOf));
}

/** model_q4.onnx_data, model_q4.onnx_data_1 and on; some exporters write model_q4.onnx.data. */
function isDataOf(graph: string, path: string): boolean {
  return path.startsWith(graph) && /^(_data(_\d+)?|\.data)$/.test(path.slice(graph.length));
}

function wanted(model: string, revision: string, path: string, sibling: Sibling | undefined, pinOf: PinOf): WantedFile {
  const bytes = sibling?.lfs?.size ?? sibling?.size;
  if (bytes === null || bytes === undefined) throw refuse(model, `the hub does not say how large ${path} is`);
  const listed = sibling?.lfs === null || sibling?.lfs === undefined ? null : (sibling.lfs.sha256 ?? null);
  if (listed !== null && !/^[0-9a-f]{64}$/.test(listed)) throw refuse(model, `the hub's hash of ${path} is none`);
  // In LFS the blob is only the pointer to the file.
  const inLfs = sibling?.lfs !== null && sibling?.lfs !== undefined;
  const blobSha1 = !inLfs && /^[0-9a-f]{40}$/.test(sibling?.blobId ?? '') ? (sibling?.blobId ?? null) : null;
  if (inLfs && listed === null) throw refuse(model, `the hub names no hash for ${path}`);

  const pin = pinOf(model, revision, path);
  if (pin === undefined) return { path, bytes, sha256: listed, blobSha1 };
  if (pin.bytes !== bytes) throw contradicts(model, path, `${bytes} bytes`, `${pin.bytes}`);
  if (listed !== null && listed !== pin.sha256) throw contradicts(model, path, `sha256 ${listed}`, pin.sha256);
  return { path, bytes, sha256: pin.sha256, blobSha1 };
}

/** The licence by the model's card: its identifier, or the name of one that has none. */
export function licenseOf(listing: HubListing): string | null {
  const card = cardSchema.safeParse(listing.cardData).data;
  const license: unknown = Array.isArray(card?.license) ? card.license[0] : card?.license;
  if (license === 'other' && typeof card?.license_name === 'string') return clean(card.license_name);
  return typeof license === 'string' ? clean(license) : null;
}

function clean(text: string): string | null {
  const printable = text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ').trim();
  return printable === '' ? null : printable.slice(0, 100);
}

function unknownVariant(model: string, variant: string, there: readonly string[]): TokenscopeError {
  if (there.length === 0) {
    return refuse(model, 'it has no onnx/model*.onnx: this is not the layout that can be run');
  }
  return new TokenscopeError('download', `there is no variant ${shown(variant)}`, {
    path: model,
    remedy: `it has ${there.toSorted().join(', ')}`,
  });
}

function contradicts(model: string, path: string, said: string, pinned: string): TokenscopeError {
  return new TokenscopeError('download', `${path} is not the known file: the hub says ${said}, pinned is ${pinned}`, {
    path: model,
    remedy: 'do not use this source; if HF_ENDPOINT is set, unset it',
  });
}

function refuse(model: string, message: string): TokenscopeError {
  return new TokenscopeError('download', message, { path: model });
}
