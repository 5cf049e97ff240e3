// A name that somebody has pointed at this machine reaches neither the platform nor a container's app.

import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { hostname } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEmulator, type Emulator } from '../../src/index.js';
import { sampleOf } from '../support/campaign.js';
import { deploy, getContainer } from '../support/emulator.js';
import { browse } from '../support/sessions.js';

/** An app that notes the requests that reach it. */
async function startApp(): Promise<{ port: number; seen: string[]; close: () => void }> {
  const seen: string[] = [];
  const app = createServer((req, res) => {
    seen.push(`${req.headers.host} ${req.url}`);
    res.end('the app');
  });
  app.on('upgrade', (req, socket) => {
    seen.push(`upgrade ${req.headers.origin}`);
    socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    app.closeAllConnections();
    app.close();
  };
  return { port: (app.address() as AddressInfo).port, seen, close };
}

async function start(publicUrl: string | null = null) {
  const app = await startApp();
  const emulator = await createEmulator({
    configFile: false,
    server: { publicUrl, corsOrigins: ['https://listed.example'] },
    containers: { timing: 'instant', upstreams: { web: app.port } },
  });
  const { id } = await deploy(emulator);
  const { url } = await getContainer(emulator, id);
  const close = async (): Promise<void> => {
    await emulator.close();
    app.close();
  };
  return { emulator, app, container: { port: Number(new URL(url).port) }, close };
}

let { emulator, app, container, close } = {} as Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  ({ emulator, app, container, close } = await start());
});
beforeEach(() => {
  app.seen.length = 0;
});
afterAll(() => close());

/** The bytes that a bare socket is answered with. */
function send(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (data) => {
      heard += String(data);
      if (heard.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('close', () => resolve(heard));
    socket.on('error', reject);
  });
}

const foreign = [
  'rebound.example',
  'REBOUND.example:4747',
  'rebound.example.',
  '127.0.0.1.rebound.example',
  'localhost.rebound.example',
  'rebound.example:80:80',
  'user@127.0.0.1',
  '%6cocalhost.x',
  '[::1].rebound.example',
  'local host',
];
const own = [
  'localhost',
  'LOCALHOST:1',
  'localhost.',
  'a.localhost',
  '[::1]:9',
  '127.0.0.1',
  '192.168.1.5',
  'emulator:80',
];

it.each(sampleOf(foreign))('Host %j reaches nothing', async (host) => {
  const get = (port: number, path: string): Promise<string> =>
    send(port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  const platform = await get(emulator.port, '/api/v1/models');
  expect(platform).toMatch(/^HTTP\/1\.1 403 /);
  expect(platform).toContain('--public-url');
  expect(platform).toMatch(/x-ratelimit-limit/i);
  expect(await get(emulator.port, '/openapi.json')).toMatch(/^HTTP\/1\.1 403 /);
  expect(await get(container.port, '/')).toMatch(/^HTTP\/1\.1 403 /);
  expect(app.seen).toEqual([]);
});

it.each([...own, 'host.docker.internal:4747', hostname()])(
  'Host %j is this machine, and goes on as it came',
  async (host) => {
    expect((await browse(emulator, 'GET', '/openapi.json', { headers: { host } })).status).toBe(200);
    expect((await browse(container, 'GET', '/a', { headers: { host } })).text).toBe('the app');
    expect(app.seen).toEqual([`${host} /a`]);
  },
);

it('the emulator knows its public name', async () => {
  const named = await start('https://cloud.example.test/base');
  const statusOf = async (host: string) => (await browse(named.container, 'GET', '/', { headers: { host } })).status;
  expect(await statusOf('cloud.example.test')).toBe(200);
  expect(await statusOf('other.example.test')).toBe(403);
  await named.close();
});

describe('a request for a whole URL', () => {
  const ask = (port: number, target: string): Promise<string> =>
    send(port, `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);

  it('is handled like one for its path', async () => {
    expect(await ask(container.port, 'http://localhost/a/b?c')).toMatch(/^HTTP\/1\.1 200 /);
    expect(app.seen).toEqual(['127.0.0.1 /a/b?c']);
  });

  it('is refused if the URL has a foreign name, whatever its Host', async () => {
    expect(await ask(container.port, 'http://rebound.example/')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await ask(container.port, 'http://rebound.example@localhost/')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await ask(emulator.port, 'http://rebound.example/openapi.json')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await ask(emulator.port, 'http://rebound.example/_emulator/clock')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await ask(emulator.port, 'http://localhost/_emulator/clock')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask(container.port, 'ftp://localhost/')).toMatch(/^HTTP\/1\.1 400 /);
    expect(app.seen).toEqual([]);
  });
});

describe('WebSockets', () => {
  const open = ({ port }: Pick<Emulator, 'port'>, headers: string, host = '127.0.0.1'): Promise<string> =>
    send(
      port,
      `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n${headers}\r\n`,
    );

  it.each(['https://evil.example', 'null', 'file://', 'http://localhost.evil.example'])(
    'are refused to pages of %s',
    async (origin) => {
      expect(await open(container, `Origin: ${origin}\r\n`)).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*corsOrigins/);
      expect(app.seen).toEqual([]);
    },
  );

  it.each([
    '',
    'Origin: http://127.0.0.1\r\n',
    'Origin: http://localhost:3000\r\n',
    'Origin: https://listed.example\r\n',
  ])('are opened to others: %j', async (header) => {
    expect(await open(container, header)).toMatch(/^HTTP\/1\.1 101 /);
  });

  it('are refused under a foreign name', async () => {
    const origin = 'Origin: http://rebound.example\r\n';
    expect(await open(container, origin, 'rebound.example')).toMatch(/^HTTP\/1\.1 403 /);
    expect(app.seen).toEqual([]);
  });
});
