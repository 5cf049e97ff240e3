// Listening: one port on all addresses that a host name means, and closing without waiting for open streams.

import { createServer, type IncomingMessage, maxHeaderSize, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterWall } from '../core/clock.js';
import { ApiError } from '../core/errors.js';
import { real } from '../core/real-time.js';
import { connectionOf, numberConnections } from './connections.js';

export interface Handlers {
  /** Resolves when the request is done with: what it has stored for itself is gone. */
  request: (req: IncomingMessage, res: ServerResponse) => Promise<void>;
  upgrade: (req: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Handles bytes that are not a readable request, or a request that only a proxy could serve. */
  unreadable: (error: ApiError, socket: Duplex) => void;
}

export interface Listener {
  readonly port: number;
  /** Ends open connections too; resolves when the port is free. */
  close(): Promise<void>;
}

/** The port could not be had. */
export class ListenError extends Error {
  readonly code: string;
  readonly port: number;

  constructor(code: string, host: string, port: number) {
    super(`cannot listen on ${host}:${port} (${code})`);
    this.code = code;
    this.port = port;
  }
}

/**
 * Listens on a host and port; `localhost` means 127.0.0.1 and, where the machine has it, ::1.
 *
 * @param port 0 picks a free one
 * @throws ListenError
 */
export async function listen(
  host: string,
  port: number,
  handlers: Handlers,
  limits: TimeLimits = timeLimits,
): Promise<Listener> {
  if (host !== 'localhost') return combine([await open(host, port, handlers, limits)]);
  for (let attempt = 0; ; attempt++) {
    const first = await open('127.0.0.1', port, handlers, limits);
    try {
      return combine([first, await open('::1', portOf(first), handlers, limits)]);
    } catch (error) {
      const { code } = error as ListenError;
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return combine([first]);
      await close(first);
      // A port that was free for IPv4 may be taken for IPv6; when any will do, another is tried.
      if (port !== 0 || attempt === 9) throw error;
    }
  }
}

/** The port to try where one is taken; undefined: no other. */
export type NextPort = (taken: number) => Promise<number | undefined>;

/**
 * Listens as `listen` does; where a port is taken, on the next one that it is given.
 *
 * @throws ListenError
 */
export async function listenFrom(
  { host, port }: { host: string; port: number },
  handlers: Handlers,
  nextPort: NextPort = async () => undefined,
): Promise<Listener> {
  for (let at = port; ; ) {
    try {
      return await listen(host, at, handlers);
    } catch (error) {
      const next = error instanceof ListenError && error.code === 'EADDRINUSE' ? await nextPort(at) : undefined;
      if (next === undefined) throw error;
      at = next;
    }
  }
}

/** Wall milliseconds, as Node names them; 0: no limit. */
interface TimeLimits {
  keepAliveTimeout: number;
  headersTimeout: number;
  requestTimeout: number;
  /** How often the two limits above are checked. */
  connectionsCheckingInterval: number;
}

/**
 * Headers must arrive within a minute. Bodies have no limit, because pushing gigabytes takes long; without an explicit
 * limit for headers, Node would remove that one as well.
 */
export const timeLimits: TimeLimits = {
  keepAliveTimeout: 75_000,
  headersTimeout: 60_000,
  requestTimeout: 0,
  connectionsCheckingInterval: 30_000,
};

/** Pipelined requests of a connection that wait before no more are read; clients of today send one at a time. */
const mostWaiting = 16;

interface Open {
  server: Server;
  /** Sockets of WebSockets leave the server's own list, so they are kept here. */
  upgraded: Set<Duplex>;
  served: Set<Promise<void>>;
}

function open(host: string, port: number, handlers: Handlers, limits: TimeLimits): Promise<Open> {
  const served = new Set<Promise<void>>();
  const begin = (req: IncomingMessage, res: ServerResponse): void => {
    connectionOf(req.socket).requests++;
    underWay.set(req.socket, res);
    const done = handlers.request(req, res).finally(() => served.delete(done));
    served.add(done);
  };
  /** The response to the request of each connection that was begun last, and to the one that came last. */
  const underWay = new WeakMap<Duplex, ServerResponse>();
  const latest = new WeakMap<Duplex, ServerResponse>();
  /** How many pipelined requests of a connection wait. */
  const waiting = new WeakMap<Duplex, number>();
  const request = (req: IncomingMessage, res: ServerResponse): void => {
    const { socket } = req;
    const before = latest.get(socket);
    latest.set(socket, res);
    if (before === undefined || before.closed) {
      begin(req, res);
      return;
    }
    // A pipelined request waits for the one before it, and begins in a turn of its own: so each response that was begun has its
    // connection, and closes with it. Node resumes a connection when a message is complete: it is paused afterwards.
    waiting.set(socket, (waiting.get(socket) ?? 0) + 1);
    real.setImmediate(() => {
      if ((waiting.get(socket) ?? 0) > mostWaiting) socket.pause();
    });
    before.once('close', () =>
      real.setImmediate(() => {
        const left = (waiting.get(socket) ?? 1) - 1;
        waiting.set(socket, left);
        if (left <= mostWaiting) socket.resume();
        // A response that ends the connection leaves none for those that follow.
        if (!socket.destroyed && res.socket !== null) begin(req, res);
      }),
    );
  };
  // Node's own response to a missing Host has no body, so Hosts are checked later.
  const server = createServer({ ...limits, ...upgrades, requireHostHeader: false }, request);
  server.on('checkExpectation', request);
  numberConnections(server);
  const upgraded = new Set<Duplex>();
  server.on('upgrade', (req, socket, head) => {
    socket.on('error', () => socket.destroy());
    if (!asksForWebSocket(req)) return handlers.unreadable(noUpgrade(req), socket);
    upgraded.add(socket);
    socket.on('close', () => upgraded.delete(socket));
    handlers.upgrade(req, socket, head);
  });
  server.on('connect', (req, socket) => {
    socket.on('error', () => socket.destroy());
    handlers.unreadable(noProxy(req), socket);
  });
  server.on('clientError', (error, socket) => {
    const answer = [latest.get(socket), underWay.get(socket)].find(
      (one) => one?.closed === false && (one.headersSent || one.req.complete),
    );
    // The client has left in the middle of a request: nobody reads the answer that is under way.
    const hasLeft = (error as NodeJS.ErrnoException).code === 'HPE_INVALID_EOF_STATE' && answer !== undefined;
    if (!socket.writable || hasLeft) socket.destroy();
    else if (answer !== undefined) answer.once('finish', () => socket.end());
    else handlers.unreadable(unreadable(error, socket), socket);
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ListenError(error.code ?? 'unknown', host, port)),
    );
    server.listen({ host, port, backlog: 1_024 }, () => {
      server.removeAllListeners('error');
      resolve({ server, upgraded, served });
    });
  });
}

// An offer of HTTP/2 or the like need not be taken: Node answers such a request as if it had none. Node 20 leaves that to
// its caller, which refuses it.
const upgrades = { shouldUpgradeCallback: asksForWebSocket };

function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

function noUpgrade({ headers }: IncomingMessage): ApiError {
  const message = `This port speaks HTTP/1.1 and WebSockets, not ${JSON.stringify(headers.upgrade?.slice(0, 100))}: send the request without the header Upgrade, or run the emulator with Node 22 or later`;
  return new ApiError('VALIDATION_ERROR', { message });
}

function noProxy({ url = '' }: IncomingMessage): ApiError {
  const message = `CONNECT ${url.slice(0, 100)} is not allowed here: this is not a proxy`;
  return new ApiError('METHOD_NOT_ALLOWED', { message });
}

/** Node's error for a request that it cannot read. */
interface ParseError extends Error {
  code?: string;
  /** The last bytes that came. */
  rawPacket?: Buffer;
  /** How many of them were read. */
  bytesParsed?: number;
}

/** A client speaks TLS to a port that does not. */
export const tlsOffer =
  'A client speaks TLS to this port, which is plain HTTP: the base URL that it is given must begin with http://, not https://';

// The first bytes of a TLS handshake, in all its versions.
const handshake = Buffer.from([0x16, 0x03]);

function unreadable({ code, rawPacket, bytesParsed = 0, message }: ParseError, socket: Duplex): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const isFirst = rawPacket !== undefined && (socket as Socket).bytesRead === rawPacket.length;
    return isFirst && !rawPacket.subarray(0, bytesParsed).includes('\n')
      ? new ApiError('PAYLOAD_TOO_LARGE', { status: 414, message: `The URL is longer than ${maxHeaderSize} bytes` })
      : new ApiError('PAYLOAD_TOO_LARGE', {
          status: 431,
          message: `The headers have more than ${maxHeaderSize} bytes`,
        });
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return new ApiError('PAYLOAD_TOO_LARGE', { message: 'The chunks of the body have extensions that are too long' });
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError('REQUEST_TIMEOUT', { message: 'The request did not come in time' });
  if (rawPacket?.subarray(0, handshake.length).equals(handshake) === true)
    return new ApiError('VALIDATION_ERROR', { message: tlsOffer });
  const reason = message.replace(/^Parse Error:?\s*/, '');
  return new ApiError('VALIDATION_ERROR', {
    message: `This is not an HTTP/1.1 request: ${reason || 'it cannot be read'}`,
  });
}

function combine(all: Open[]): Listener {
  const [first] = all;
  return {
    port: first === undefined ? 0 : portOf(first),
    async close() {
      await Promise.all(all.map(close));
    },
  };
}

function portOf({ server }: Open): number {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

// Answers under way get a moment to end; open streams would never end by themselves.
const graceMs = 200;

function close({ server, upgraded, served }: Open): Promise<void> {
  return new Promise((resolve) => {
    // Nothing that is left after the end may keep the process from ending.
    const grace = real.setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      real.clearTimeout(grace);
      // An upload that was broken off deletes its files.
      const end = real.setTimeout(resolve, graceMs);
      void Promise.allSettled(served).then(() => {
        real.clearTimeout(end);
        resolve();
      });
    });
    server.closeIdleConnections();
    // A client would go on sending over a kept connection, and lose the answer to what it sent last.
    server.prependListener('request', (_req, res) => {
      res.shouldKeepAlive = false;
    });
    for (const socket of upgraded) socket.destroy();
  });
}

/** A listener that can be away for a while: it refuses connections, as a platform does that restarts. */
export interface RefusingListener extends Listener {
  /** Refuses connections for some wall milliseconds, from now on, and ends those that are open. */
  refuse(ms: number): void;
}

/** Somebody else may have taken the port for a moment. */
const againMs = 50;

/**
 * Listens as `listen` does.
 *
 * @throws ListenError
 */
export async function listenRefusing(host: string, port: number, handlers: Handlers): Promise<RefusingListener> {
  return canRefuse(await listen(host, port, handlers), (again) => listen(host, again, handlers));
}

/** @param again listens on a port once more */
export function canRefuse(first: Listener, again: (port: number) => Promise<Listener>): RefusingListener {
  const { port } = first;
  let present: Listener | undefined = first;
  let returning = Promise.resolve();
  let isClosed = false;
  let wake = (): void => {};
  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
      afterWall(ms, resolve);
    });
  const comeBack = async (ms: number, gone: Promise<void>): Promise<void> => {
    await Promise.all([wait(ms), gone]);
    while (present === undefined && !isClosed) {
      present = await again(port).catch(() => undefined);
      if (present === undefined) await wait(againMs);
    }
  };
  return {
    port,
    refuse(ms) {
      if (present === undefined || isClosed) return;
      const gone = present.close();
      present = undefined;
      returning = comeBack(ms, gone);
    },
    async close() {
      isClosed = true;
      wake();
      await returning;
      await present?.close();
    },
  };
}

/** The host name under which this machine reaches a listening address. */
export function urlHost(host: string): string {
  if (host === 'localhost' || host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
