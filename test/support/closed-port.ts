// A port of loopback on which nothing listens, and nothing else can.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/**
 * A port that is held closed to the end of the process: a connection goes out from it, so that the system gives it to
 * nobody, and connections to it are refused.
 */
export async function closedPort(): Promise<number> {
  const server = createServer((socket) => socket.unref()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  server.unref();
  socket.unref();
  held.push(socket, server);
  return socket.localPort as number;
}

// A socket that nobody holds is collected, and closed with that.
const held: unknown[] = [];

/** The URL of such a port. */
export async function closedUrl(): Promise<string> {
  return `http://127.0.0.1:${await closedPort()}`;
}
