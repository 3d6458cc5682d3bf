import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/**
 * A model hub on this machine that answers as the real one does: a listing by its API; small files behind a redirect to its
 * own cache; files in LFS behind a redirect to a file server on another port, whose addresses are signed and expire. Faults
 * are scripted: each answers for one request, or for `times` of them, and is gone.
 */

export interface HubFile {
  content: Buffer;
  lfs: boolean;
}

export type Fault =
  | { kind: 'status'; status: number; headers?: Record<string, string> }
  /** The connection is cut after so many bytes of the body. */
  | { kind: 'cut'; after: number; ignoreRange?: true }
  /** Nothing more is sent after so many bytes, and the connection stays. */
  | { kind: 'stall'; after: number }
  | { kind: 'ignore-range' }
  /** One bit of the byte at this place of the whole file is another. */
  | { kind: 'flip'; at: number }
  /** Another length is announced. */
  | { kind: 'length'; bytes: number }
  /** The body goes on behind the file's end. */
  | { kind: 'longer'; by: number }
  | { kind: 'headers'; set: Record<string, string> }
  /** A signed address that has expired already. */
  | { kind: 'expired' }
  | { kind: 'redirect'; to: string }
  | { kind: 'text'; text: string };

export interface ScriptedFault {
  on: 'listing' | 'resolve' | 'cache' | 'cdn';
  path?: string;
  times?: number;
  fault: Fault;
}

export interface SeenRequest {
  server: 'hub' | 'cdn';
  /** Without the query. */
  path: string;
  file: string | undefined;
  range: string | undefined;
  authorization: string | undefined;
  ifRange: string | undefined;
}

/** Names that lead to this machine only through a proxy, and what proves them. */
export interface HubIdentity {
  key: string;
  cert: string;
  hub: string;
  cdn: string;
}

export const COMMIT = 'a'.repeat(39) + '1';

export class Hub {
  readonly files = new Map<string, HubFile>();
  readonly requests: SeenRequest[] = [];
  script: ScriptedFault[] = [];
  model = 'tiny/decoder';
  commit = COMMIT;
  branches: Record<string, string> = { main: COMMIT };
  card: unknown = { license: 'apache-2.0' };
  /** The last word on a listing before it is sent. */
  edit: (listing: Listing) => unknown = (listing) => listing;
  /** If set, only requests with this token are answered. */
  token: string | undefined;
  /** Called with each file's bytes as they are sent, counted over all files. */
  onSent: (bytes: number) => void = () => undefined;
  /** True while a connection is held without sending. */
  stalled = false;
  onStall: () => void = () => undefined;
  #sent = 0;
  readonly #identity: HubIdentity | undefined;
  readonly #hub;
  readonly #cdn;

  constructor(identity?: HubIdentity) {
    const serve = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
      identity === undefined ? createServer(answer) : createTlsServer(identity, answer);
    this.#identity = identity;
    this.#hub = serve((request, response) => this.#answerHub(request, response));
    this.#cdn = serve((request, response) => this.#answerCdn(request, response));
  }

  static async start(files: Record<string, HubFile>, identity?: HubIdentity): Promise<Hub> {
    const hub = new Hub(identity);
    for (const [path, file] of Object.entries(files)) hub.files.set(path, file);
    for (const server of [hub.#hub, hub.#cdn]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    }
    return hub;
  }

  async close(): Promise<void> {
    for (const server of [this.#hub, this.#cdn]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  get endpoint(): string {
    return this.#origin(this.#identity?.hub, this.#hub.address());
  }

  get cdn(): string {
    return this.#origin(this.#identity?.cdn, this.#cdn.address());
  }

  #origin(name: string | undefined, address: string | AddressInfo | null): string {
    const { port } = address as AddressInfo;
    return name === undefined ? `http://127.0.0.1:${port}` : `https://${name}:${port}`;
  }

  /** Requests for a file's bytes at the server that sends them. */
  transfers(path: string): SeenRequest[] {
    return this.requests.filter(
      (request) => request.file === path && (request.server === 'cdn' || request.path.includes('/resolve-cache/')),
    );
  }

  #answerHub(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '', this.endpoint);
    const path = decodeURIComponent(url.pathname);
    const listing = /^\/api\/models\/(.+)\/revision\/(.+)$/.exec(path);
    const cached = /^\/api\/resolve-cache\/models\/(.+?)\/([0-9a-f]{40})\/(.+)$/.exec(path);
    const resolve = /^\/(.+)\/resolve\/([0-9a-f]{40})\/(.+)$/.exec(path);
    const file = cached?.[3] ?? resolve?.[3];
    this.#see('hub', request, path, file);
    if (this.token !== undefined && request.headers.authorization !== `Bearer ${this.token}`) {
      response.writeHead(401, { 'X-Error-Code': 'GatedRepo' }).end('Access to this model is restricted.');
      return;
    }
    if (listing !== null) this.#list(listing[1]!, listing[2]!, response);
    else if (cached !== null) this.#sendFile('cache', file!, request, response);
    else if (resolve !== null) this.#resolve(resolve[1]!, resolve[2]!, file!, response);
    else response.writeHead(404).end();
  }

  #list(model: string, revision: string, response: ServerResponse): void {
    const fault = this.#fault('listing', undefined);
    if (fault?.kind === 'status') return void response.writeHead(fault.status, fault.headers).end();
    if (fault?.kind === 'redirect') return void response.writeHead(307, { Location: fault.to }).end();
    if (fault?.kind === 'text') return void response.writeHead(200).end(fault.text);
    const commit = this.branches[revision] ?? (revision === this.commit ? this.commit : undefined);
    if (model !== this.model || commit === undefined) {
      response.writeHead(404, { 'X-Error-Code': model === this.model ? 'RevisionNotFound' : 'RepoNotFound' }).end();
      return;
    }
    const siblings = [...this.files].map(([rfilename, { content, lfs }]) => ({
      rfilename,
      size: content.length,
      blobId: lfs ? gitSha1(Buffer.from(`pointer to ${sha256(content)}`)) : gitSha1(content),
      ...(lfs ? { lfs: { sha256: sha256(content), size: content.length, pointerSize: 134 } } : {}),
    }));
    const body = JSON.stringify(this.edit({ id: model, sha: commit, siblings, cardData: this.card, gated: false }));
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
  }

  #resolve(model: string, commit: string, path: string, response: ServerResponse): void {
    const file = this.files.get(path);
    if (file === undefined || model !== this.model || commit !== this.commit) {
      response.writeHead(404, { 'X-Error-Code': 'EntryNotFound' }).end();
      return;
    }
    const fault = this.#fault('resolve', path);
    if (fault?.kind === 'status') return void response.writeHead(fault.status, fault.headers).end();
    const location = file.lfs
      ? `${this.cdn}/${sha256(file.content)}?signature=${fault?.kind === 'expired' ? 'old' : 'fresh'}`
      : `/api/resolve-cache/models/${model}/${commit}/${path}`;
    response
      .writeHead(file.lfs ? 302 : 307, {
        Location: fault?.kind === 'redirect' ? fault.to : location,
        'X-Repo-Commit': commit,
        ...(file.lfs
          ? {
              'X-Linked-Etag': `"${sha256(file.content)}"`,
              'X-Linked-Size': file.content.length,
              ETag: `"${'e'.repeat(64)}"`,
            }
          : { ETag: `"${gitSha1(file.content)}"` }),
        ...(fault?.kind === 'headers' ? fault.set : {}),
      })
      .end('Redirecting');
  }

  #answerCdn(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '', this.cdn);
    const path = [...this.files].find(([, { content }]) => url.pathname === `/${sha256(content)}`)?.[0];
    this.#see('cdn', request, url.pathname, path);
    if (path === undefined) response.writeHead(404).end();
    else if (url.searchParams.get('signature') !== 'fresh') response.writeHead(403).end('Request has expired');
    else this.#sendFile('cdn', path, request, response);
  }

  #sendFile(on: 'cache' | 'cdn', path: string, request: IncomingMessage, response: ServerResponse): void {
    const content = this.files.get(path)!.content;
    const fault = this.#fault(on, path);
    if (fault?.kind === 'status') return void response.writeHead(fault.status, fault.headers).end();
    const match = /^bytes=(\d+)-$/.exec(request.headers.range ?? '');
    const whole = fault?.kind === 'ignore-range' || (fault?.kind === 'cut' && fault.ignoreRange === true);
    const from = whole || match === null ? 0 : Number(match[1]);
    if (from >= content.length && from > 0) return void response.writeHead(416).end();
    let body = content.subarray(from);
    if (fault?.kind === 'flip' && fault.at >= from) {
      body = Buffer.from(body);
      body[fault.at - from]! ^= 1;
    }
    if (fault?.kind === 'longer') body = Buffer.concat([body, Buffer.alloc(fault.by)]);
    const tag = on === 'cdn' ? `"${createHash('md5').update(content).digest('hex')}"` : `"${gitSha1(content)}"`;
    const unsaid = fault?.kind === 'longer';
    response.writeHead(from > 0 ? 206 : 200, {
      ETag: tag,
      ...(on === 'cache' ? { 'X-Repo-Commit': this.commit } : {}),
      ...(unsaid ? {} : { 'Content-Length': fault?.kind === 'length' ? fault.bytes : body.length }),
      ...(from > 0 ? { 'Content-Range': `bytes ${from}-${content.length - 1}/${content.length}` } : {}),
      ...(fault?.kind === 'headers' ? fault.set : {}),
    });
    this.#send(body, fault, response);
  }

  #send(body: Buffer, fault: Fault | undefined, response: ServerResponse): void {
    const holds = fault?.kind === 'cut' || fault?.kind === 'stall';
    const end = holds ? Math.min(fault.after, body.length) : body.length;
    response.write(body.subarray(0, end), () => {
      this.#sent += end;
      this.onSent(this.#sent);
      if (fault?.kind === 'cut') response.destroy();
      else if (fault?.kind === 'stall') {
        response.once('close', () => {
          this.stalled = false;
        });
        this.stalled = true;
        this.onStall();
      } else response.end();
    });
  }

  #fault(on: ScriptedFault['on'], path: string | undefined): Fault | undefined {
    const index = this.script.findIndex((step) => step.on === on && (step.path === undefined || step.path === path));
    const step = this.script[index];
    if (step === undefined) return undefined;
    step.times = (step.times ?? 1) - 1;
    if (step.times <= 0) this.script.splice(index, 1);
    return step.fault;
  }

  #see(server: SeenRequest['server'], request: IncomingMessage, path: string, file: string | undefined): void {
    const { authorization, range } = request.headers;
    const ifRange = request.headers['if-range'];
    this.requests.push({ server, path, file, range, authorization, ifRange: ifRange?.toString() });
  }
}

export interface Listing {
  id: string;
  sha: string;
  siblings: { rfilename: string; size?: number; blobId?: string; lfs?: { sha256?: string; size?: number } }[];
  cardData: unknown;
  gated: boolean;
}

export function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

export function gitSha1(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** Bytes that look random and are the same every time. */
export function noise(bytes: number, seed: number): Buffer {
  const content = Buffer.alloc(bytes);
  let state = seed;
  for (let index = 0; index < bytes; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    content[index] = state >>> 24;
  }
  return content;
}

const json = (value: unknown): HubFile => ({ content: Buffer.from(JSON.stringify(value)), lfs: false });

/** A small model with what real ones have: settings in git, graphs and tokenizer in LFS, data in shards, and the rest. */
export function tinyModel(): Record<string, HubFile> {
  return {
    '.gitattributes': { content: Buffer.from('*.onnx filter=lfs\n'), lfs: false },
    'README.md': { content: Buffer.from('# Tiny\n'), lfs: false },
    'config.json': json({ model_type: 'qwen2', eos_token_id: 2, vocab_size: 16 }),
    'generation_config.json': json({ eos_token_id: [2, 3] }),
    'tokenizer.json': { content: noise(40_000, 1), lfs: true },
    'tokenizer_config.json': json({ chat_template: '{{ messages }}' }),
    'special_tokens_map.json': json({ eos_token: '</s>' }),
    'onnx/model.onnx': { content: noise(5000, 2), lfs: true },
    'onnx/model_q4.onnx': { content: noise(150_000, 3), lfs: true },
    'onnx/model_q4.onnx_data': { content: noise(90_000, 4), lfs: true },
    'onnx/model_q4.onnx_data_1': { content: noise(30_000, 5), lfs: true },
    'onnx/model_q4f16.onnx': { content: noise(7000, 6), lfs: true },
    'pytorch_model.bin': { content: noise(9000, 7), lfs: true },
  };
}
