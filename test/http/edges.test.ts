// Requests at the edges of HTTP: HEAD, several Hosts, paths that are written otherwise, bodies nobody reads.

import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { call, deploy, startEmulator } from '../support/emulator.js';
import { basic } from '../support/oci.js';
import { pushBlob, type Registry, registryOf } from '../support/push.js';

it.each([
  ['PATCH', '/api/v1/containers', 'POST, GET, HEAD'],
  ['PUT', '/openapi.json', 'GET, HEAD'],
  ['PUT', '/api/v1/chat/completions', 'POST'],
  ['DELETE', '/_emulator/clock', 'GET, HEAD'],
  ['DELETE', '/_emulator/metrics', 'GET, HEAD'],
  ['POST', '/_emulator/', 'GET, HEAD'],
  ['PUT', '/v2/', 'GET, HEAD'],
])('%s %s is allowed where Allow says %s', async (method, path, allow) => {
  const emulator = await startEmulator();
  const { status, headers } = await call(emulator, method, path);
  expect([status, headers.get('allow')]).toEqual([405, allow]);
});

const basicOf = ({ password }: Registry) => ({ authorization: basic('AWS', password) });

it('HEAD asks for the whole, also with a Range', async () => {
  const emulator = await startEmulator();
  const registry = await registryOf(emulator);
  const { digest } = await pushBlob(registry, 'A blob');
  const { body } = await call(emulator, 'POST', '/api/v1/images/generations', {
    prompt: 'A cat',
    response_format: 'url',
  });
  const image = new URL(body.data[0].url).pathname;
  for (const path of [`/v2/${registry.name}/blobs/${digest}`, image]) {
    const ask = (method: string, range: string) =>
      emulator.fetch(path, { method, headers: { ...basicOf(registry), range } });
    const whole = await ask('GET', 'none');
    for (const range of ['bytes=0-1', 'bytes=9999999-']) {
      const { status, headers } = await ask('HEAD', range);
      expect([path, status, headers.get('content-length'), headers.get('content-range')]).toEqual([
        path,
        200,
        whole.headers.get('content-length'),
        null,
      ]);
    }
    expect((await ask('GET', 'bytes=0-1')).status).toBe(206);
  }
});

/** The answer on a bare socket, to its end. */
function send(port: number, head: string, body: Iterable<Buffer> = []): Promise<{ heard: string; sent: number }> {
  return new Promise((resolve, reject) => {
    let heard = '';
    let sent = 0;
    const pieces = body[Symbol.iterator]();
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(head);
      goOn();
    });
    // One piece at a time, as the server takes them.
    const goOn = (): void => {
      const { value, done } = pieces.next();
      if (done === true) return;
      sent += value.length;
      socket.write(value, goOn);
    };
    socket.on('data', (data) => {
      heard += String(data);
    });
    socket.on('close', () => resolve({ heard, sent }));
    socket.on('error', reject);
  });
}

it.each(['/api/v1/containers', '/_emulator/clock', '/v2/'])('several Hosts are refused by %s', async (path) => {
  const { port } = await startEmulator();
  for (const second of ['localhost', 'rebound.example']) {
    const { heard } = await send(
      port,
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nhOST: ${second}\r\nConnection: close\r\n\r\n`,
    );
    expect(heard).toMatch(/^HTTP\/1\.1 400 [\s\S]*The request has 2 Host headers: send one/);
  }
});

it.each([
  ['/api/%68ealth', 200],
  ['/%61pi/v1/%63ontainers', 200],
  ['/api/v1/containers/%71uota', 200],
  ['/_emulator/cl%6Fck', 200],
  // A slash that is no border of segments, and what would be decoded twice.
  ['/api%2Fhealth', 404],
  ['/api/%2568ealth', 404],
])('%s is answered with %i', async (path, status) => {
  const emulator = await startEmulator();
  expect((await call(emulator, 'GET', path)).status).toBe(status);
});

/** Half a megabyte, so many times. */
function* halfMegabytes(times: number): Generator<Buffer> {
  for (let n = 0; n < times; n++) yield Buffer.alloc(500_000, 32);
}

it('a client that still sends a body that nobody reads gets a response that is made in pieces, or read from a file', async () => {
  const emulator = await startEmulator({
    rateLimits: { enabled: false },
    quotas: { enabled: false },
    credits: { seeded: 100_000 },
  });
  const projects = Array.from({ length: 101 }, (_, n) => ({ name: `n${n}`, project_name: `p${n}` }));
  await Promise.all(projects.map((fields) => deploy(emulator, fields)));
  const registry = await registryOf(emulator);
  const { digest } = await pushBlob(registry, 'x'.repeat(300_000));
  const asked: [path: string, headers: Record<string, string>][] = [
    ['/api/v1/containers', { 'x-api-key': emulator.apiKey }],
    [`/v2/${registry.name}/blobs/${digest}`, basicOf(registry)],
  ];
  for (const [path, headers] of asked) {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.join('')}Connection: close\r\nContent-Length: 20000000\r\n\r\n`;
    const { heard, sent } = await send(emulator.port, head, halfMegabytes(40));
    expect([path, heard.slice(0, 15), sent]).toEqual([path, 'HTTP/1.1 200 OK', 20_000_000]);
    expect(heard.length).toBeGreaterThan(50_000);
  }
});
