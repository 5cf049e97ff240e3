// Reads spans of OpenTelemetry, as OTLP in JSON: those of clients are requests, and those of a server below them say how the
// platform ended it.

import { isTree, type Tree } from '../../core/tree.js';
import type { RecordedExchange, Recording } from './exchange.js';
import { numberOf, textOf } from './fields.js';
import { Unreadable } from './unreadable.js';

interface Span {
  trace: string;
  id: string;
  parent: string;
  kind: 'client' | 'server' | 'other';
  begunAt: number;
  endedAt: number;
  message: string;
  attributes: ReadonlyMap<string, string | number>;
}

/** Whether a document is OTLP. */
export function isSpans(document: unknown): document is { resourceSpans: unknown[] } {
  return isTree(document) && Array.isArray(document.resourceSpans);
}

/**
 * The requests of spans, in the order of time.
 *
 * @throws Unreadable where there is none of a client
 */
export function readSpans(documents: readonly { resourceSpans: unknown[] }[]): Recording {
  const spans = documents.flatMap(({ resourceSpans }) => listed(resourceSpans)).flatMap(spansOf);
  const clients = spans.filter(({ kind, attributes }) => kind === 'client' && methodOf(attributes) !== '');
  if (clients.length === 0)
    throw new Unreadable('holds no spans of kind CLIENT with http.request.method: those are the requests of a client');
  const servers = new Map(
    spans.filter(({ kind }) => kind === 'server').map((span) => [`${span.trace} ${span.parent}`, span]),
  );
  const exchanges = clients
    .sort((a, b) => a.begunAt - b.begunAt)
    .map((span, index) => exchangeOf(span, index, servers.get(`${span.trace} ${span.id}`)));
  return { format: 'spans of OpenTelemetry', exchanges, limits: ['Spans hold no credentials'] };
}

const listed = (value: unknown): Tree[] => (Array.isArray(value) ? value.filter(isTree) : []);

function spansOf({ scopeSpans, instrumentationLibrarySpans }: Tree): Span[] {
  return listed(scopeSpans ?? instrumentationLibrarySpans)
    .flatMap(({ spans }) => listed(spans))
    .map((span) => ({
      trace: textOf(span.traceId),
      id: textOf(span.spanId),
      parent: textOf(span.parentSpanId),
      kind: kinds.get(span.kind) ?? 'other',
      begunAt: milliseconds(span.startTimeUnixNano),
      endedAt: milliseconds(span.endTimeUnixNano),
      message: isTree(span.status) ? textOf(span.status.message) : '',
      attributes: new Map(listed(span.attributes).flatMap(attributeOf)),
    }));
}

const kinds = new Map<unknown, Span['kind']>([
  [2, 'server'],
  ['SPAN_KIND_SERVER', 'server'],
  [3, 'client'],
  ['SPAN_KIND_CLIENT', 'client'],
]);

// Nanoseconds, as a text: more than a number holds exactly.
const milliseconds = (value: unknown): number => Math.round((numberOf(value) ?? Number.NaN) / 1e3) / 1e3;

function attributeOf({ key, value }: Tree): [string, string | number][] {
  if (!isTree(value)) return [];
  const number = numberOf(value.intValue ?? value.doubleValue);
  return [[textOf(key), number ?? textOf(value.stringValue)]];
}

// The names of today's conventions, and of those before 2023.
const methodOf = (attributes: Span['attributes']): string =>
  String(attributes.get('http.request.method') ?? attributes.get('http.method') ?? '').toUpperCase();

const statusOf = ({ attributes }: Span): number | undefined =>
  numberOf(attributes.get('http.response.status_code') ?? attributes.get('http.status_code'));

function exchangeOf(span: Span, index: number, server: Span | undefined): RecordedExchange {
  const { begunAt, endedAt, attributes, message } = span;
  const ms = Math.round((endedAt - begunAt) * 1e3) / 1e3;
  const method = methodOf(attributes);
  const status = statusOf(span) ?? 0;
  const upstream = server && statusOf(server);
  const resent = numberOf(attributes.get('http.request.resend_count'));
  const agent = String(attributes.get('user_agent.original') ?? attributes.get('http.user_agent') ?? '');
  return {
    index,
    sentAt: Number.isNaN(begunAt) ? null : begunAt,
    ms: Number.isNaN(ms) ? null : Math.max(0, ms),
    method,
    url: String(attributes.get('url.full') ?? attributes.get('http.url') ?? ''),
    headers: agent === '' ? {} : { 'user-agent': agent },
    body: method === 'GET' || method === 'HEAD' || method === 'DELETE' ? '' : null,
    status,
    ...(status === 0 && { failure: String(attributes.get('error.type') ?? '') || message || 'no answer' }),
    ...(upstream !== undefined && { upstreamStatus: upstream }),
    ...(resent !== undefined && { resent }),
    answer: {},
    text: status === 0 ? '' : null,
  };
}
