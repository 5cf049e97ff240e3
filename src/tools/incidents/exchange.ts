// What a recording says, whatever its format: one request and its answer. Everything after the readers knows only this form.

import { isTree, type Tree } from '../../core/tree.js';

/** A request and its answer as a reader of a format gives it, with whatever secrets the recording holds. */
export interface RecordedExchange {
  /** The number of the entry in its file, from 0. */
  index: number;
  /** By the client's clock, in ms; null: the recording has no times, only an order. */
  sentAt: number | null;
  /** How long it took; null: the recording does not say. */
  ms: number | null;
  method: string;
  /** A whole URL, or a path with its query where the recording names no host. */
  url: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** '': there was none; null: the recording does not say. */
  body: string | null;
  /** 0: no answer came. */
  status: number;
  /** Why no answer came: net::ERR_CONNECTION_RESET, ECONNRESET, ETIMEDOUT, aborted by the client. */
  failure?: string;
  /** Logs of a proxy and spans of a server: what the platform itself answered. */
  upstreamStatus?: number;
  /** Spans: how often the library had sent the same request before. */
  resent?: number;
  /** The headers of the answer, names in lower case. */
  answer: Record<string, string>;
  /** The body of the answer; null: the recording does not say. */
  text: string | null;
}

/** What a reader gives. */
export interface Recording {
  /** The format in words: "HAR of Playwright". */
  format: string;
  exchanges: RecordedExchange[];
  /** What the format cannot say, in sentences: "This format holds no bodies". */
  limits: string[];
}

/** An exchange without secrets, of the platform alone. */
export interface Exchange extends Omit<RecordedExchange, 'url' | 'sentAt' | 'ms'> {
  sentAt: number;
  ms: number;
  /** When the platform acted, on its own clock. */
  actedAt: number;
  /** "caller 1": whose credential it had. */
  caller: string;
  path: string;
  /** With its question mark, or empty. */
  query: string;
  /** The operation that the route belongs to; null: none that the emulator knows. */
  operation: string | null;
}

/** Whether an exchange is a write: what it did stays. */
export const isWrite = ({ method }: Pick<Exchange, 'method'>): boolean => method !== 'GET' && method !== 'HEAD';

/** Whether the platform did what it was asked. */
export const succeeded = ({ status }: Pick<Exchange, 'status'>): boolean => status >= 200 && status < 300;

/** Whether events came, one after the other. */
export const isStream = ({ answer }: Pick<Exchange, 'answer'>): boolean =>
  /event-stream/.test(answer['content-type'] ?? '');

/** The object of JSON that an answer is, read each time: those of a long recording would fill the memory. */
export const answerOf = ({ text }: Exchange): Tree | undefined => treeIn(text);

/** The object of JSON in a text. */
export function treeIn(text: string | null): Tree | undefined {
  if (text === null || !/^\s*\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isTree(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** All objects in a value, outer ones first, to a depth. */
export function treesIn(value: unknown, depth = 5): Tree[] {
  if (depth === 0) return [];
  if (Array.isArray(value)) return value.flatMap((one) => treesIn(one, depth - 1));
  return isTree(value) ? [value, ...Object.values(value).flatMap((one) => treesIn(one, depth - 1))] : [];
}
