// Requests as they reach the user's own app, its answers as they come back, and how long they may take.

import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { deploy, getContainer, startEmulator } from '../../support/emulator.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** An app that speaks bytes: what it gets, and answers that it is told. */
async function startTcp(answer: string | undefined): Promise<{ port: number; got: () => string }> {
  let got = '';
  const sockets = new Set<{ destroy(): void }>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      got += data.toString('latin1');
      if (answer !== undefined && got.includes('\r\n\r\n')) socket.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, got: () => got };
}

async function startHttp(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function start(
  upstream: number,
  settings: object = {},
): Promise<{ emulator: Emulator; url: string; port: number }> {
  const emulator = await startEmulator({
    containers: { timing: 'instant', upstreams: { web: upstream }, ...settings },
  });
  const { id } = await deploy(emulator);
  const { url } = await getContainer(emulator, id);
  return { emulator, url, port: Number(new URL(url).port) };
}

/** All that a bare socket is answered with, until the other side closes. */
function context(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (data) => {
      heard += String(data);
    });
    socket.on('close', () => resolve(heard));
    socket.on('error', reject);
  });
}

const fine = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

it('forwarding to an app keeps the dashboard’s sign-in back, and passes other cookies on', async () => {
  const app = await startTcp(fine);
  const { port, emulator, url } = await start(app.port, { urlStyle: 'path' });
  const cookies = (header: string): string =>
    `GET ${new URL(url).pathname}/a HTTP/1.1\r\nHost: 127.0.0.1:1\r\n${header}Connection: close\r\n\r\n`;
  await context(port, cookies('Cookie: a=1; emulator-control=17.ab; b="x y"\r\nCookie: emulator-control=18.cd\r\n'));
  expect(app.got()).toMatch(/^cookie: a=1; b="x y"\r$/im);
  await context(port, cookies('Cookie: emulator-control=17.ab\r\n'));
  expect(app.got()).not.toContain('emulator-control');
  expect(app.got().match(/^cookie:/gim)).toHaveLength(1);
  const upgrade = 'Upgrade: websocket\r\nConnection: Upgrade\r\nCookie: emulator-control=17.ab; c=2\r\n';
  await context(port, cookies('').replace('Connection: close\r\n', upgrade));
  expect(app.got()).toMatch(/^cookie: c=2\r$/im);
  expect(app.got()).not.toContain('emulator-control');
  await emulator.close();
});

it('forwarding to an app keeps back what is between the client and a proxy', async () => {
  const app = await startTcp(fine);
  const { port } = await start(app.port);
  const headers =
    'Proxy-Authorization: Basic c2VjcmV0\r\nProxy-Connection: keep-alive\r\nTE: trailers\r\nKeep-Alive: timeout=9\r\nX-Hop: 1\r\nX-End: 2\r\nConnection: close, X-Hop, Content-Length, Host\r\n';
  await context(port, `POST /a HTTP/1.1\r\nHost: 127.0.0.1:1\r\n${headers}Content-Length: 5\r\n\r\nhello`);
  expect(app.got()).not.toMatch(/proxy-|^te:|keep-alive|x-hop/im);
  expect(app.got()).toMatch(/^host: 127\.0\.0\.1:1\r$/im);
  expect(app.got()).toMatch(/^x-end: 2\r$/im);
  expect(app.got()).toMatch(/^content-length: 5\r$/im);
  expect(app.got().endsWith('\r\n\r\nhello')).toBe(true);
});

it.each(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'POST'])(
  'a forwarded body of %s ends where it ended here: it is no second request',
  async (method) => {
    const app = await startTcp(fine);
    const { port } = await start(app.port);
    const hidden = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n';
    const chunked = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
    await context(
      port,
      `${method} / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    );
    expect(app.got()).toMatch(/^transfer-encoding: chunked\r$/im);
    expect(app.got()).not.toMatch(/^content-length/im);
    expect(app.got()).toContain(`\r\n${hidden.length.toString(16)}\r\n${hidden}`);
  },
);

it.each([
  'Content-Length: 5\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: xchunked',
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: +5',
])('a body of two lengths is not forwarded: %j', async (framing) => {
  const app = await startTcp(fine);
  const { port } = await start(app.port);
  const answer = await context(
    port,
    `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n${framing}\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(app.got()).toBe('');
});

// Node 20 leaves the answer to an offer of HTTP/2 to its caller, which refuses it.
const takesOffers = !process.version.startsWith('v20.');

it.runIf(takesOffers)(
  'forwarding to an app passes no upgrade but WebSocket on, and answers as if there were none',
  async () => {
    const app = await startTcp(fine);
    const { port } = await start(app.port);
    const offer = 'Connection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
    const answer = await context(port, `POST /a HTTP/1.1\r\nHost: 127.0.0.1\r\n${offer}Content-Length: 2\r\n\r\nhi`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(app.got()).toMatch(/^POST \/a /);
    expect(app.got()).not.toMatch(/h2c|http2-settings/i);
  },
);

it.runIf(takesOffers)('a client that offers HTTP/2 is answered by the platform', async () => {
  const emulator = await startEmulator();
  const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
  const auth = `Authorization: Bearer ${emulator.apiKey}\r\n`;
  const answer = await context(
    emulator.port,
    `POST /api/v1/app/agents HTTP/1.1\r\nHost: 127.0.0.1\r\n${offer.replace('Connection: ', 'Connection: close, ')}${auth}Content-Length: 12\r\n\r\n{"name":"a"}`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 201 /);
});

describe('an app that never answers', () => {
  it('is given up: 504, and its connection is closed', async () => {
    const app = await startTcp(undefined);
    const { url } = await start(app.port, { upstreamTimeout: 50 });
    const answer = await fetch(url, { method: 'POST', body: 'x' });
    expect(answer.status).toBe(504);
    expect(await answer.text()).toContain('containers.upstreamTimeout');
  });

  it('is given up by WebSockets, too', async () => {
    const app = await startTcp(undefined);
    const { port } = await start(app.port, { upstreamTimeout: 50 });
    const headers = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
    expect(await context(port, `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`)).toMatch(/^HTTP\/1\.1 504 /);
  });

  it('is given time while the request still comes, and while its response does', async () => {
    const app = await startHttp((req, res) => {
      req.resume().once('end', () => {
        res.write('begun ');
        setTimeout(() => res.end('done'), 1_500);
      });
    });
    // Each wait is far shorter, even on a busy machine, and all of them together are longer.
    const { url } = await start(app, { upstreamTimeout: 1_000 });
    const body = new ReadableStream({
      async start(controller) {
        for (let i = 0; i < 4; i++) {
          controller.enqueue(new Uint8Array([97]));
          await new Promise((resolve) => setTimeout(resolve, 300));
        }
        controller.close();
      },
    });
    const answer = await fetch(url, { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect([answer.status, await answer.text()]).toEqual([200, 'begun done']);
  });
});

it.each([
  ['a status that cannot be sent', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n'],
  ['no HTTP', 'hello\r\n\r\n'],
  ['an upgrade that nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
])('an app that answers %s is 502', async (_, text) => {
  const app = await startTcp(text);
  const { url } = await start(app.port);
  expect((await fetch(url)).status).toBe(502);
});

it('the emulator reads what an app has left unread before the connection’s next request', async () => {
  const app = await startHttp((_req, res) => void res.end('early'));
  const { port } = await start(app);
  const long = 'x'.repeat(300_000);
  const answer = await context(
    port,
    `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${long.length}\r\n\r\n${long}GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
  );
  expect(answer.match(/HTTP\/1\.1 \d+ /g)).toHaveLength(2);
});

describe('on the platform’s origin', () => {
  const bold = {
    'content-security-policy': "default-src * 'unsafe-inline'",
    'content-security-policy-report-only': 'default-src *',
    'set-cookie': ['session=stolen; Path=/', 'other=1'],
    'service-worker-allowed': '/',
    'clear-site-data': '"*"',
    'content-type': 'text/html',
    'x-app': 'mine',
  };

  it('an app’s response is in a sandbox and leaves nothing in the browser, whatever it says', async () => {
    const { url } = await start(await startHttp((_req, res) => void res.writeHead(200, bold).end('page')), {
      urlStyle: 'path',
    });
    const { headers } = await fetch(url);
    expect(headers.get('content-security-policy')).toBe('sandbox');
    expect(headers.get('x-app')).toBe('mine');
    for (const name of [
      'set-cookie',
      'service-worker-allowed',
      'clear-site-data',
      'content-security-policy-report-only',
    ])
      expect(headers.get(name), name).toBeNull();
  });

  it('a response to a WebSocket handshake is in a sandbox, too', async () => {
    const refusing = await startHttp((_req, res) => void res.writeHead(200, bold).end('page'));
    const { url, port } = await start(refusing, { urlStyle: 'path' });
    const { pathname } = new URL(url);
    const headers = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
    const answer = await context(port, `GET ${pathname}/ HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*content-security-policy: sandbox\r\n/);
    expect(answer).not.toMatch(/set-cookie|service-worker/i);
  });

  it.each(['port', 'subdomain'] as const)('no container is found by path in style %s', async (urlStyle) => {
    const { emulator } = await start(await startHttp((_req, res) => void res.end('page')), { urlStyle });
    const path = `/_containers/${emulator.organizationId.slice(0, 8)}-web/`;
    expect((await emulator.fetch(path)).status).toBe(404);
    const headers = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
    const answer = await context(emulator.port, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('an app’s response keeps its headers and cookies where the container has an origin of its own', async () => {
    const { url } = await start(await startHttp((_req, res) => void res.writeHead(200, bold).end('page')));
    const { headers } = await fetch(url);
    expect(headers.get('content-security-policy')).toBe(bold['content-security-policy']);
    expect(headers.getSetCookie()).toEqual(bold['set-cookie']);
  });
});
