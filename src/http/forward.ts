// Passing requests and WebSockets on to a local port of the user's own.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Passes a request on, its body and the answer as streams; an answer that breaks off there breaks off here. */
export async function forward(req: IncomingMessage, res: ServerResponse, upstream: string): Promise<void> {
  const proxy = await createProxy(upstream);
  await new Promise<void>((resolve) => {
    res.on('close', resolve);
    proxy.on('proxyRes', (answer) => {
      // They are about the connection to the upstream.
      delete answer.headers.connection;
      delete answer.headers['keep-alive'];
      answer.once('close', () => {
        if (!answer.complete) res.destroy();
      });
    });
    proxy.web(req, res, {}, (error: NodeJS.ErrnoException) => {
      // An answer that has begun cannot become another one, and ended it would look whole.
      if (res.headersSent) return void res.destroy();
      res.writeHead(502, { 'Content-Type': 'application/json' });
      res.end(JSON.stringify({ error: noAnswer(upstream, error) }));
    });
  });
}

/** Passes a WebSocket handshake on and joins the two sockets. */
export async function forwardUpgrade(
  req: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  upstream: string,
): Promise<void> {
  const proxy = await createProxy(upstream);
  if (!(socket instanceof Socket)) return void socket.destroy();
  proxy.ws(req, socket, head, {}, (error: NodeJS.ErrnoException) => {
    socket.end(`HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n${noAnswer(upstream, error)}`);
  });
}

async function createProxy(upstream: string) {
  const { createProxyServer } = await import('http-proxy-3');
  const proxy = createProxyServer({ target: upstream, xfwd: true, changeOrigin: true });
  // It throws what nobody hears, and a client that resets its WebSocket is heard here only.
  return proxy.on('error', () => {});
}

function noAnswer(upstream: string, error: NodeJS.ErrnoException): string {
  return `the upstream ${upstream} did not answer (${error.code ?? error.message}); is your app running there?`;
}
