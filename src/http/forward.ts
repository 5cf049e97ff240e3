// Forwards requests and WebSockets to a local port of the user's own.

import type {
  ClientRequest,
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import * as http from 'node:http';
import { createRequire } from 'node:module';
import type { Duplex } from 'node:stream';
import { afterWall } from '../core/clock.js';
import { ApiError } from '../core/errors.js';
import { controlCookieName } from './control-guard.js';
import { throwAway } from './unread-body.js';

/** A process of the user's own, and how long it may take. */
export interface UpstreamTarget {
  url: string;
  /** The time limit for the start of a response, in wall milliseconds since the last byte of the request. */
  patience: number;
  /** The setting that says so. */
  setting: string;
}

/** The target of forwarded requests, and how they are changed. */
export interface Upstream extends UpstreamTarget {
  /** Changes the headers of responses. */
  edit: (headers: OutgoingHttpHeaders) => void;
  /** Responds in place of an upstream that fails. */
  failed: (error: ApiError) => void;
}

/** Forwards a request, with bodies as streams; a response that breaks off at the upstream breaks off here. */
export function forward(req: IncomingMessage, res: ServerResponse, upstream: Upstream): Promise<void> {
  return new Promise((resolve) => {
    res.on('close', resolve);
    const sent = send(req, upstream, forwardedHeaders(req, bodyHeaders(req)));
    res.once('close', () => {
      sent.destroy();
      // Unread bytes would be taken for the connection's next request.
      throwAway(req.unpipe());
    });
    req.once('error', () => sent.destroy());
    const patience = givingUp(sent, upstream);
    req.on('data', patience.renew);
    req.pipe(sent);
    sent.once('response', (answer) => {
      patience.end();
      answer.once('error', () => res.destroy());
      // A response that has begun cannot be replaced, and ending it would make it look complete.
      answer.once('close', () => {
        if (!answer.complete) res.destroy();
      });
      const headers = endToEnd(answer.headers);
      upstream.edit(headers);
      try {
        res.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
      } catch (error) {
        // Node parses some responses that it refuses to write.
        return void sent.destroy(error as Error);
      }
      answer.pipe(res);
    });
    onFailure(sent, (error) => {
      patience.end();
      // A response that has begun reports its own failure.
      if (res.headersSent || res.destroyed) return;
      upstream.failed(failure(upstream, error));
    });
  });
}

/**
 * Forwards a WebSocket handshake and joins the two sockets.
 *
 * @returns the status of the response
 */
export function forwardUpgrade(
  req: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  upstream: Upstream,
): Promise<number> {
  return new Promise((resolve) => {
    const sent = send(req, upstream, forwardedHeaders(req, { connection: 'Upgrade', upgrade: 'websocket' }));
    const patience = givingUp(sent, upstream);
    let isAnswered = false;
    socket.once('close', () => {
      isAnswered = true;
      sent.destroy();
      resolve(499);
    });
    sent.once('upgrade', (answer, other, otherHead) => {
      isAnswered = true;
      patience.end();
      other.on('error', () => socket.destroy());
      socket.on('error', () => other.destroy());
      socket.once('close', () => other.destroy());
      other.once('close', () => socket.end(() => socket.destroy()));
      const headers = endToEnd(answer.headers);
      upstream.edit(headers);
      socket.write(headText(101, 'Switching Protocols', { ...headers, connection: 'Upgrade', upgrade: 'websocket' }));
      socket.write(otherHead);
      other.write(head);
      other.pipe(socket).pipe(other);
      resolve(101);
    });
    sent.once('response', (answer) => {
      isAnswered = true;
      patience.end();
      const status = answer.statusCode ?? 502;
      answer.once('error', () => socket.destroy());
      const headers = endToEnd(answer.headers);
      upstream.edit(headers);
      socket.write(headText(status, answer.statusMessage ?? '', { ...headers, connection: 'close' }));
      answer.pipe(socket);
      resolve(status);
    });
    onFailure(sent, (error) => {
      patience.end();
      if (isAnswered) return;
      const failed = failure(upstream, error);
      upstream.failed(failed);
      resolve(failed.status);
    });
    sent.end();
  });
}

function send(req: IncomingMessage, { url }: UpstreamTarget, headers: OutgoingHttpHeaders): ClientRequest {
  return begin(url, { method: req.method ?? 'GET', path: req.url ?? '/', headers });
}

/** Begins a request to an upstream: the path follows that of its URL. */
export function begin(
  url: string,
  { method, path, headers }: { method: string; path: string; headers: OutgoingHttpHeaders },
): ClientRequest {
  const target = new URL(url);
  const whole = target.pathname.replace(/\/+$/, '') + path;
  return clientFor(target).request(target, { method, path: whole, headers, agent: false });
}

/** `request` and `get` for the protocol of a URL. */
export function clientFor(url: string | URL): Pick<typeof http, 'request' | 'get'> {
  const isSecure = String(url).startsWith('https:');
  return isSecure ? createRequire(import.meta.url)('node:https') : http;
}

/** Tells of a request that gets no answer: some failures only close the socket, such as an upgrade that was not requested. */
export function onFailure(sent: ClientRequest, fail: (error: NodeJS.ErrnoException) => void): void {
  sent.on('error', fail);
  sent.once('close', () => fail(new Error('no answer')));
}

// Headers that concern one connection, or that are meant for a proxy.
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];

/** Headers without those that concern one connection. */
export function endToEnd(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const rest: OutgoingHttpHeaders = { ...headers };
  // Headers that Connection names concern one connection, too; the length of the body cannot be among them.
  const named = (headers.connection ?? '').toLowerCase().split(/\s*,\s*/);
  for (const name of [...hopByHop, ...named]) if (name !== 'content-length' && name !== 'host') delete rest[name];
  return rest;
}

/** The headers of a request as an upstream gets them: with those of a proxy, and with `own`, which describe the body. */
export function forwardedHeaders(
  req: Pick<IncomingMessage, 'headers' | 'socket'>,
  own: OutgoingHttpHeaders,
): OutgoingHttpHeaders {
  const headers = endToEnd(req.headers);
  const cookie = withoutControl(headers.cookie);
  if (cookie === '') delete headers.cookie;
  else headers.cookie = cookie;
  // The client already received its 100 Continue when its request came.
  delete headers.expect;
  delete headers['content-length'];
  const { remoteAddress = '', localPort = 0 } = req.socket;
  const before = headers['x-forwarded-for'];
  return {
    ...headers,
    'x-forwarded-for': before === undefined ? remoteAddress : `${String(before)}, ${remoteAddress}`,
    'x-forwarded-host': headers['x-forwarded-host'] ?? headers.host ?? '',
    'x-forwarded-port': headers['x-forwarded-port'] ?? String(localPort),
    'x-forwarded-proto': headers['x-forwarded-proto'] ?? 'http',
    ...own,
  };
}

// The sign-in of the dashboard is none of an app's business.
function withoutControl(cookies: OutgoingHttpHeaders['cookie']): string {
  const all = String(cookies ?? '').split(/;\s*/);
  return all.filter((cookie) => !cookie.startsWith(`${controlCookieName}=`)).join('; ');
}

// A body must end at the upstream where it ended here, whatever the method: else its rest would be read as a request.
function bodyHeaders({ headers }: IncomingMessage): OutgoingHttpHeaders {
  if (headers['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' };
  return headers['content-length'] === undefined ? {} : { 'content-length': headers['content-length'] };
}

// What is on the platform's origin must not act in the platform's name, whatever an app sends: no script runs, and nothing
// is stored in the browser.
const confined = [
  'clear-site-data',
  'content-security-policy-report-only',
  'nel',
  'origin-agent-cluster',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'set-cookie',
  'set-cookie2',
  'strict-transport-security',
];

/** Keeps a response of an app on the platform's origin from acting in the platform's name. */
export function confine(headers: OutgoingHttpHeaders): void {
  for (const name of confined) delete headers[name];
  headers['content-security-policy'] = 'sandbox';
}

const tooSlow = 'EMULATORTOOSLOW';

/** Ends a request whose answer does not begin in time. */
export function givingUp(
  sent: ClientRequest,
  { patience }: Pick<UpstreamTarget, 'patience'>,
): { renew(): void; end(): void } {
  const giveUp = (): void => void sent.destroy(Object.assign(new Error('too slow'), { code: tooSlow }));
  let cancel = afterWall(patience, giveUp);
  return {
    renew() {
      cancel();
      cancel = afterWall(patience, giveUp);
    },
    end: () => cancel(),
  };
}

/** The 502 or 504 of an upstream that did not answer, or not in time. */
export function failure(
  { url, patience, setting }: UpstreamTarget,
  { code, message: cause }: NodeJS.ErrnoException,
): ApiError {
  if (code === tooSlow) {
    const message = `the upstream ${url} did not begin to answer within ${patience / 1_000} s; ${setting} says how long it may take`;
    return new ApiError('SERVICE_UNAVAILABLE', { status: 504, message });
  }
  const message = `the upstream ${url} did not answer (${code ?? cause}); is your app running there?`;
  return new ApiError('SERVICE_UNAVAILABLE', { status: 502, message });
}

function headText(status: number, text: string, headers: OutgoingHttpHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => `${name}: ${String(each).replace(/[\r\n]+/g, ' ')}`),
  );
  return `HTTP/1.1 ${status} ${text.replace(/[\r\n]+/g, ' ')}\r\n${lines.join('\r\n')}\r\n\r\n`;
}
