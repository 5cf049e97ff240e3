// Calls of the control plane: one request each, an answer or an error that says what was wrong.

import type { IncomingMessage } from 'node:http';
import { ApiError, type ErrorCode, errorTable, type FieldProblem, problemLines } from '../core/errors.js';
import { parsedJson } from '../core/json.js';
import { isTree } from '../core/tree.js';
import { wholePath } from './base-url.js';
import type { MethodShape } from './operation.js';
import { asOption, nameIn, noSuch, objectOf, refused } from './options.js';
import { eventsOf, request, type Sending, textOf } from './request.js';

interface CallOptions {
  /** The values of `{id}` or `{name}` in the path. */
  params?: Record<string, unknown> | undefined;
  query?: object | undefined;
  body?: unknown;
  /** The number of the last record that the reader of a stream has. */
  after?: number | string | undefined;
  signal?: AbortSignal | undefined;
}

/** How the control plane of a world is reached. */
export interface Caller {
  /**
   * Calls an operation; a list is returned without the object that wraps it.
   *
   * @param path as the control operation declares it, below `/_emulator`
   * @throws ApiError as the controls themselves do
   */
  call<Result>(method: MethodShape['method'], path: string, options?: CallOptions): Promise<Result>;
  /** The data of a stream's events, as they come. */
  events<Item>(path: string, options?: CallOptions): AsyncGenerator<Item, void, undefined>;
}

/**
 * Calls the control plane at `base`, with the token if there is one.
 *
 * @param whole the operations whose paths have no parameter, as `GET /requests/stream`
 */
export function createCaller(base: string, token: string | undefined, whole: ReadonlySet<string>): Caller {
  async function send(method: string, operation: string, options: CallOptions): Promise<Asked> {
    const { params = {}, query, body, after, signal } = options;
    // Half a character cannot be encoded; no name has one.
    const encoded = (name: string): string =>
      encodeURIComponent(nameIn(params, name).replace(/\p{Surrogate}/gu, '\ufffd'));
    const path = operation.replace(/\{(\w+)\}/g, (_, name: string) => encoded(name));
    const sending: Sending = {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(after !== undefined && { 'last-event-id': String(after) }),
      },
      ...(body !== undefined && { body: jsonOf(body) }),
      ...(signal !== undefined && { signal }),
    };
    // A proxy may shorten some paths: to remove the fault "." would remove them all. Others are those of other operations:
    // the request "stream" would be the stream of all requests, which never ends.
    const meansAnother = path !== operation && whole.has(`${method} ${path}`);
    const [name = ''] = Object.keys(params).filter((one) => meansAnother || /^\.{0,2}$/.test(nameIn(params, one)));
    if (name !== '') throw noSuch(`thing with the ${name}`, params[name]);
    // A whole path names its world itself.
    const root = path.startsWith('/w/') ? base.replace(/\/w\/[^/]*$/, '') : base;
    const url = `${root}${wholePath(path)}${queryOf(query)}`;
    let answer: IncomingMessage;
    try {
      answer = await request(url, sending);
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      throw new Error(
        `No emulator answers at ${base}: start one with \`cloudemu start\`, or name one with CLOUDEMU_URL`,
        {
          cause: error,
        },
      );
    }
    const { statusCode: status = 0, headers } = answer;
    if (status < 200 || status > 299) {
      const target = headers.location === undefined ? '' : `, and redirects to ${headers.location}`;
      throw errorOf(await wholeText(answer, signal), isOther(url, `it returned ${status}${target}`));
    }
    return { answer, url };
  }
  async function wholeText(answer: IncomingMessage, signal: AbortSignal | undefined): Promise<string> {
    return textOf(answer).catch((error: unknown) => {
      throw brokenOff(error, signal);
    });
  }
  // Node says no more than "aborted", as if the caller had done it.
  function brokenOff(error: unknown, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted === true) return signal.reason;
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') return error;
    return new Error(`The emulator at ${base} closed the connection before its whole answer had come`, {
      cause: error,
    });
  }
  return {
    async call<Result>(method: string, path: string, options: CallOptions = {}): Promise<Result> {
      const asked = await send(method, path, options);
      const answer = parsedJson(await wholeText(asked.answer, options.signal));
      if (!isTree(answer)) throw new Error(isOther(asked.url, 'its answer is no JSON object'));
      const entries = answer[path.slice(path.lastIndexOf('/') + 1)];
      const isList = Array.isArray(entries) && Object.keys(answer).length === 2 && 'total' in answer;
      return (isList ? entries : answer) as Result;
    },
    async *events<Item>(path: string, options: CallOptions = {}): AsyncGenerator<Item, void, undefined> {
      try {
        const { answer, url } = await send('GET', path, options);
        const type = answer.headers['content-type'] ?? stream;
        if (!type.startsWith(stream)) throw new Error(isOther(url, `its answer is ${type}, no stream`));
        for await (const { data } of eventsOf(answer)) yield JSON.parse(data) as Item;
      } catch (error) {
        // A caller that stops iterating needs no further items.
        if (options.signal?.aborted !== true) throw brokenOff(error, options.signal);
      }
    },
  };
}

/** An answer, and the URL that gave it. */
interface Asked {
  answer: IncomingMessage;
  url: string;
}

const isOther = (url: string, why: string): string => `What answered at ${url} is not cloudemu: ${why}`;

const stream = 'text/event-stream';

function jsonOf(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch {
    throw refused({ path: 'body', message: 'must be what JSON can hold: no BigInt, nothing that contains itself' });
  }
}

function queryOf(values: unknown): string {
  const given = Object.entries(objectOf(values)).filter(([, value]) => value !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

interface ErrorBody {
  error?: { code?: string; message?: string; details?: unknown } | string;
  code?: string;
  details?: unknown;
}

function errorOf(text: string, otherwise: string): Error {
  const body = parsedJson(text) as ErrorBody | undefined | null;
  const { code, message, details } = isTree(body?.error) ? body.error : { ...body, message: body?.error };
  if (code === undefined || !Object.hasOwn(errorTable, code)) return new Error(otherwise);
  const told = Array.isArray(details) ? (details as FieldProblem[]).map(asOption) : details;
  // The message of other errors says what is in the way, and their details add to it.
  const lines = code === 'VALIDATION_ERROR' ? problemLines(told) : undefined;
  return new ApiError(code as ErrorCode, { message: lines?.join('\n') ?? message, details: told });
}
