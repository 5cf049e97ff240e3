// Requests that come on one connection without waiting for the answers.

import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import { fewAtATime } from '../../src/http/pipelining.js';
import { startEmulator } from '../support/emulator.js';
import { eventually } from '../support/eventually.js';

const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n';

/** Sends a text and returns the bodies that come, until there are so many. */
function heard(port: number, text: string, answers: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let all = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    const bodies = (): string[] => all.split(/HTTP\/1\.1 \d+ /).slice(1);
    socket.on('data', (data) => {
      all += String(data);
      if (bodies().length === answers && all.endsWith('}')) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(bodies()));
  });
}

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;

it('a connection answers ten offers of HTTP/2 that come at once, in their order, and those behind other requests', async () => {
  const { port } = await startEmulator();
  const paths = Array.from({ length: 10 }, (_, n) => `/nowhere/${n}`);
  const offered = await heard(port, paths.map((path) => get(path, offer)).join(''), 10);
  expect(offered.map((body) => /\/nowhere\/\d+/.exec(body)?.[0])).toEqual(paths);
  const mixed = await heard(port, paths.map((path, n) => get(path, n % 3 === 2 ? offer : '')).join(''), 10);
  expect(mixed.map((body) => /\/nowhere\/\d+/.exec(body)?.[0])).toEqual(paths);
});

it('a connection answers a thousand requests in their order', async () => {
  const { port } = await startEmulator({ rateLimits: { enabled: false } });
  const paths = Array.from({ length: 1_000 }, (_, n) => `/nowhere/${n}`);
  const bodies = await heard(port, paths.map((path) => get(path)).join(''), 1_000);
  expect(bodies.map((body) => /\/nowhere\/\d+/.exec(body)?.[0])).toEqual(paths);
});

it('a connection begins no more than 16 requests of a connection at a time', async () => {
  const emulator = await startEmulator({ rateLimits: { enabled: false } });
  const { faults } = emulator.controls;
  faults.add({ match: { operation: 'platform.health' }, effect: { delay: 600_000 } });
  const socket = connect(emulator.port, '127.0.0.1', () => socket.write(get('/api/health').repeat(2_000)));
  socket.on('error', () => {});
  await eventually(() => faults.list()[0]?.hits === 16);
  // Another connection is answered meanwhile, and its answer comes after whatever the first one has brought about.
  await heard(emulator.port, get('/nowhere'), 1);
  expect(faults.list()[0]?.hits).toBe(16);
  socket.destroy();
});

it('a connection begins its next request with each response, and none for a client that has left', () => {
  const socket = Object.assign(new EventEmitter(), { pause: vi.fn(), resume: vi.fn() });
  const begun: EventEmitter[] = [];
  const take = fewAtATime((_req, res) => begun.push(res));
  for (let n = 0; n < 40; n++) take({ socket } as never, new EventEmitter() as never);
  expect(begun).toHaveLength(16);
  expect(socket.pause).toHaveBeenCalled();
  begun[0]?.emit('close');
  expect(begun).toHaveLength(17);
  expect(socket.resume).not.toHaveBeenCalled();
  socket.emit('close');
  for (const res of [...begun]) res.emit('close');
  expect(begun).toHaveLength(17);
});

it('each response of a connection is closed once, those of a client that has left while they waited for each other too', async () => {
  let begun = 0;
  const closed: string[] = [];
  const server = createServer(
    fewAtATime((req, res) => {
      begun++;
      res.on('close', () => closed.push(req.url ?? ''));
      if (req.url !== '/0') res.end('done');
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const paths = Array.from({ length: 10 }, (_, n) => `/${n}`);
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () =>
    socket.write(paths.map((path) => get(path)).join('')),
  );
  await eventually(() => begun === 10);
  socket.destroy();
  await eventually(() => closed.length >= 10);
  server.close();
  await once(server, 'close');
  expect([...closed].sort()).toEqual(paths);
});

it('a world ends in time of which a client has left ten requests behind that wait for each other', async () => {
  const emulator = await startEmulator({ rateLimits: { enabled: false } });
  const { id } = await emulator.controls.worlds.create({ id: 'left', ttl: '1s' });
  const rule = { match: { operation: 'platform.health' }, effect: { delay: 600_000 } };
  const added = await fetch(`${emulator.url}/w/${id}/_emulator/faults`, { method: 'POST', body: JSON.stringify(rule) });
  expect(added.status).toBe(201);
  const socket = connect(emulator.port, '127.0.0.1', () =>
    socket.write(get(`/w/${id}/api/health`) + get(`/w/${id}/_emulator/faults`).repeat(9)),
  );
  socket.on('error', () => {});
  const hits = async (): Promise<number> =>
    (await (await fetch(`${emulator.url}/w/${id}/_emulator/faults`)).json()).faults[0].hits;
  await expect.poll(hits).toBe(1);
  // Its answer comes after whatever the other connection has brought about.
  await heard(emulator.port, get('/nowhere'), 1);
  socket.destroy();
  await eventually(() => emulator.controls.worlds.list().length === 1);
});
