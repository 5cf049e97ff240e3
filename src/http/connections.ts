// Which connection a request came by, and since when that is open.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { wallNow } from '../kernel/clock.js';
import type { Connection } from '../store/journal-entry.js';

const mark = Symbol('connection');

interface Marked extends Socket {
  [mark]?: Connection;
}

/** Numbers the connections to a server. */
export function numberConnections(server: Server): void {
  let number = 0;
  server.on('connection', (socket: Marked) => {
    socket[mark] = { number: ++number, openedAt: wallNow() };
  });
}

/** The connection of a socket. */
export function connectionOf(socket: Marked): Connection {
  socket[mark] ??= { number: 0, openedAt: wallNow() };
  return socket[mark];
}
