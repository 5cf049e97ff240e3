// Requests through a container's address are lines of its log; made-up lines claim none.

import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { CreateEmulatorOptions, EmulatorWorld } from '../../../src/index.js';
import { call, deploy, getContainer, startWorld } from '../../support/emulator.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function startApp(onRequest: () => void = () => {}): Promise<number> {
  const app = createServer((req, res) => {
    onRequest();
    if (req.url === '/never') return;
    res.writeHead(req.url === '/bad' ? 500 : req.url === '/lost' ? 404 : 200).end('ok');
  });
  const sockets = new WebSocketServer({ server: app });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    sockets.close();
    app.closeAllConnections();
    app.close();
  });
  return (app.address() as AddressInfo).port;
}

type Line = { timestamp: string; level: string; message: string };

async function linesOf(emulator: Pick<EmulatorWorld, 'fetch' | 'apiKey'>, id: string, query = ''): Promise<Line[]> {
  return (await call(emulator, 'GET', `/api/v1/containers/${id}/logs${query}`)).body.logs;
}

const isRequest = ({ message }: Line): boolean => /^[A-Z]+ \S+ \d{3} \d+ms$/.test(message);

/** The lines of requests, without the time that they took. */
async function requestsOf(emulator: EmulatorWorld, id: string, query = '?tail=10000'): Promise<string[]> {
  const lines = (await linesOf(emulator, id, query)).filter(isRequest);
  return lines.map(({ level, message }) => `${level} ${message.replace(/ \d+ms$/, '')}`);
}

async function start(containers: CreateEmulatorOptions['containers'] = {}) {
  const emulator = await startWorld({ containers: { timing: 'instant', ...containers } });
  const { id } = await deploy(emulator);
  const { url } = await getContainer(emulator, id);
  return { emulator, id, url: url as string };
}

/** Requests are written down when their answer has been handed over, which a client need not see. */
const eventually = (read: () => Promise<string[]>) => expect.poll(read);

it('a container’s log has a line for each request, at its instant, with method, path, status and time', async () => {
  const { emulator, id, url } = await start({ upstreams: { web: await startApp() } });
  await fetch(`${url}/a?token=hidden`, { method: 'POST', body: 'x' });
  await eventually(() => requestsOf(emulator, id)).toEqual(['info POST /a 200']);
  await emulator.controls.clock.advance('1m');
  await fetch(`${url}/lost`);
  await eventually(() => requestsOf(emulator, id)).toHaveLength(2);
  await fetch(`${url}/bad`);
  await eventually(() => requestsOf(emulator, id)).toEqual([
    'info POST /a 200',
    'warn GET /lost 404',
    'error GET /bad 500',
  ]);
  const stamps = (await linesOf(emulator, id)).filter(isRequest).map(({ timestamp }) => timestamp);
  expect(stamps).toEqual(['2026-01-01T00:00:00.000Z', '2026-01-01T00:01:00.000Z', '2026-01-01T00:01:00.000Z']);
  expect(await requestsOf(emulator, id, '?since=2026-01-01T00:00:30Z')).toHaveLength(2);
  expect(await requestsOf(emulator, id, '?level=error')).toEqual(['error GET /bad 500']);
  expect(await requestsOf(emulator, id, '?tail=1')).toEqual(['error GET /bad 500']);
});

it('a container’s log has lines for WebSockets, for apps that do not answer, and for clients that do not wait', async () => {
  const { emulator, id, url } = await start({ upstreams: { web: await startApp(), gone: 1 } });
  const socket = new WebSocket(url.replace('http', 'ws'));
  await new Promise((resolve) => socket.once('open', resolve));
  socket.terminate();
  await eventually(() => requestsOf(emulator, id)).toEqual(['info GET / 101']);
  const impatient = connect(Number(new URL(url).port), '127.0.0.1', () =>
    impatient.write('GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n', () => setTimeout(() => impatient.destroy(), 50)),
  );
  await eventually(() => requestsOf(emulator, id)).toEqual(['info GET / 101', 'warn GET /never 499']);
  const gone = await deploy(emulator, { name: 'gone', project_name: 'gone' });
  await fetch((await getContainer(emulator, gone.id)).url);
  await eventually(() => requestsOf(emulator, gone.id)).toEqual(['error GET / 502']);
});

it.each(['port', 'path'] as const)(
  'a container’s log has lines for what the built-in app answers (%s style)',
  async (urlStyle) => {
    const { emulator, id, url } = await start({ urlStyle });
    await fetch(`${url}/x%1by`);
    await eventually(() => requestsOf(emulator, id)).toEqual(['info GET /x%1by 200']);
  },
);

it('a container’s log claims no request that nobody sent, and reports the platform’s checks as such', async () => {
  const { emulator, id } = await start();
  await emulator.controls.clock.advance('10m');
  const messages = (await linesOf(emulator, id, '?tail=10000')).map(({ message }) => message);
  expect(messages.length).toBeGreaterThan(500);
  expect(messages.filter((message) => /^(GET|POST) /.test(message))).toEqual([]);
  expect(messages.some((message) => message.startsWith('health check passed'))).toBe(true);
});

it('a container’s log makes up nothing about the user’s own app', async () => {
  const { emulator, id } = await start({ upstreams: { web: await startApp() } });
  await emulator.controls.clock.advance('10m');
  expect((await linesOf(emulator, id)).at(-1)?.message).toBe('Server listening on port 3000');
});

it('a container’s log streams a line as its request is answered, each once, though time stands', async () => {
  const { emulator, id, url } = await start({ upstreams: { web: await startApp() } });
  const abort = new AbortController();
  const read = async (lastId?: string) => {
    const answer = await emulator.fetch(`/api/v1/containers/${id}/logs/stream`, {
      headers: { authorization: `Bearer ${emulator.apiKey}`, ...(lastId !== undefined && { 'last-event-id': lastId }) },
      signal: abort.signal,
    });
    const events: { id: string; text: string }[] = [];
    const reading = (async () => {
      let text = '';
      for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
        text += new TextDecoder().decode(chunk);
        const parts = text.split('\n\n');
        text = parts.pop() ?? '';
        for (const part of parts) {
          const eventId = /^id: (.*)$/m.exec(part)?.[1];
          const data = /^data: (.*)$/m.exec(part)?.[1];
          if (eventId !== undefined && data !== undefined)
            events.push({ id: eventId, text: JSON.parse(data).data.message ?? JSON.parse(data).data.status });
        }
      }
    })().catch(() => {});
    return { events, reading };
  };
  const { events } = await read();
  const texts = () => events.map(({ text }) => text.replace(/ \d+ms$/, ''));
  await fetch(`${url}/1`);
  await expect.poll(texts).toContain('GET /1 200');
  await fetch(`${url}/2`);
  await expect.poll(texts).toContain('GET /2 200');
  // A change of the same instant comes after the requests before it.
  emulator.controls.containers.stop(id);
  await expect.poll(texts).toContain('stopped');
  expect(texts().filter((text) => text.startsWith('GET '))).toEqual(['GET /1 200', 'GET /2 200']);
  const first = events.find(({ text }) => text.startsWith('GET /1'));
  const resumed = await read(first?.id);
  await expect.poll(() => resumed.events.map(({ text }) => text)).toContain('stopped');
  expect(resumed.events[0]?.text).toMatch(/^GET \/2 200/);
  abort.abort();
});

describe('what is stored', () => {
  it('keeps more than a thousand of a container', async () => {
    const { emulator, id, url } = await start();
    for (let i = 0; i < 1_050; i++) await (await fetch(`${url}/${i}`)).arrayBuffer();
    await eventually(async () => (await requestsOf(emulator, id)).slice(-1)).toEqual(['info GET /1049 200']);
    const lines = await requestsOf(emulator, id);
    expect([lines.length, lines[0]]).toEqual([1_050, 'info GET /0 200']);
  });

  it('is part of snapshots, goes with its container, and ends with retention', async () => {
    const { emulator, id, url } = await start();
    await fetch(`${url}/kept`);
    await eventually(() => requestsOf(emulator, id)).toHaveLength(1);
    emulator.controls.snapshots.take({ name: 'one' });
    await fetch(`${url}/later`);
    await eventually(() => requestsOf(emulator, id)).toHaveLength(2);
    await emulator.controls.snapshots.restore('one');
    expect(await requestsOf(emulator, id)).toEqual(['info GET /kept 200']);
    await emulator.controls.clock.advance('8d');
    expect(await requestsOf(emulator, id)).toEqual([]);
    await call(emulator, 'DELETE', `/api/v1/containers/${id}`);
    const again = await deploy(emulator);
    expect(await requestsOf(emulator, again.id)).toEqual([]);
  });

  it('takes nothing down of a request that a restore has overtaken', async () => {
    let arrived = (): void => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const { emulator, id, url } = await start({ upstreams: { web: await startApp(() => arrived()) } });
    emulator.controls.snapshots.take({ name: 'one' });
    const cut = fetch(`${url}/never`).catch(() => 'cut');
    await arrival;
    await emulator.controls.snapshots.restore('one');
    emulator.controls.containers.stop(id);
    expect(await cut).toBe('cut');
    expect(await requestsOf(emulator, id)).toEqual([]);
  });
});
