// A server on this machine for the processes of a command that runs: only who was given its URL is heard. Any page can send
// requests to a port of this machine.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freshSecret } from '../core/random.js';

export interface HelperServer {
  /** Its address, with the secret in its path. */
  url: string;
  close(): void;
}

const mostBytes = 64 * 1_024;

/**
 * Listens on a free port.
 *
 * @param answer answers the JSON that was sent to a path below the URL, such as `/test`; what it throws is a 400
 */
export async function openHelperServer(
  answer: (path: string, body: unknown, res: ServerResponse) => void | Promise<void>,
): Promise<HelperServer> {
  const secret = `/${freshSecret()}`;
  let host = '';
  const server = createServer((req, res) => {
    const { url = '', method, headers } = req;
    if (method !== 'POST' || headers.host !== host || headers.origin !== undefined || !isBelow(url, secret))
      return void res.writeHead(403, { connection: 'close' }).end();
    hear(req)
      .then((body) => answer(url.slice(secret.length), body, res))
      .catch((error: unknown) =>
        res.writeHead(400, { connection: 'close' }).end(JSON.stringify({ error: String(error) })),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}${secret}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const isBelow = (url: string, path: string): boolean => url === path || url.startsWith(`${path}/`);

async function hear(req: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of req as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > mostBytes) throw new Error(`the body is larger than ${mostBytes} bytes`);
    pieces.push(piece);
  }
  return JSON.parse(Buffer.concat(pieces).toString());
}
