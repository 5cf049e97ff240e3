// Pending journal entries: references to a request's parts, turned into an entry without secrets when one is needed.

import { createHash } from 'node:crypto';
import { inOneOrder } from '../../core/json.js';
import { maxBodyBytes, maxLookedAt, type Redactor } from '../../core/redact.js';
import type { OpenConnection } from '../../http/connections.js';
import type { Finding } from '../../http/request-context.js';
import type { World } from '../../world/world.js';
import type { JournalEntry } from './journal-entry.js';

/** The fields of an entry that are the request's own. */
type Facts = Pick<
  JournalEntry,
  'seq' | 'requestId' | 'at' | 'wall' | 'method' | 'path' | 'operation' | 'status' | 'durationMs' | 'caller'
> &
  Pick<JournalEntry, 'organizationId' | 'keyId' | 'errorCode' | 'fault' | 'outcome'> &
  Required<Pick<JournalEntry, 'begunAt' | 'endedAt'>>;

/**
 * A request with its secrets still in it: kept in memory until it is stored (its headers until another request comes by its
 * connection).
 */
export interface PendingEntry extends Facts {
  kind: 'raw';
  /** The URL as it came; the query is read from it. */
  url: string;
  /** The thing that the path names: its parameter `id`, or the first one. */
  named: string | undefined;
  /** The connection that it came by. */
  connection: OpenConnection;
  /** How many other connections its caller had open. */
  otherConnections: number;
  /** How many requests had come by the connection before. */
  earlierRequests: number;
  /** Top-level fields of the body that its endpoint declares secret. */
  secrets: readonly string[] | undefined;
  happened: boolean;
  findings: readonly Finding[] | undefined;
  warnings: readonly string[];
  /** Names and values alternately, as received. */
  requestHeaders: readonly string[];
  requestBody: string | undefined;
  responseHeaders: Record<string, unknown>;
  responseBody: string | undefined;
  /** Facts about bodies that were cut on arrival. */
  cut?: { requestLength?: number; requestHash?: string; requestHoldsLive?: boolean; responseLength?: number };
  formName?: string | undefined;
  /** The body is still being read: an entry that is made now lacks it. */
  isArriving?: boolean;
  /** The entry, once made. */
  entry?: JournalEntry;
}

interface BodyHashing {
  redactor: Redactor;
  /** A hash that cannot be computed outside of this world. */
  hash: (text: string) => string;
}

/** The context that the journal needs to make entries. */
export interface RedactionContext extends BodyHashing {
  /** Live keys are an error of the client. */
  refusesLive: boolean;
}

/** How the journal of a world hashes: equal for equal bodies. */
export const bodyHashing = ({ redactor, random }: World): BodyHashing => ({
  redactor,
  hash: (text) => random.hex('request-body', text),
});

/** The hash of a body, whatever the order of its fields. */
export function bodyHashOf(body: string, { redactor, hash }: BodyHashing): string {
  return hash(redactor.withoutLive(inOneOrder(body)));
}

/** Releases long bodies at once: those of a ring would fill the memory. */
export function shorten(raw: PendingEntry, tools: () => RedactionContext): void {
  const { requestBody = '', responseBody = '' } = raw;
  if (requestBody.length > maxLookedAt) {
    const { redactor } = tools();
    raw.cut = {
      ...raw.cut,
      requestLength: requestBody.length,
      requestHash: createHash('sha256').update(requestBody).digest('hex'),
      requestHoldsLive: redactor.findsLive(requestBody),
    };
    raw.requestBody = beginning(requestBody);
  }
  if (responseBody.length > maxLookedAt) {
    raw.cut = { responseLength: responseBody.length, ...raw.cut };
    raw.responseBody = beginning(responseBody);
  }
}

// A part alone would keep the whole text in memory.
function beginning(text: string): string {
  return Buffer.from(text.slice(0, maxLookedAt)).toString();
}

// Retry-After is a number of seconds, or the date of an HTTP header, which clients compare with the machine's clock.
function waitOf(told: string | undefined, wall: number): number | null {
  if (told === undefined || told === '') return null;
  const seconds = Number(told);
  if (Number.isFinite(seconds)) return seconds;
  const until = Date.parse(told);
  return Number.isNaN(until) ? null : Math.max(0, Math.ceil((until - wall) / 1_000));
}

/** The most characters that are kept of these: what is longer is cut. */
export const keptOf = { path: 500, query: 2_000, header: 2_000 } as const;

/** The entry of a request, without its secrets. */
export function entryOf(raw: PendingEntry, tools: RedactionContext): JournalEntry {
  if (raw.entry !== undefined) return raw.entry;
  const { redactor } = tools;
  const requestHeaders = readRequestHeaders(raw.requestHeaders);
  const responseHeaders = readResponseHeaders(raw.responseHeaders);
  const { text } = redactor;
  const query = queryOf(raw.url);
  const warnings = keptWarnings(raw.warnings.map(text));
  const wait = waitOf(responseHeaders['retry-after'], raw.wall);
  const payment = requestHeaders['payment-signature'] ?? requestHeaders['x-payment'];
  const entry: JournalEntry = {
    kind: 'request',
    seq: raw.seq,
    requestId: raw.requestId,
    at: raw.at,
    wall: raw.wall,
    method: raw.method,
    path: text(raw.path.slice(0, 2_000)).slice(0, keptOf.path),
    query: redactor.query(query).slice(0, keptOf.query),
    operation: raw.operation,
    subject: subjectOf(raw, text),
    status: raw.status,
    durationMs: raw.durationMs,
    begunAt: raw.begunAt,
    endedAt: raw.endedAt,
    caller: raw.caller,
    organizationId: raw.organizationId,
    keyId: raw.keyId,
    errorCode: raw.errorCode,
    retryAfter: wait,
    fault: raw.fault,
    outcome: raw.outcome,
    ...(raw.happened && (raw.outcome === 'lost' || raw.outcome === 'aborted') && { happened: true }),
    connection: {
      number: raw.connection.number,
      openedAt: raw.connection.openedAt,
      others: raw.otherConnections,
      earlier: raw.earlierRequests,
    },
    findings: findingsOf(raw, query, requestHeaders, tools),
    warnings,
    assumptions: responseHeaders['x-emulator-assumption']?.split(', ') ?? [],
    requestHeaders: redacted(requestHeaders, redactor),
    requestBody: requestBodyOf(raw, requestHeaders, redactor, Buffer.byteLength(warnings.join(''))),
    requestBodyHash: requestHashOf(raw, tools),
    responseHeaders: redacted(responseHeaders, redactor),
    responseBody: responseBodyOf(raw, responseHeaders, redactor),
    ...(payment !== undefined && { paymentHash: tools.hash(payment) }),
    ...(raw.formName !== undefined && { formName: text(raw.formName) }),
  };
  if (raw.isArriving !== true) raw.entry = entry;
  return entry;
}

function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark);
}

function readRequestHeaders(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    const before = Object.hasOwn(headers, name) ? `${headers[name]}, ` : '';
    if (name !== '__proto__') headers[name] = before + (raw[i + 1] ?? '');
  }
  return headers;
}

function readResponseHeaders(raw: PendingEntry['responseHeaders']): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(raw)) {
    headers[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : String(value);
  }
  return headers;
}

function redacted(headers: Record<string, string>, redactor: Redactor): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    result[redactor.text(name).slice(0, 200)] = redactor.header(name, value).slice(0, keptOf.header);
  }
  return result;
}

// Warnings repeat parts of the request: the total of both is bounded.
const maxWarningBytes = maxBodyBytes / 2;

function keptWarnings(warnings: readonly string[]): string[] {
  let bytes = 0;
  const kept = warnings.filter((text) => {
    bytes += Buffer.byteLength(text);
    return bytes <= maxWarningBytes;
  });
  return kept.length === warnings.length ? kept : [...kept, `and ${warnings.length - kept.length} more warnings`];
}

function requestBodyOf(
  raw: PendingEntry,
  headers: Record<string, string>,
  redactor: Redactor,
  taken: number,
): string | null {
  const { requestBody, secrets, errorCode, cut } = raw;
  if (requestBody === '') return null;
  if (requestBody !== undefined && !isForm(requestBody, headers)) {
    return redactor.body(requestBody, {
      secrets,
      damaged: errorCode === 'INVALID_JSON',
      form: /^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? ''),
      length: cut?.requestLength,
      taken,
    });
  }
  const { 'content-length': length = '', 'transfer-encoding': chunked } = headers;
  return /^[1-9]/.test(length) || chunked !== undefined ? described(headers, redactor) : null;
}

// The parts of a form hold their secrets where a search for names beside values misses them.
function isForm(body: string, { 'content-type': type = '' }: Record<string, string>): boolean {
  return /^multipart\//i.test(type) || /^\s*--[^\r\n]*\r?\ncontent-disposition:/i.test(body);
}

function requestHashOf({ requestBody, cut }: PendingEntry, tools: RedactionContext): string | null {
  if (cut?.requestHash !== undefined) return tools.hash(cut.requestHash);
  if (requestBody === undefined || requestBody === '') return null;
  return bodyHashOf(requestBody, tools);
}

function responseBodyOf(raw: PendingEntry, headers: Record<string, string>, redactor: Redactor): string | null {
  const { responseBody, outcome, method, cut } = raw;
  if (responseBody !== undefined)
    return responseBody === '' || method === 'HEAD'
      ? null
      : redactor.body(responseBody, { answer: true, length: cut?.responseLength });
  return outcome === 'streaming' || headers['content-type'] === undefined ? null : described(headers, redactor);
}

// A placeholder for a body that is not text, or was not read.
function described(headers: Record<string, string>, redactor: Redactor): string {
  const type = (headers['content-type'] ?? 'no type').split(';', 1)[0] ?? '';
  const length = headers['content-length'];
  return `<${redactor.text(type.slice(0, 100))}${length === undefined ? '' : `, ${length.slice(0, 20)} bytes`}>`;
}

function subjectOf(raw: PendingEntry, clean: (text: string) => string): string | null {
  const subject = raw.named ?? (raw.method === 'POST' && raw.status >= 200 && raw.status < 300 ? createdId(raw) : null);
  return subject === null ? null : clean(subject.slice(0, 200));
}

// The first part of the response identifies what the operation created: `id`, or `id` of the record.
function createdId({ operation, responseBody }: PendingEntry): string | null {
  if (operation === null || responseBody === undefined) return null;
  return /"id":"([^"\\]{1,200})"/.exec(responseBody)?.[1] ?? null;
}

// What the platform itself asks clients for: the address of a pairing's page has its token, which can be used once, and a
// key that has revoked itself may do so again.
const asksFor: Readonly<Record<string, Finding>> = {
  'pairing.page': 'secret-in-url',
  'pairing.submit': 'secret-in-url',
  'keys.deleteCurrent': 'expired-credential',
};

function findingsOf(
  raw: PendingEntry,
  query: string,
  headers: Record<string, string>,
  tools: RedactionContext,
): Finding[] {
  const { redactor, refusesLive } = tools;
  const findings = new Set<Finding>(raw.findings);
  if (redactor.findsInQuery(query) || redactor.finds(raw.path)) findings.add('secret-in-url');
  if (refusesLive) {
    // The header that identified the caller held a key that this emulator issued.
    const known = raw.keyId === null ? undefined : headers['x-api-key']?.trim() ? 'x-api-key' : 'authorization';
    const others = Object.entries(headers).filter(([name]) => name !== known);
    const inBody = raw.cut?.requestHoldsLive ?? redactor.findsLive(raw.requestBody ?? '');
    if (inBody || redactor.findsLive(raw.url) || others.some(([, value]) => redactor.findsLive(value)))
      findings.add('live-key');
  }
  // A strict world refuses what other worlds only warn about.
  if (raw.errorCode === 'VALIDATION_ERROR' && raw.responseBody?.includes('"message":"is unknown') === true)
    findings.add('unknown-field');
  const asked = asksFor[raw.operation ?? ''];
  if (asked !== undefined) findings.delete(asked);
  return [...findings];
}
