// Reads HAR 1.2 as browsers, Playwright, Polly, mitmproxy and Charles write it.

import { isTree, type Tree } from '../../core/tree.js';
import { scrubbed } from './callers.js';
import type { RecordedExchange, Recording } from './exchange.js';
import { textOf } from './fields.js';

/** Whether a parsed file is HAR. */
export function isHar(file: unknown): file is { log: { entries: unknown[] } } {
  return isTree(file) && isTree(file.log) && Array.isArray(file.log.entries);
}

/** The exchanges of a HAR, in the order of its entries. */
export function readHar({ log }: { log: Tree }): Recording {
  const exchanges = (log.entries as unknown[]).flatMap((entry, index) => exchangeOf(entry, index) ?? []);
  return recordingOf(log, exchanges);
}

/** A HAR of which the entries were read one by one. */
export function recordingOf(log: Tree, exchanges: RecordedExchange[]): Recording {
  const limits: string[] = [];
  if (creatorOf(log).startsWith('Polly')) limits.push('Polly records no request that got no answer');
  return { format: `HAR of ${creatorOf(log)}`, exchanges, limits };
}

/**
 * The exchange of one entry; undefined: the entry is none of the platform's protocol (a preflight, a socket).
 *
 * @param attached the text of a file that Playwright has written beside it (`content: attach`)
 */
export function exchangeOf(
  entry: unknown,
  index: number,
  attached: (name: string) => string | undefined = () => undefined,
): RecordedExchange | undefined {
  if (!isTree(entry)) return undefined;
  const { request, response = {}, startedDateTime } = entry;
  if (!isTree(request) || !isTree(response) || typeof request.url !== 'string') return undefined;
  const method = textOf(request.method).toUpperCase();
  if (method === 'OPTIONS' || method === '' || !/^https?:/i.test(request.url)) return undefined;
  const sentAt = Date.parse(textOf(startedDateTime));
  // Playwright writes -1 where no answer came, browsers 0.
  const status = typeof response.status === 'number' && response.status > 0 ? response.status : 0;
  const failure = [response._failureText, response._error].find((one) => typeof one === 'string' && one !== '');
  return {
    index,
    sentAt: Number.isNaN(sentAt) ? null : sentAt,
    ms: lengthOf(entry),
    method,
    url: request.url,
    headers: headersOf(request.headers),
    body: bodyOf(request, attached),
    status,
    ...((status === 0 || failure !== undefined) && { failure: textOf(failure) || 'no answer' }),
    answer: headersOf(response.headers),
    text: status === 0 ? '' : contentOf(response, attached),
  };
}

// The sum of the parts is what Polly means by `time`, and where `time` is missing.
function lengthOf({ time, timings }: Tree): number | null {
  if (typeof time === 'number' && time > 0) return time;
  const parts = isTree(timings) ? Object.values(timings) : [];
  const known = parts.filter((part): part is number => typeof part === 'number' && part > 0);
  return known.length === 0 ? null : known.reduce((sum, part) => sum + part, 0);
}

function headersOf(pairs: unknown): Record<string, string> {
  if (!Array.isArray(pairs)) return {};
  const known = pairs.filter((pair): pair is Tree => isTree(pair) && typeof pair.name === 'string');
  return Object.fromEntries(known.map(({ name, value }) => [textOf(name).toLowerCase(), textOf(value)]));
}

function bodyOf({ postData, bodySize }: Tree, attached: (name: string) => string | undefined): string | null {
  // One that was not recorded still has its size.
  const none = typeof bodySize === 'number' && bodySize > 0 ? null : '';
  if (!isTree(postData)) return none;
  const { text, params, _file } = postData;
  if (typeof text === 'string' && text !== '') return text;
  if (typeof _file === 'string') return attached(_file) ?? null;
  if (!Array.isArray(params) || params.length === 0) return none;
  const fields = params.filter(isTree).map(({ name, value }): [string, string] => [textOf(name), textOf(value)]);
  return new URLSearchParams(fields).toString();
}

function contentOf({ content, bodySize }: Tree, attached: (name: string) => string | undefined): string | null {
  if (!isTree(content)) return null;
  const { text, encoding, size, _file } = content;
  if (typeof _file === 'string') return attached(_file) ?? null;
  if (typeof text === 'string') return encoding === 'base64' ? Buffer.from(text, 'base64').toString('utf8') : text;
  return size === 0 || (size === undefined && bodySize === 0) ? '' : null;
}

function creatorOf({ creator }: Tree): string {
  const { name, version } = isTree(creator) ? creator : {};
  return scrubbed(`${textOf(name) || 'an unknown program'} ${textOf(version)}`.trim()).slice(0, 100);
}
