// Reads the logs of web servers: nginx and Apache in the combined form, and lines of JSON.

import { parsedJson } from '../../core/json.js';
import { isTree } from '../../core/tree.js';
import type { RecordedExchange, Recording } from './exchange.js';
import { numberOf, textOf } from './fields.js';
import { most, tooMany } from './unreadable.js';

const combined =
  /^\S+ [^[]*\[([^\]]{1,40})\] "([A-Z]+) ([^"\s]+)(?: [^"]*)?" (\d{3}) (?:\d+|-)(?: "(?:[^"\\]|\\.)*" "((?:[^"\\]|\\.)*)")?(.*)$/;
const longestLine = 16_384;

/** Whether a line is one of a log: in the combined form, or JSON with a status. */
export function isLogLine(line: string): boolean {
  return exchangeOf(line, 0) !== undefined;
}

/** The requests of a log, in the order of its lines. */
export function readLog(lines: Iterable<string>): Recording {
  const exchanges: RecordedExchange[] = [];
  let others = 0;
  let index = 0;
  for (const whole of lines) {
    const line = whole.trimEnd();
    const exchange = exchangeOf(line, index);
    if (exchange !== undefined) exchanges.push(exchange);
    else if (line !== '') others++;
    if (exchanges.length > most.exchanges) throw tooMany();
    index++;
  }
  const limits = ['The log holds no credentials'];
  if (others > 0) limits.push(`${others} lines of the log are none of a request, or in a form that is not known`);
  return { format: 'the log of a web server', exchanges, limits };
}

function exchangeOf(line: string, index: number): RecordedExchange | undefined {
  if (line.length > longestLine) return undefined;
  const fields = line.startsWith('{') ? fieldsOfJson(parsedJson(line)) : fieldsOfText(line);
  if (fields === undefined) return undefined;
  const { endedAt, ms, method, url, status, agent, upstream, type } = fields;
  // 499: the client had gone before it was answered; 0: the log says that nothing was sent.
  const isLost = status === 499 || status < 100;
  return {
    index,
    sentAt: Number.isNaN(endedAt) ? null : endedAt - (ms ?? 0),
    ms: ms ?? null,
    method,
    url,
    headers: agent === '' ? {} : { 'user-agent': agent },
    body: method === 'GET' || method === 'HEAD' || method === 'DELETE' ? '' : null,
    status: isLost ? 0 : status,
    ...(isLost && { failure: 'aborted by the client' }),
    ...(upstream !== undefined && { upstreamStatus: upstream }),
    answer: type === '' ? {} : { 'content-type': type },
    text: isLost ? '' : null,
  };
}

interface Fields {
  /** A server writes its line when it has answered. */
  endedAt: number;
  ms: number | undefined;
  method: string;
  url: string;
  status: number;
  agent: string;
  upstream: number | undefined;
  type: string;
}

function fieldsOfText(line: string): Fields | undefined {
  const found = combined.exec(line);
  if (found === null) return undefined;
  const [, time = '', method = '', url = '', status, agent = '', rest = ''] = found;
  const seconds = numberOf(/\b(?:request_time|rt)[=:]\s*"?([\d.]+)/.exec(rest)?.[1]);
  return {
    endedAt: commonTime(time),
    ms: seconds === undefined ? undefined : seconds * 1_000,
    method,
    url,
    status: Number(status),
    agent: agent === '-' ? '' : agent,
    upstream: lastStatus(/\b(?:upstream_status|us)[=:]\s*"?([\d, :-]+)/.exec(rest)?.[1]),
    type: '',
  };
}

// 10/Oct/2026:13:55:36 +0200
function commonTime(text: string): number {
  const [, day, month, year, time, zone] = /^(\d+)\/(\w+)\/(\d+):([\d:]+) ([+-]\d{4})$/.exec(text) ?? [];
  return Date.parse(day === undefined ? text : `${day} ${month} ${year} ${time} ${zone}`);
}

// The names of nginx's own variables first, then those that other servers and loggers use.
function fieldsOfJson(line: unknown): Fields | undefined {
  if (!isTree(line)) return undefined;
  const pick = (...names: string[]): unknown => names.map((name) => line[name]).find((value) => value !== undefined);
  const [, ofRequest = '', target = ''] = /^([A-Z]+) (\S+)/.exec(textOf(pick('request', 'requestLine'))) ?? [];
  const method = (textOf(pick('request_method', 'method', 'httpMethod')) || ofRequest).toUpperCase();
  const path = textOf(pick('request_uri', 'uri', 'url', 'path')) || target;
  const status = numberOf(pick('status', 'status_code', 'statusCode', 'response_code'));
  if (method === '' || path === '' || status === undefined) return undefined;
  const seconds = numberOf(pick('request_time', 'duration_s'));
  const host = textOf(pick('http_host', 'host', 'server_name'));
  const type = textOf(pick('sent_http_content_type', 'content_type'));
  return {
    endedAt: timeOf(pick('time_iso8601', 'time', 'timestamp', '@timestamp', 'time_local', 'msec', 'ts')),
    ms: seconds === undefined ? numberOf(pick('duration_ms', 'durationMs', 'latency_ms')) : seconds * 1_000,
    method,
    url: host === '' || /^https?:/.test(path) ? path : `${textOf(pick('scheme')) || 'https'}://${host}${path}`,
    status,
    agent: textOf(pick('http_user_agent', 'user_agent', 'userAgent')),
    upstream: lastStatus(pick('upstream_status')),
    type,
  };
}

function timeOf(value: unknown): number {
  const number = numberOf(value);
  // Seconds, or milliseconds, since the epoch.
  if (number !== undefined) return number < 1e11 ? number * 1_000 : number;
  return commonTime(textOf(value));
}

// A proxy that tried several servers names the status of each.
function lastStatus(value: unknown): number | undefined {
  const last = /(\d{3})\D*$/.exec(String(value ?? ''))?.[1];
  return last === undefined ? undefined : Number(last);
}
