// How commands ask the control plane and the platform.

import type { IncomingMessage } from 'node:http';
import type { Config } from '../config/schema.js';
import { wholePath } from '../control/base-url.js';
import { eventsOf, request, type Sending, textOf } from '../control/request.js';
import { formatDuration } from '../core/duration.js';
import { internalHeader } from '../core/internal-request.js';
import { parsedJson } from '../core/json.js';
import { isTree, type Tree } from '../core/tree.js';
import type { TestKey } from '../platform/keys/control.js';
import type { Health } from '../tools/worlds/health.js';
import { note } from './print.js';
import { Declined, Refused, refusalIn, Unreachable } from './refusal.js';
import { demandOwn } from './shared.js';
import { byDefault, rootOf, type Target } from './target.js';

const usualTimeoutMs = 5_000;

/** Sends a request of the command's own to the platform: no limit counts it, and it is in no journal. */
export function openPlatform({ local }: Target, path: string, sending: Sending): Promise<IncomingMessage> {
  return request(local + path, { ...sending, headers: { ...sending.headers, [internalHeader]: '1' } });
}

/**
 * The same, with the whole answer.
 *
 * @throws Unreachable when nothing answers
 */
export async function askPlatform(
  target: Target,
  path: string,
  sending: Omit<Sending, 'signal'>,
): Promise<{ status: number; headers: IncomingMessage['headers']; text: string }> {
  await demandOwn(target);
  const signal = AbortSignal.timeout(usualTimeoutMs);
  try {
    const answer = await openPlatform(target, path, { ...sending, signal });
    return { status: answer.statusCode ?? 0, headers: answer.headers, text: await textOf(answer) };
  } catch {
    throw silence(target, signal, usualTimeoutMs);
  }
}

function silence({ local, from }: Target, { aborted }: AbortSignal, timeoutMs: number): Unreachable {
  if (aborted)
    return new Unreachable(`${local} (${from}) has not answered for ${formatDuration(timeoutMs)}.`, {
      code: 'NOT_ANSWERING',
    });
  if (from !== byDefault)
    return new Unreachable(`No emulator answers at ${local} (${from}). \`cloudemu start\` runs one.`);
  return new Unreachable(
    `No emulator runs in this directory, and none answers at ${local}. \`cloudemu start\` starts one; --url names one elsewhere.`,
    { code: 'NOT_RUNNING', next: [['start', '--detach']] },
  );
}

/** Calls of the control plane. */
export function createClient(target: Target, timeoutMs = usualTimeoutMs) {
  const { local, from, token, run } = target;
  // One look for each client: what answers at an address stays whose it is.
  let meant: Promise<void> | undefined;
  const mean = (): Promise<void> => {
    meant ??= demandOwn(target, timeoutMs);
    return meant;
  };
  // A server that never answers is noticed soon, however long an answer may take; a run file names an emulator that answers.
  let mayBeSilent = timeoutMs > usualTimeoutMs && run === undefined;

  async function open(
    path: string,
    sending: Omit<Sending, 'headers'> & { signal: AbortSignal },
    limitMs = timeoutMs,
  ): Promise<IncomingMessage> {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    try {
      return await request(urlOf(target, path), { ...sending, headers });
    } catch {
      throw silence(target, sending.signal, limitMs);
    }
  }

  // Any answer will do: whose it is, the answer to the call itself tells.
  async function hearAny(): Promise<void> {
    const signal = AbortSignal.timeout(usualTimeoutMs);
    const answer = await open('/health', { method: 'GET', signal }, usualTimeoutMs);
    answer.destroy();
  }

  /**
   * The response of a control operation.
   *
   * @param known fields of which an emulator's answer has at least one; none: any answer will do
   */
  async function call(method: string, path: string, content?: unknown, known: readonly string[] = []): Promise<Tree> {
    const body = content === undefined ? undefined : JSON.stringify(content);
    await mean();
    const isGuess = from === byDefault && changes(method, path, content);
    if (isGuess || mayBeSilent) await hearAny();
    // The server at the default port may not be the user's own.
    if (isGuess)
      throw new Unreachable(
        `No emulator runs in this directory. To change the one at ${local}, name it: with --url ${local}, CLOUDEMU_URL or --data-dir.`,
        { code: 'FOREIGN_EMULATOR', next: [['status', '--url', local]] },
      );
    mayBeSilent = false;
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await open(path, { method, body, signal });
    const text = await textOf(answer).catch(() => {
      throw silence(target, signal, timeoutMs);
    });
    const { statusCode: status = 0, headers } = answer;
    const parsed = parsedOf(text);
    const isOther = parsed === null || (known.length > 0 && !known.some((name) => Object.hasOwn(parsed, name)));
    if (status >= 300 || isOther) throw failureOf(status, parsed, target, path);
    const warning = headers['x-emulator-warning'];
    if (typeof warning === 'string') note(`warning: ${decodeURIComponent(warning)}`);
    return parsed;
  }
  async function send<T>(method: string, path: string, content: unknown, key: keyof T): Promise<T> {
    const answer = (await call(method, path, content)) as T;
    if (answer[key] === undefined) throw failureOf(200, null, target, path);
    return answer;
  }
  /** Calls a control operation that only reads; `key` is a field of its response. */
  const get = <T>(path: string, key: keyof T): Promise<T> => send('GET', path, undefined, key);
  return {
    call,
    get,
    /** Calls a control operation that changes something; `key` is a field of its response. */
    post: <T>(path: string, key: keyof T, body?: unknown): Promise<T> => send('POST', path, body, key),
    /** The items that a control operation streams, until the emulator ends the stream. */
    async *follow(path: string): AsyncGenerator<string> {
      await mean();
      const answer = await open(path, { method: 'GET', signal: new AbortController().signal });
      if (answer.statusCode !== 200)
        throw failureOf(answer.statusCode ?? 0, parsedOf(await textOf(answer)), target, path);
      try {
        for await (const { data } of eventsOf(answer)) yield data;
      } catch {
        throw new Unreachable(`The emulator at ${local} is no longer reachable.`);
      }
    },
    health: () => get<Health>('/health', 'version'),
    keys: async (): Promise<TestKey[]> => (await get<{ keys: TestKey[] }>('/keys', 'keys')).keys,
    config: () => get<Config & Tree>('/config', 'env'),
  };
}

// A whole path names its world itself.
function urlOf({ local }: Target, path: string): string {
  return (path.startsWith('/w/') ? rootOf(local) : local) + wholePath(path);
}

// An await that does not advance the clock changes nothing.
function changes(method: string, path: string, content: unknown): boolean {
  return method !== 'GET' && (path !== '/await' || (isTree(content) && content.advance === true));
}

function parsedOf(text: string): Tree | null {
  const parsed = parsedJson(text);
  return isTree(parsed) ? parsed : null;
}

/**
 * A query string of what is given.
 *
 * @example queryOf({ since: '10m', limit: undefined }) // '?since=10m'
 */
export function queryOf(values: Record<string, string | undefined>): string {
  const given = Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

function failureOf(status: number, body: Tree | null, target: Target, path: string): Error {
  const { local, from } = target;
  const { code, message, requestId, details } = refusalIn(body);
  if (status === 401)
    return new Refused(
      `${message ?? `${local} wants its control token`}. Name it with --token or CLOUDEMU_CONTROL_TOKEN.`,
      { code: 'UNAUTHORIZED', field: '--token' },
    );
  if (status === 403) return new Refused(message ?? `${local} refused the request (403)`, { code: 'FORBIDDEN' });
  // No world has answered.
  if (requestId === 'none') {
    const said = String(message).replace(/(?=; did you mean )|$/, ` at ${rootOf(local)}`);
    return new Unreachable(`${said}${said.endsWith('?') ? '' : '.'} \`cloudemu world list\` shows them.`, {
      code: 'NOT_FOUND',
      field: '--world',
      next: [['world', 'list', '--url', rootOf(local)]],
    });
  }
  // Answers of the control plane have this in place of a request's id.
  if (requestId === 'control') return new Declined(message ?? `${path} gave ${status}`, status, details, code);
  return new Unreachable(
    `The server at ${local} (${from}) is not cloudemu: ${urlOf(target, path)} returned ${status}.`,
    { code: 'NOT_CLOUDEMU' },
  );
}
