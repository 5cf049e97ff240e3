// Open connections to a user's own app when one side goes away, or the container stops.

import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { Emulator } from '../../../src/index.js';
import { call, deploy, getContainer, startEmulator } from '../../support/emulator.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** An app that streams without end, breaks off, and echoes WebSockets. */
async function startApp(): Promise<number> {
  const app = createServer((req, res) => {
    if (req.url === '/events') return void res.write('data: one\n\n');
    res.writeHead(200, req.url === '/cut' ? { 'content-length': '100' } : {});
    res.write('half', () => res.socket?.end());
  });
  new WebSocketServer({ server: app }).on('connection', (socket) =>
    socket.on('error', () => {}).on('message', (data) => socket.send(`echo ${data}`)),
  );
  server = app;
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  return (app.address() as AddressInfo).port;
}

async function start(
  settings: { urlStyle?: 'path' | 'port' } = {},
): Promise<{ emulator: Emulator; id: string; url: string }> {
  const upstreams = { web: await startApp() };
  const emulator = await startEmulator({ containers: { timing: 'instant', upstreams, ...settings } });
  const { id } = await deploy(emulator);
  const { url } = await getContainer(emulator, id);
  return { emulator, id, url };
}

/** A WebSocket on a bare socket, once it is open. */
function handshake(url: string): Promise<Socket> {
  const { hostname, port, pathname } = new URL(url);
  const key = Buffer.alloc(16).toString('base64');
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `GET ${pathname}/ HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
      ),
    );
    socket.once('data', (data) => {
      expect(String(data)).toMatch(/^HTTP\/1\.1 101 /);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

describe.each(['port', 'path'] as const)('at an address of style %s', (urlStyle) => {
  it('a client that resets its WebSocket harms nobody', async () => {
    const { emulator, url } = await start({ urlStyle });
    for (let i = 0; i < 3; i++) (await handshake(url)).resetAndDestroy();
    const socket = new WebSocket(url.replace('http', 'ws'));
    await new Promise((resolve) => socket.once('open', resolve));
    const heard = new Promise((resolve) => socket.once('message', (data) => resolve(String(data))));
    socket.send('hello');
    expect(await heard).toBe('echo hello');
    socket.terminate();
    expect((await call(emulator, 'GET', '/api/v1/containers')).status).toBe(200);
  });

  it.each(['/cut', '/chunks'])('a response that the app breaks off breaks off: %s', async (path) => {
    const { url } = await start({ urlStyle });
    const answer = await fetch(url + path);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });

  it.each<[string, (emulator: Emulator, id: string) => unknown]>([
    ['is stopped', ({ controls }, id) => controls.containers.stop(id)],
    ['is deleted', (emulator, id) => call(emulator, 'DELETE', `/api/v1/containers/${id}`)],
    ['fails', ({ controls }, id) => controls.containers.fail(id, { mode: 'oom-later' })],
    ['goes with its world’s data', ({ controls }) => controls.reset()],
  ])('streams and WebSockets end when the container %s', async (_, act) => {
    const { emulator, id, url } = await start({ urlStyle });
    const events = await fetch(`${url}/events`);
    const streamed = expect(events.text()).rejects.toThrow();
    const socket = new WebSocket(url.replace('http', 'ws'));
    await new Promise((resolve) => socket.once('open', resolve));
    const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
    await act(emulator, id);
    await emulator.controls.clock.advance('40m');
    await Promise.all([streamed, closed]);
  });
});
