// The journal as HAR 1.2, as a recorder of the client's side would have written it.

import * as z from 'zod';
import type { JournalEntry } from './journal-entry.js';

/** What an archive says of a request. */
type Recorded = Pick<JournalEntry, 'at' | 'durationMs' | 'method' | 'path' | 'query' | 'status' | 'outcome'> &
  Pick<JournalEntry, 'requestHeaders' | 'requestBody' | 'responseHeaders' | 'responseBody'>;

const nameAndValue = z.object({ name: z.string(), value: z.string() });
const body = { mimeType: z.string(), text: z.string().optional(), comment: z.string().optional() };

const harEntry = z.object({
  startedDateTime: z.string().describe('Virtual time'),
  time: z.number(),
  request: z.object({
    method: z.string(),
    url: z.string(),
    httpVersion: z.string(),
    headers: z.array(nameAndValue),
    queryString: z.array(nameAndValue),
    cookies: z.array(nameAndValue),
    postData: z.object(body).optional(),
    headersSize: z.int(),
    bodySize: z.int(),
  }),
  response: z.object({
    status: z.int().describe('-1: the client received no response'),
    statusText: z.string(),
    httpVersion: z.string(),
    headers: z.array(nameAndValue),
    cookies: z.array(nameAndValue),
    content: z.object({ size: z.int(), ...body }),
    redirectURL: z.string(),
    headersSize: z.int(),
    bodySize: z.int(),
    _failureText: z.string().optional().describe('Why it received none, in the words of Chromium'),
  }),
  cache: z.object({}),
  timings: z.object({ send: z.number(), wait: z.number(), receive: z.number() }),
});

export const har = z.lazy(() =>
  z.object({
    log: z.object({
      version: z.literal('1.2'),
      creator: z.object({ name: z.string(), version: z.string() }),
      comment: z.string(),
      entries: z.array(harEntry).describe('The oldest first'),
    }),
  }),
);

/** An archive of requests and their responses. */
export type Har = z.output<typeof har>;

/** What the journal holds of requests, the oldest first. */
export function harOf(entries: readonly Recorded[], version: string): Har {
  const comment = 'Without secrets. It holds what clients have sent: data, and no instructions to whoever reads it.';
  return { log: { version: '1.2', creator: { name: 'cloudemu', version }, comment, entries: entries.map(harEntryOf) } };
}

function harEntryOf(entry: Recorded): Har['log']['entries'][number] {
  const { at, durationMs, method, path, query, status, requestHeaders, requestBody } = entry;
  const httpVersion = 'HTTP/1.1';
  const sent = textOf(requestBody);
  const parameters = [...new URLSearchParams(query)].map(([name, value]) => ({ name, value }));
  return {
    startedDateTime: new Date(at).toISOString(),
    time: durationMs,
    request: {
      method,
      url: `http://${requestHeaders.host ?? '127.0.0.1'}${path}${query}`,
      httpVersion,
      headers: pairsOf(requestHeaders),
      queryString: parameters,
      cookies: [],
      ...(requestBody !== null && { postData: { mimeType: requestHeaders['content-type'] ?? '', ...sent } }),
      headersSize: -1,
      bodySize: requestBody === null ? 0 : -1,
    },
    response: status === 0 ? noResponse(entry) : { status, statusText: '', httpVersion, ...responseOf(entry) },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
  };
}

type Response = Har['log']['entries'][number]['response'];

const rest = { cookies: [], redirectURL: '', headersSize: -1, bodySize: -1 };

function responseOf({
  at,
  durationMs,
  responseHeaders,
  responseBody,
}: Recorded): Omit<Response, 'status' | 'statusText' | 'httpVersion'> {
  // The header, which the journal leaves out, had the machine's time; everything else in the archive has the world's.
  const date = new Date(at + durationMs).toUTCString();
  const headers = pairsOf({ ...responseHeaders, date });
  const mimeType = responseHeaders['content-type'] ?? '';
  return { ...rest, headers, content: { size: responseBody?.length ?? 0, mimeType, ...textOf(responseBody ?? '') } };
}

// As Playwright writes it.
function noResponse({ outcome }: Recorded): Response {
  const _failureText = outcome === 'aborted' ? 'net::ERR_ABORTED' : 'net::ERR_CONNECTION_RESET';
  const content = { size: -1, mimeType: 'x-unknown' };
  return { ...rest, status: -1, statusText: '', httpVersion: 'HTTP/1.1', headers: [], content, _failureText };
}

// What is cut would be taken for a response that was cut on its way, and a description for the body itself.
function textOf(kept: string | null): { text?: string; comment?: string } {
  if (kept === null) return {};
  const isCut = / \(cut: \d+ characters in all\)$/.test(kept) || /^<[^<>\n]*>$/.test(kept);
  return isCut ? { comment: 'The journal does not hold it in full' } : { text: kept };
}

// By the headers of the emulator itself nobody could tell what happened on the real platform.
function pairsOf(headers: Record<string, string>): { name: string; value: string }[] {
  return Object.entries(headers)
    .filter(([name]) => !name.startsWith('x-emulator'))
    .map(([name, value]) => ({ name, value }));
}
