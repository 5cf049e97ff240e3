// A hosted agent behind which a local process of the user's own answers: what it gets, what passes, what it costs, how it
// fails.

import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { configSchema } from '../../../src/config/schema.js';
import { mostAnswered } from '../../../src/http/upstream-answer.js';
import { call, type Platform, startWorld } from '../../support/emulator.js';
import { eventually } from '../../support/eventually.js';

interface Got {
  line: string;
  headers: IncomingMessage['headers'];
  body: string;
}

let server: Server;
let port: number;
let got: Got[];
/** How the process answers; by default with what it got. */
let respond: (req: IncomingMessage, res: ServerResponse, body: string) => void;

// One for all, so that the worlds share an emulator.
beforeAll(async () => {
  server = createServer((req, res) => {
    let body = '';
    req.on('data', (piece) => {
      body += String(piece);
    });
    req.on('end', () => {
      got.push({ line: `${req.method} ${req.url}`, headers: req.headers, body });
      respond(req, res, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
beforeEach(() => {
  got = [];
  respond = (_req, res, body) => sendJson(res, 200, { text: 'Mine', result: { text: 'Mine' }, got: body });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const sendJson = (res: ServerResponse, status: number, body: unknown): void =>
  void res
    .writeHead(status, { 'content-type': 'application/json', 'x-mine': 'yes', 'set-cookie': 'a=b' })
    .end(JSON.stringify(body));
const at = (agentId: string, path: string): string => `/api/v1/eliza/agents/${agentId}/${path}`;
const rpc = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 7, method, params });
const message = rpc('message.send', { text: 'Hello', roomId: 'lobby' });
// Nobody listens on the first port.
const nobody = 'http://127.0.0.1:1/base/';

async function start({
  server,
  ...settings
}: {
  server?: object;
  upstreamTimeout?: number;
} = {}): Promise<{ world: Platform; agentId: string }> {
  const hostedAgents = { upstreams: { Ada: port, Nobody: nobody }, ...settings };
  const world = await startWorld({ hostedAgents, ...(server !== undefined && { server }) });
  return { world, agentId: world.controls.hostedAgents.create({ name: 'Ada', tier: 'dedicated-always' }).id };
}

/** The status of a path that is sent as it is written. */
function statusOf({ url, apiKey }: Platform, path: string): Promise<number | undefined> {
  const { hostname, port: to, pathname } = new URL(url);
  const headers = { authorization: `Bearer ${apiKey}` };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port: to, path: pathname.replace(/\/$/, '') + path, headers, agent: false });
    sent.once('response', (answer) => resolve(answer.resume().statusCode)).once('error', reject);
    sent.end();
  });
}

const creditsOf = (world: Platform): number => world.controls.organizations.list()[0]?.credits ?? 0;

describe('what goes to the process', () => {
  it('is the request with its query and its body, without the credentials of the platform', async () => {
    const { world, agentId } = await start();
    const answer = await call(
      world,
      'POST',
      `${at(agentId, 'bridge')}?trace=1`,
      { ...message, extra: [1] },
      { 'x-wallet-signature': 'mine', 'x-own': 'mine' },
    );
    expect(answer.status).toBe(200);
    expect(got).toMatchObject([{ line: 'POST /bridge?trace=1', headers: { 'content-type': 'application/json' } }]);
    expect(JSON.parse(got[0]?.body ?? '')).toEqual({ ...message, extra: [1] });
    const { authorization, 'x-wallet-signature': signature, 'x-own': own } = got[0]?.headers ?? {};
    expect([authorization, signature, own]).toEqual([undefined, undefined, 'mine']);
    expect(answer.headers.get('x-mine')).toBe('yes');
    // It answers at the platform's origin, in whose name it must not act.
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('content-security-policy')).toBe('sandbox');
  });

  it.each<[method: string, path: string, body: object | undefined, line: string]>([
    ['POST', 'bridge', rpc('heartbeat'), 'POST /bridge'],
    ['POST', 'bridge', rpc('of.mine'), 'POST /bridge'],
    ['GET', 'api/health', undefined, 'GET /api/health'],
    ['GET', 'api/status', undefined, 'GET /api/status'],
    ['GET', 'api/conversations', undefined, 'GET /api/conversations'],
    ['POST', 'api/conversations', { title: 'Plans' }, 'POST /api/conversations'],
    ['GET', 'api/conversations/mine/messages', undefined, 'GET /api/conversations/mine/messages'],
    ['POST', 'api/conversations/mine/messages', { text: 'Hi' }, 'POST /api/conversations/mine/messages'],
    ['GET', 'api/plugins/a%2Fb/logs?tail=5', undefined, 'GET /api/plugins/a%2Fb/logs?tail=5'],
    ['POST', 'api/plugins/mine', { on: true }, 'POST /api/plugins/mine'],
  ])('%s …/%s', async (method, path, body, line) => {
    const { world, agentId } = await start();
    respond = (_req, res) => sendJson(res, 201, { mine: [path] });
    const answer = await call(world, method, at(agentId, path), body);
    expect([answer.status, answer.body]).toEqual([201, { mine: [path] }]);
    expect(got.map((one) => [one.line, one.body])).toEqual([[line, body === undefined ? '' : JSON.stringify(body)]]);
  });

  it.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['http://localhost:3000', 200],
    ['https://listed.example', 200],
  ])('is what a page of %s sends: %d', async (origin, status) => {
    const { world, agentId } = await start({ server: { corsOrigins: ['https://listed.example'] } });
    for (const [method, path, body] of [
      ['POST', 'bridge', message],
      ['POST', 'bridge', rpc('of.mine')],
      ['GET', 'api/status', undefined],
      ['GET', 'api/plugins', undefined],
    ] as const)
      expect((await call(world, method, at(agentId, path), body, { origin })).status, path).toBe(status);
    expect(got.length).toBe(status === 200 ? 4 : 0);
  });

  it('is nothing of other agents, of agents that do not run, and of paths that leave the API', async () => {
    const { world, agentId } = await start();
    const other = world.controls.hostedAgents.create({ name: 'Ben' }).id;
    expect((await call(world, 'GET', at(other, 'api/status'))).body.agentName).toBe('Ben');
    expect((await call(world, 'GET', at(other, 'api/plugins'))).body.error.message).toContain('hostedAgents.upstreams');
    for (const path of ['api/a/%2e%2E/b', 'api/../b', 'api/.'])
      expect(await statusOf(world, at(agentId, path))).toBe(404);
    world.controls.hostedAgents.set(agentId, { status: 'stopped' });
    expect((await call(world, 'GET', at(agentId, 'api/health'))).status).toBe(409);
    expect((await call(world, 'GET', at(agentId, 'api/plugins'))).status).toBe(409);
    expect((await call(world, 'POST', at(agentId, 'bridge'), message)).body.error.code).toBe(-32_000);
    expect(got).toEqual([]);
  });
});

describe('what comes back', () => {
  it('is any content, as it comes', async () => {
    const { world, agentId } = await start();
    const picture = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 256));
    respond = (_req, res) => void res.writeHead(203, { 'content-type': 'image/png' }).end(picture);
    const headers = { authorization: `Bearer ${world.apiKey}` };
    const answer = await fetch(world.url + at(agentId, 'api/picture'), { headers });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([203, 'image/png']);
    expect(Buffer.from(await answer.arrayBuffer()).equals(picture)).toBe(true);
    respond = (_req, res) => void res.writeHead(204).end();
    expect((await call(world, 'POST', at(agentId, 'api/picture'), { on: false })).status).toBe(204);
    respond = (_req, res) => sendJson(res, 422, { error: 'Mine' });
    const refused = await call(world, 'GET', at(agentId, 'api/picture'));
    expect([refused.status, refused.body]).toEqual([422, { error: 'Mine' }]);
  });

  it('is a stream, event by event', async () => {
    const { world, agentId } = await start();
    let more = (): void => {};
    respond = (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(': thinking\n\nevent: chunk\r\ndata: {"messageId":"m","chunk":"Hé');
      more = () =>
        res.end('llo"}\r\n\r\nid: 2\ndata: one\ndata: two\n\nevent: done\ndata: {"messageId":"m","text":"Héllo"}\n\n');
    };
    const streamed = call(world, 'POST', at(agentId, 'stream'), message);
    await eventually(() => got.length === 1 && world.controls.streams.list().length === 1);
    more();
    const answer = await streamed;
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
    expect(answer.text).toBe(
      ': thinking\n\nevent: chunk\ndata: {"messageId":"m","chunk":"Héllo"}\n\nid: 2\ndata: one\ndata: two\n\nevent: done\ndata: {"messageId":"m","text":"Héllo"}\n\n',
    );
    const { text } = world.controls.streams.list()[0] ?? {};
    expect(text).toContain('Héllo');
  });

  it('can be changed, lost and cut off by faults', async () => {
    const { world, agentId } = await start();
    const faulted = (effect: object, path: string, body?: object, phase?: string) =>
      call(world, body === undefined ? 'GET' : 'POST', at(agentId, path), body, {
        'x-emulator-fault': JSON.stringify({ effect, ...(phase !== undefined && { phase }) }),
      });
    expect((await faulted({ set: { '/text': 'Not mine' } }, 'api/health')).body.text).toBe('Not mine');
    expect((await faulted({ status: 503 }, 'api/health')).status).toBe(503);
    respond = (_req, res) => void res.writeHead(200, { 'content-type': 'text/plain' }).end('0123456789');
    expect((await faulted({ network: 'malformed' }, 'api/health')).text).toBe('01234');
    respond = (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.end('event: chunk\ndata: {"chunk":"a"}\n\nevent: chunk\ndata: {"chunk":"b"}\n\n');
    };
    await expect(faulted({ network: 'truncate', afterEvents: 1 }, 'stream', message, 'partial')).rejects.toThrow();
  });
});

describe('what an answer costs', () => {
  const spent = async (world: Platform, path: string, body: object): Promise<number> => {
    const before = creditsOf(world);
    await call(world, 'POST', path, body);
    return before - creditsOf(world);
  };

  it('is what the platform takes for the same answer of a model', async () => {
    const { world, agentId } = await start();
    const other = world.controls.hostedAgents.create({ name: 'Ben' }).id;
    world.controls.replies.add({ model: 'Ben', text: 'Mine' });
    const usual = await spent(world, at(other, 'bridge'), message);
    expect(usual).toBeGreaterThan(0);
    expect(await spent(world, at(agentId, 'bridge'), message)).toBeCloseTo(usual, 9);
    expect(await spent(world, at(agentId, 'api/conversations/x/messages'), { text: 'Hello' })).toBeCloseTo(usual, 9);
    respond = (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.end('event: chunk\ndata: {"chunk":"Mi"}\n\nevent: chunk\ndata: {"text":"ne"}\n\n');
    };
    expect(await spent(world, at(agentId, 'stream'), message)).toBeCloseTo(usual, 9);
    expect(world.controls.ledger().at(-1)).toMatchObject({ operation: 'hostedAgents.stream' });
  });

  it('is nothing for what is no message, and for errors', async () => {
    const { world, agentId } = await start();
    expect(await spent(world, at(agentId, 'bridge'), rpc('heartbeat'))).toBe(0);
    respond = (_req, res) => sendJson(res, 200, { jsonrpc: '2.0', id: 7, error: { code: 1, message: 'No' } });
    expect(await spent(world, at(agentId, 'bridge'), message)).toBeCloseTo(0, 9);
    respond = (_req, res) => sendJson(res, 500, { text: 'No' });
    expect(await spent(world, at(agentId, 'api/conversations/x/messages'), { text: 'Hello' })).toBeCloseTo(0, 9);
    world.controls.organizations.credits(world.organizationId, { set: 0 });
    got = [];
    expect((await call(world, 'POST', at(agentId, 'bridge'), message)).status).toBe(402);
    expect(got).toEqual([]);
  });
});

describe('a process that fails', () => {
  it('is 502 with what was tried', async () => {
    const { world } = await start();
    const { id } = world.controls.hostedAgents.create({ name: 'Nobody' });
    const { status, body } = await call(world, 'POST', at(id, 'bridge'), message);
    expect([status, body.error.code]).toEqual([502, 'SERVICE_UNAVAILABLE']);
    expect(body.error.message).toBe(
      'the upstream http://127.0.0.1:1/base/bridge did not answer (ECONNREFUSED); is your app running there?',
    );
    expect(world.controls.ledger().at(-1)).toMatchObject({ type: 'refund' });
  });

  it('is 504 where it does not begin to answer in time', async () => {
    const { world, agentId } = await start({ upstreamTimeout: 50 });
    respond = () => {};
    const { status, body } = await call(world, 'GET', at(agentId, 'api/health'));
    expect(status).toBe(504);
    expect(body.error.message).toContain('hostedAgents.upstreamTimeout');
  });

  it.each<[name: string, answer: (res: ServerResponse) => void, message: string]>([
    ['breaks off JSON', (res) => void res.write('{"a":', () => res.destroy()), 'broke off its answer'],
    ['sends JSON that is none', (res) => void res.end('{"a":'), 'sent JSON that is none'],
    ['sends too much', (res) => void res.end(`"${'a'.repeat(mostAnswered)}"`), 'sent more than 16777216 bytes'],
  ])('is 502 where it %s', async (_, answer, said) => {
    const { world, agentId } = await start();
    respond = (_req, res) => answer(res.writeHead(200, { 'content-type': 'application/json' }));
    const { status, body } = await call(world, 'GET', at(agentId, 'api/health'));
    expect(status).toBe(502);
    expect(body.error.message).toContain(said);
  });

  it('ends a stream with an error, and other content without its end', async () => {
    const { world, agentId } = await start();
    respond = (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: one\n\n', () => res.destroy());
    };
    const { text } = await call(world, 'POST', at(agentId, 'stream'), message);
    expect(text).toMatch(/^data: one\n\nevent: error\ndata: \{"message":"the upstream .* broke off its answer/);
    respond = (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/plain' });
      res.write('half', () => res.destroy());
    };
    await expect(call(world, 'GET', at(agentId, 'api/notes'))).rejects.toThrow();
  });

  it('is left alone when the client leaves, the agent stops or its data go', async () => {
    const { world, agentId } = await start();
    let left = 0;
    respond = (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: one\n\n');
      res.once('close', () => left++);
    };
    const open = async (signal?: AbortSignal) => {
      const headers = { authorization: `Bearer ${world.apiKey}` };
      const path = at(agentId, 'stream');
      const answer = await fetch(world.url + path, {
        method: 'POST',
        headers,
        body: JSON.stringify(message),
        signal: signal ?? null,
      });
      expect(answer.status).toBe(200);
      return answer;
    };
    const leaving = new AbortController();
    await open(leaving.signal);
    leaving.abort();
    await eventually(() => left === 1);
    const stopped = await open();
    world.controls.hostedAgents.set(agentId, { status: 'stopped' });
    expect(await stopped.text()).toContain('event: error');
    world.controls.hostedAgents.set(agentId, { status: 'running' });
    const gone = await open();
    await world.controls.reset();
    expect(await gone.text()).toContain('event: error');
    await eventually(() => left === 3);
  });
});

it.each(['http://example.com/', 'http://169.254.169.254/', 'ftp://localhost/', 0])(
  'the setting takes nothing but this machine: %s',
  (upstream) => {
    const { error } = configSchema.safeParse({ hostedAgents: { upstreams: { Ada: upstream } } });
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['hostedAgents.upstreams.Ada']);
  },
);

it('without the setting the paths of the rest are not implemented', async () => {
  const world = await startWorld();
  const { id } = world.controls.hostedAgents.create({ name: 'Ada' });
  expect((await call(world, 'GET', at(id, 'api/plugins'))).status).toBe(501);
});
