// Which connection a request came by, since when that is open, and how many others its caller has open.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { wallMoment } from '../core/clock.js';

/** The connection that a request came by. */
export interface Connection {
  /** Counted by the listener that took it. */
  number: number;
  /** Wall milliseconds, with microseconds behind the point. */
  openedAt: number;
  /** How many other connections its caller had open when the request came. */
  others: number;
}

const mark = Symbol('connection');

interface Marked extends Socket {
  [mark]?: Omit<Connection, 'others'>;
}

/** Numbers the connections to a server. */
export function numberConnections(server: Server): void {
  let number = 0;
  server.on('connection', (socket: Marked) => {
    socket[mark] = { number: ++number, openedAt: wallMoment() };
  });
}

/** The connection of a socket, beside which its caller has `others` open. */
export function connectionOf(socket: Marked, others: number): Connection {
  socket[mark] ??= { number: 0, openedAt: wallMoment() };
  return { ...socket[mark], others };
}
