// Requests that come on one connection without waiting for the answers.

import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { itFull } from '../support/campaign.js';
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

it('an offer of HTTP/2 is answered as if it were not there, or refused with a reason by Node 20, which has no other way', async () => {
  const { port } = await startEmulator();
  const [body] = await heard(port, get('/nowhere/1', offer), 1);
  expect(body).toContain(
    process.version.startsWith('v20.') ? 'send the request without the header Upgrade' : '/nowhere/1',
  );
});

itFull('a connection answers a thousand requests in their order', async () => {
  const { port } = await startEmulator({ rateLimits: { enabled: false } });
  const paths = Array.from({ length: 1_000 }, (_, n) => `/nowhere/${n}`);
  const bodies = await heard(port, paths.map((path) => get(path)).join(''), 1_000);
  expect(bodies.map((body) => /\/nowhere\/\d+/.exec(body)?.[0])).toEqual(paths);
});

it('a connection begins a request when the one before it is answered, and none for a client that has left', async () => {
  const emulator = await startEmulator({ rateLimits: { enabled: false } });
  const { faults } = emulator.controls;
  faults.add({ match: { operation: 'platform.health' }, effect: { delay: 600_000 } });
  const socket = connect(emulator.port, '127.0.0.1', () => socket.write(get('/api/health').repeat(2_000)));
  socket.on('error', () => {});
  await eventually(() => faults.list()[0]?.hits === 1);
  // Another connection is answered meanwhile, and its answer comes after whatever the first one has brought about.
  await heard(emulator.port, get('/nowhere'), 1);
  expect(faults.list()[0]?.hits).toBe(1);
  socket.destroy();
  await heard(emulator.port, get('/nowhere'), 1);
  expect(faults.list()[0]?.hits).toBe(1);
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

it('a damaged request does not take the place of the answer to the one before it', async () => {
  const emulator = await startEmulator();
  emulator.controls.faults.add({ match: { operation: 'platform.health' }, effect: { delay: 100 } });
  const damaged = 'POST /nowhere HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nZZ\r\n';
  const [body] = await heard(emulator.port, get('/api/health') + damaged, 1);
  expect(body).toContain('"status":"ok"');
});

it('an answer without a body does not wait for the body of its request', async () => {
  const emulator = await startEmulator();
  const head = `OPTIONS /api/v1/api-keys HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost:3000\r\nAccess-Control-Request-Method: POST\r\nContent-Length: 5\r\n\r\n`;
  const first = await new Promise<string>((resolve, reject) => {
    const socket = connect(emulator.port, '127.0.0.1', () => socket.write(head));
    socket.on('error', reject);
    socket.once('data', (data) => {
      resolve(String(data));
      socket.destroy();
    });
  });
  expect(first).toMatch(/^HTTP\/1\.1 204 /);
}, 8_000);
