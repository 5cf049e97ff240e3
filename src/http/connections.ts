// Connections: their number and age, which are open for each caller, and when a caller was last refused.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { wallMoment } from '../core/clock.js';

/** A connection, as long as it is open. */
export interface OpenConnection {
  /** Its number at the listener that accepted it. */
  readonly number: number;
  /** Wall time in milliseconds, with microseconds as decimals. */
  readonly openedAt: number;
  /** How many requests came by it, of any caller, to any world or to the control plane. */
  requests: number;
}

const mark = Symbol('connection');

interface Marked extends Socket {
  [mark]?: OpenConnection;
}

/** Numbers the connections to a server. */
export function numberConnections(server: Server): void {
  let number = 0;
  server.on('connection', (socket: Marked) => {
    socket[mark] = opened(++number);
  });
}

/** The connection of a socket. */
export function connectionOf(socket: Marked): OpenConnection {
  socket[mark] ??= opened(0);
  return socket[mark];
}

function opened(number: number): OpenConnection {
  return { number, openedAt: wallMoment(), requests: 0 };
}

const refusalsMs = 1_000;
const mostRemembered = 1_000;

/** The connections of callers. */
export class CallerConnections {
  private readonly open = new Map<string, Set<Socket>>();
  private readonly refused = new Map<string, number>();
  private readonly users = new WeakMap<Socket, Set<string>>();

  /** Notes that a request of a caller came by a connection; returns how many others it has open that it has used. */
  use(caller: string, socket: Socket): number {
    let callers = this.users.get(socket);
    if (callers === undefined) {
      callers = new Set();
      this.users.set(socket, callers);
      const gone = (): void => this.release(socket);
      // A client that has ended its side sends nothing more, though the connection closes a moment later.
      socket.once('end', gone).once('close', gone);
    }
    let sockets = this.open.get(caller);
    if (!callers.has(caller)) {
      callers.add(caller);
      if (sockets === undefined) {
        sockets = new Set();
        this.open.set(caller, sockets);
      }
      sockets.add(socket);
    }
    return (sockets?.size ?? 1) - 1;
  }

  /** Records that a connection will not be used again. */
  release(socket: Socket): void {
    const callers = this.users.get(socket);
    if (callers === undefined) return;
    for (const caller of callers) {
      const sockets = this.open.get(caller);
      sockets?.delete(socket);
      if (sockets?.size === 0) this.open.delete(caller);
    }
    callers.clear();
  }

  /** Whether this is the first refusal of a caller's in a while, of one kind; `now` in milliseconds. */
  isFirstRefusal(caller: string, kind: string, now: number): boolean {
    const key = `${caller} ${kind}`;
    const last = this.refused.get(key);
    if (last !== undefined && now - last < refusalsMs) return false;
    if (this.refused.size >= mostRemembered) this.refused.clear();
    this.refused.set(key, now);
    return true;
  }
}
