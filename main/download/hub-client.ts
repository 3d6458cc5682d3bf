import { version } from '../../package.json';
import { messageOf, TokenscopeError } from '../../shared/errors.ts';
import { type HttpAnswer, httpGet, networkError } from './http-get.ts';
import { type HubAccess, isAllowed, isLoopback } from './hub-endpoint.ts';
import { type HubListing, listingSchema, type WantedFile } from './hub-listing.ts';
import { checkLinked } from './linked-headers.ts';
import { Retry, retryAfterMs, Transient, watched } from './retry.ts';
import type { DownloadServices } from './services.ts';

/** The hub takes two or three hops: a renamed repository, its own cache, a file server. */
const MOST_REDIRECTS = 5;
/** The listing of a large repository has a few hundred kilobytes. */
const MOST_LISTING_BYTES = 16 * 1024 * 1024;

/** The part of a file that a server sends, from `start` to the end. */
export interface FileAnswer {
  body: HttpAnswer['body'];
  start: number;
  /** Git's hash of the file, where the hub named one. */
  blobSha1: string | null;
  /** The server that sends it, for messages. Never the whole address, which is signed. */
  url: URL;
}

/** A server did not give the range that was asked for: what is there already is of no use with it. */
export class BadRange extends Transient {}

/** What is asked of a model hub: which commit a name is, what a commit holds, and the bytes of a file. */
export class HubClient {
  readonly #access: HubAccess;
  readonly #services: DownloadServices;

  constructor(access: HubAccess, services: DownloadServices) {
    this.#access = access;
    this.#services = services;
  }

  get host(): string {
    return this.#access.endpoint.host;
  }

  /** What the repository holds at a commit, a branch or a tag; with tries again. Throws a `download` error. */
  async listing(
    model: string,
    revision: string,
    signal: AbortSignal,
    onWait: (words: string) => void,
  ): Promise<HubListing> {
    const url = this.#url(`api/models/${model}/revision/${encodeURIComponent(revision)}`);
    url.searchParams.set('blobs', 'true');
    const retry = new Retry(this.#services, model, onWait);
    for (;;) {
      try {
        const text = await watched(this.#services, signal, async (signal, alive) => {
          const answer = await this.#follow(url, {}, signal, { model, revision }, () => undefined);
          return readText(answer.body, answer.url, alive);
        });
        return this.#parse(text, model, revision);
      } catch (error) {
        await retry.after(error, signal);
      }
    }
  }

  /**
   * The file's bytes from `from` on, or all of them where the server does not resume. What the hub says of the file on the
   * way is held against what is expected of it. Throws Transient or a `download` error.
   */
  async file(
    model: string,
    revision: string,
    file: WantedFile,
    from: number,
    signal: AbortSignal,
  ): Promise<FileAnswer> {
    const path = file.path.split('/').map(encodeURIComponent).join('/');
    const url = this.#url(`${model}/resolve/${revision}/${path}`);
    let blobSha1: string | null = null;
    const headers: Record<string, string> = from > 0 ? { Range: `bytes=${from}-` } : {};
    // Only for files that the hub itself serves: its tag is git's hash. A file server has tags of its own, which may differ
    // from machine to machine and would restart a download for nothing.
    if (from > 0 && file.blobSha1 !== null) headers['If-Range'] = `"${file.blobSha1}"`;
    const answer = await this.#follow(url, headers, signal, { model, revision, path: file.path }, (answer) => {
      blobSha1 = checkLinked(answer, file, revision, model) ?? blobSha1;
    });
    const length = answer.headers['content-length'];
    const encoding = answer.headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') {
      answer.body.destroy();
      throw new Transient(`${answer.url.host} sent the file in another encoding, ${encoding}`);
    }
    if (answer.status === 206) {
      const range = answer.headers['content-range'];
      if (range !== `bytes ${from}-${file.bytes - 1}/${file.bytes}`) {
        answer.body.destroy();
        throw new BadRange(`${answer.url.host} was asked for bytes from ${from} of ${file.bytes} and sent ${range}`);
      }
      return { body: answer.body, start: from, blobSha1, url: answer.url };
    }
    if (length !== undefined && Number(length) !== file.bytes) {
      answer.body.destroy();
      throw new Transient(`${answer.url.host} has ${length} bytes, the file has ${file.bytes}`);
    }
    return { body: answer.body, start: 0, blobSha1, url: answer.url };
  }

  /** Follows redirects by hand: each target is checked, and the token goes no further than the hub's own host. */
  async #follow(
    start: URL,
    headers: Record<string, string>,
    signal: AbortSignal,
    what: Asked,
    onHubAnswer: (answer: HttpAnswer) => void,
  ): Promise<HttpAnswer & { url: URL }> {
    const { endpoint, token } = this.#access;
    let url = start;
    let atHome = true;
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      const answer = await httpGet(
        url,
        {
          'User-Agent': `tokenscope/${version}`,
          'Accept-Encoding': 'identity',
          ...(atHome ? headers : withoutCondition(headers)),
          ...(atHome && token !== undefined ? { Authorization: `Bearer ${token}` } : {}),
        },
        signal,
      );
      const redirect = [301, 302, 303, 307, 308].includes(answer.status);
      try {
        if (!redirect && answer.status !== 200 && answer.status !== 206) {
          throw this.#problem(answer, url, atHome, what);
        }
        if (atHome) onHubAnswer(answer);
        if (!redirect) return { ...answer, url };
      } catch (error) {
        answer.body.destroy();
        throw error;
      }
      answer.body.destroy();
      url = this.#target(answer.headers.location, url);
      atHome &&= url.origin === endpoint.origin;
    }
    throw new TokenscopeError('download', `${start.host} redirects more than ${MOST_REDIRECTS} times`, {
      path: what.path ?? what.model,
    });
  }

  #target(location: string | undefined, from: URL): URL {
    let url: URL;
    try {
      url = new URL(location ?? '', from);
    } catch {
      throw new TokenscopeError('download', `${from.host} redirects to something that is no address`);
    }
    if (location === undefined || !isAllowed(url, isLoopback(this.#access.endpoint))) {
      throw new TokenscopeError(
        'download',
        `${from.host} redirects to ${url.protocol}//${url.host}, which is not safe`,
        {
          remedy: 'only https is followed',
        },
      );
    }
    url.username = '';
    url.password = '';
    return url;
  }

  #problem(answer: HttpAnswer, url: URL, atHome: boolean, what: Asked): Error {
    const { status, headers } = answer;
    if (status === 416) return new BadRange(`${url.host} does not have the range that was asked for`);
    if (status === 408 || status === 425 || status === 429 || status >= 500) {
      const wait = retryAfterMs(headers['retry-after'] ?? untilReset(headers['ratelimit']), this.#services.date());
      return new Transient(`${url.host} answered ${status}`, wait);
    }
    // The address of a file server is signed for a while. A new one comes from the hub.
    if (!atHome) return new Transient(`${url.host} answered ${status}: the address may have expired`);
    return this.#refusal(status, headers['x-error-code'], what);
  }

  #refusal(status: number, code: string | string[] | undefined, what: Asked): TokenscopeError {
    const { model, revision, path } = what;
    const page = `${this.#access.endpoint.origin}/${model}`;
    const refuse = (message: string, remedy: string) =>
      new TokenscopeError('download', message, { path: model, remedy });
    if (code === 'GatedRepo' || status === 403) {
      return refuse(
        `the hub gives this model only to those who were granted access (${status})`,
        `ask for it at ${page}, then set HF_TOKEN to a token that may read it`,
      );
    }
    if (status === 401) {
      return this.#access.token === undefined
        ? refuse('the hub shows no such model to the public (401)', `check the name; if it is private, set HF_TOKEN`)
        : refuse('the hub does not accept the token in HF_TOKEN (401)', 'check the token and the name of the model');
    }
    if (status === 404) {
      return path === undefined
        ? refuse(`there is no such model, or it has no revision ${revision} (404)`, 'check both names')
        : refuse(`${path} is listed but not there (404)`, 'run the download again later');
    }
    return refuse(`${this.host} answered ${status}`, 'try again later');
  }

  #parse(text: string, model: string, revision: string): HubListing {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      throw new TokenscopeError('download', `${this.host} does not answer as a model hub does: ${messageOf(cause)}`, {
        path: model,
        remedy: 'check HF_ENDPOINT',
      });
    }
    const parsed = listingSchema.safeParse(value);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new TokenscopeError(
        'download',
        `${this.host} does not answer as a model hub does: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
        { path: model, remedy: 'check HF_ENDPOINT' },
      );
    }
    if (isCommit(revision) && parsed.data.sha !== revision) {
      throw new TokenscopeError('download', `the hub was asked for ${revision} and answers of ${parsed.data.sha}`, {
        path: model,
      });
    }
    return parsed.data;
  }

  #url(path: string): URL {
    const { endpoint } = this.#access;
    return new URL(`${endpoint.origin}${endpoint.pathname.replace(/\/$/, '')}/${path}`);
  }
}

interface Asked {
  model: string;
  revision: string;
  path?: string;
}

export function isCommit(revision: string): boolean {
  return /^[0-9a-f]{40}$/.test(revision);
}

function withoutCondition(headers: Record<string, string>): Record<string, string> {
  const { 'If-Range': _, ...others } = headers;
  return others;
}

/** Seconds until more requests are allowed, from `RateLimit: "resolvers";r=0;t=172` (the IETF's draft, which the hub sends). */
function untilReset(rateLimit: string | string[] | undefined): string | undefined {
  return typeof rateLimit === 'string' ? /;\s*t=(\d+)/.exec(rateLimit)?.[1] : undefined;
}

async function readText(body: HttpAnswer['body'], url: URL, alive: () => void): Promise<string> {
  const blocks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const block of body) {
      if (!(block instanceof Uint8Array)) continue;
      alive();
      blocks.push(block);
      size += block.length;
      if (size > MOST_LISTING_BYTES) {
        throw new TokenscopeError('download', `${url.host} answers with more than a listing can be`);
      }
    }
  } catch (error) {
    throw error instanceof TokenscopeError ? error : networkError(error, url);
  }
  return Buffer.concat(blocks).toString('utf8');
}
