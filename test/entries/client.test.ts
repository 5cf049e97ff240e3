// `cloudemu/client`: an emulator that runs elsewhere, its worlds, and what it says of them.

import { once } from 'node:events';
import { realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createOwnerCheck } from '../../src/client/owner.js';
import { connect, type RemoteWorld } from '../../src/client.js';
import { createCaller } from '../../src/control/call.js';
import { type CreateEmulatorOptions, createEmulator, type Emulator } from '../../src/index.js';
import { closedUrl } from '../support/closed-port.js';
import { tempDir } from '../support/command.js';
import { startEmulator } from '../support/emulator.js';
import { hasNetworks, inOwnNetwork } from '../support/own-network.js';
import { itWhere } from '../support/tools.js';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

afterEach(() => vi.unstubAllEnvs());

async function startWorld(options?: CreateEmulatorOptions): Promise<{ emulator: Emulator; world: RemoteWorld }> {
  const emulator = await startEmulator(options);
  return { emulator, world: await connect({ url: emulator.url }).createWorld({ id: 'blue' }) };
}

const send = (world: RemoteWorld, path: string, init: RequestInit = {}): Promise<Response> =>
  world.fetch(path, { ...init, headers: { authorization: `Bearer ${world.apiKey}` } });

const shop = JSON.stringify({ name: 'Shop', project_name: 'shop', ecr_image_uri: 'registry/shop:v1' });

describe('connect', () => {
  it('finds the emulator that CLOUDEMU_URL names, with or without a slash', async () => {
    const { url } = await startEmulator();
    vi.stubEnv('CLOUDEMU_URL', `${url}/`);
    expect(connect().url).toBe(url);
    expect((await connect().controls.health()).status).toBe('ready');
    expect((await connect().fetch('/openapi.json')).status).toBe(200);
  });

  it('takes the next number where a world of the label exists that was made otherwise', async () => {
    const { url } = await startEmulator();
    const idOf = async (seed: number): Promise<string> => (await connect({ url }).createWorld({ label: 'a', seed })).id;
    const first = await idOf(1);
    expect(await idOf(2)).toBe(`${first}-2`);
    await expect(connect({ url }).createWorld({ id: first, seed: 2 })).rejects.toThrow(
      `There is a world "${first}" that was created otherwise (label, seed): end it, or choose another id`,
    );
  });

  it('deletes nothing for a name that would change the path', async () => {
    const { url, controls } = await startEmulator();
    controls.faults.add({ match: { operation: 'keys.list' }, effect: { status: 503 } });
    const remote = connect({ url }).controls;
    for (const name of ['.', '..', ''])
      await expect(remote.faults.remove(name)).rejects.toThrow(/There is no thing with the id "/);
    expect(controls.faults.list()).toHaveLength(1);
  });

  it('does not take a name for another operation', async () => {
    const { url, controls } = await startEmulator();
    const remote = connect({ url }).controls;
    // This would be the stream of all requests, which never ends.
    await expect(remote.requests.get('stream')).rejects.toThrow(/There is no thing with the id "/);
    await expect(remote.faults.get('never-fired')).rejects.toThrow(/There is no thing with the id "/);
    controls.snapshots.take({ name: 'import' });
    await remote.snapshots.remove('import');
    expect(controls.snapshots.list()).toEqual([]);
  });

  it('finds nothing by a name with half a character', async () => {
    const remote = connect({ url: (await startEmulator()).url }).controls;
    await expect(remote.containers.get('\ud800')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('uses the default port if no URL is given', () => {
    vi.stubEnv('CLOUDEMU_URL', '');
    expect(connect().url).toBe('http://127.0.0.1:4747');
  });

  itWhere(hasNetworks)(
    'refuses the emulator of another directory at the default port, unless it is named',
    async () => {
      const [mine, other] = [tempDir(), tempDir()].map((directory) => realpathSync(directory)) as [string, string];
      for (const directory of [mine, other]) writeFileSync(join(directory, 'package.json'), '{}');
      const program = `
      import { createEmulator } from '${join(dist, 'index.js')}';
      import { connect } from '${join(dist, 'client.js')}';
      const told = (act) => Promise.resolve().then(act).then(() => 'done', ({ message }) => message);
      const { MINE, OTHER } = process.env;
      process.chdir(MINE);
      const early = connect();
      const none = await told(() => early.controls.health());
      process.chdir(OTHER);
      const emulator = await createEmulator({ port: 4747 });
      const inOther = await told(() => connect().createWorld({ id: 'blue' }));
      process.chdir(MINE);
      const follow = async () => { for await (const _ of connect().controls.events()) return; };
      const refused = [
        await told(() => early.createWorld()),
        await told(() => early.controls.reset()),
        await told(() => early.fetch('/api/health')),
        await told(follow),
      ];
      const named = [await told(() => connect({ url: emulator.url }).controls.health())];
      process.env.CLOUDEMU_URL = emulator.url;
      named.push(await told(() => connect().controls.health()));
      const worlds = emulator.controls.worlds.list().map(({ id }) => id);
      await emulator.close();
      console.log(JSON.stringify({ none, inOther, refused, named, worlds }));`;
      const { none, inOther, refused, named, worlds } = await inOwnNetwork(program, { MINE: mine, OTHER: other });
      expect(none).toContain('No emulator answers at http://127.0.0.1:4747');
      expect([inOther, named, worlds]).toEqual(['done', ['done', 'done'], ['default', 'blue']]);
      const url = 'http://127.0.0.1:4747';
      const message = `The emulator at ${url} belongs to ${other}, not to this directory, ${mine}. If you mean it, say so: connect({ url: '${url}' }), or CLOUDEMU_URL=${url}.`;
      for (const text of refused) expect(text).toContain(message);
      expect(new Set(refused).size).toBe(1);
    },
  );

  it('takes a shared emulator for its own', async () => {
    const server = createServer((_, res) =>
      res.end(JSON.stringify({ status: 'ready', identity: { root: '/srv', name: 'srv', shared: true } })),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await createOwnerCheck(url, createCaller(url, undefined, new Set()))();
    server.close();
  });

  it('sends its token to the control plane only', async () => {
    const seen: [path: string | undefined, authorization: string | undefined][] = [];
    const server = createServer((req, res) => {
      seen.push([req.url, req.headers.authorization]);
      res.end(JSON.stringify({ id: 'blue', apiKey: 'key', port: null }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    vi.stubEnv('CLOUDEMU_CONTROL_TOKEN', 'from the environment');
    const world = await connect({ url }).createWorld({ id: 'blue' });
    await world.fetch('/api/v1/user');
    await connect({ url, token: 'given' }).controls.health();
    server.close();
    expect(seen).toEqual([
      ['/w/blue/_emulator/world', 'Bearer from the environment'],
      ['/w/blue/api/v1/user', undefined],
      ['/_emulator/health', 'Bearer given'],
    ]);
  });

  it.each(['127.0.0.1:4747', 'localhost', 'ftp://127.0.0.1', 'http://'])('refuses %s', (url) => {
    expect(() => connect({ url })).toThrow(`must be a URL that begins with http:// or https://, got "${url}"`);
  });

  it('reports when nothing answers, or another server does', async () => {
    const dead = await closedUrl();
    await expect(connect({ url: dead }).controls.health()).rejects.toThrow(
      `No emulator answers at ${dead}: start one with \`cloudemu start\`, or name one with CLOUDEMU_URL`,
    );
    const server = createServer((_, res) => res.writeHead(404).end('nothing here')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(connect({ url }).createWorld()).rejects.toThrow(`What answered at ${url}/w/`);
    server
      .removeAllListeners('request')
      .on('request', (_, res) => res.writeHead(308, { location: 'https://e.test' }).end());
    await expect(connect({ url }).controls.health()).rejects.toThrow(
      `What answered at ${url}/_emulator/health is not cloudemu: it returned 308, and redirects to https://e.test`,
    );
    server.removeAllListeners('request').on('request', (_, res) => res.writeHead(500).end('{"error":null}'));
    await expect(connect({ url }).controls.health()).rejects.toThrow('is not cloudemu: it returned 500');
    const page = { 'content-type': 'text/html' };
    server.removeAllListeners('request').on('request', (_, res) => res.writeHead(200, page).end('<html>'));
    const { controls } = connect({ url });
    await expect(controls.clock.get()).rejects.toThrow(
      `What answered at ${url}/_emulator/clock is not cloudemu: its answer is no JSON object`,
    );
    await expect(controls.events()[Symbol.asyncIterator]().next()).rejects.toThrow(
      `What answered at ${url}/_emulator/events is not cloudemu: its answer is text/html, no stream`,
    );
    server.close();
  });

  it('reports a server that closes each connection at once', async () => {
    const server = createTcpServer((socket) => void socket.on('error', () => {}).destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(connect({ url }).controls.health()).rejects.toThrow(`No emulator answers at ${url}: start one`);
    server.close();
  });

  it.each([200, 500])(
    'says that the emulator broke off an answer (%s), and gives the reason of an abort',
    async (status) => {
      const server = createServer((_, res) => {
        res.writeHead(status, { 'content-length': 100 }).write('data: {}\n\n');
        setTimeout(() => res.destroy(), 200);
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { controls } = connect({ url });
      const message = `The emulator at ${url} closed the connection before its whole answer had come`;
      await expect(controls.health()).rejects.toThrow(message);
      const followed = async () => {
        for await (const _ of controls.requests.follow());
      };
      await expect(followed()).rejects.toThrow(message);
      const leaving = new AbortController();
      setTimeout(() => leaving.abort(new Error('enough')), 50);
      const waited = controls.await({ container: 'app', status: 'running' }, { signal: leaving.signal });
      await expect(waited).rejects.toThrow('enough');
      server.close();
    },
  );
});

describe('errors', () => {
  it('are those of the controls, with every invalid field', async () => {
    const { url } = await startEmulator();
    const { controls } = connect({ url });
    const wrong = { match: { operation: 'containers.creat' }, effect: { status: 503, retryAftr: 1 } };
    const error = await controls.faults.add(wrong as never).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'ApiError', code: 'VALIDATION_ERROR', status: 400 });
    expect(String(error)).toMatch(/effect\.retryAftr .*did you mean retryAfter\?/);
    await expect(controls.containers.get('a/b?c')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(controls.await({ container: 'none', status: 'running' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('end the wait in the emulator when the client gives up', async () => {
    const { url } = await startEmulator();
    const giveUp = new AbortController();
    const waiting = connect({ url }).controls.await(
      { operation: 'containers.create', count: 1 },
      { signal: giveUp.signal },
    );
    giveUp.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    const told: unknown[] = [];
    for await (const event of connect({ url }).controls.events({ signal: giveUp.signal })) told.push(event);
    expect(told).toEqual([]);
  });
});

describe('a world', () => {
  it('is reached by its URL, has controls of its own, and ends', async () => {
    const { emulator, world } = await startWorld();
    expect(world.url).toBe(`${emulator.url}/w/blue`);
    expect((await send(world, '/api/v1/containers', { method: 'POST', body: shop })).status).toBe(202);
    await world.controls.clock.advance('10m');
    expect(await world.controls.containers.get('shop')).toMatchObject({ status: 'running' });
    expect(await connect({ url: world.url }).controls.containers.list()).toHaveLength(1);
    expect(emulator.controls.containers.list()).toEqual([]);
    await world.close();
    expect((await send(world, '/api/v1/containers')).status).toBe(404);
    await world.close();
  });

  it('is reached by the URL of its client, whatever the public URL', async () => {
    const emulator = await startEmulator({ publicUrl: 'http://emulator.example:4747' });
    const world = await connect({ url: `http://127.0.0.1:${emulator.port}` }).createWorld({ id: 'blue', port: 0 });
    expect(world.url).toBe(`http://127.0.0.1:${emulator.port}/w/blue`);
    const answer = await fetch(`http://127.0.0.1:${world.port}/api/v1/containers`, {
      headers: { authorization: `Bearer ${world.apiKey}` },
    });
    expect(answer.status).toBe(200);
  });

  it('has the same data in each run, though its id is another one', async () => {
    const keys = [];
    for (let run = 0; run < 2; run++) {
      const emulator = await startEmulator();
      const { createWorld } = connect({ url: emulator.url });
      const worlds = [await createWorld(), await createWorld()];
      keys.push(worlds.map(({ apiKey }) => apiKey));
      expect(new Set(worlds.map(({ id }) => id)).size).toBe(2);
    }
    expect(keys[0]).toEqual(keys[1]);
    expect(new Set(keys[0]).size).toBe(2);
  });

  it('ends with the block that created it (await using)', async () => {
    const emulator = await startEmulator();
    {
      await using world = await connect({ url: emulator.url }).createWorld();
      expect(emulator.controls.worlds.list()).toHaveLength(2);
      expect((await send(world, '/api/v1/user')).status).toBe(200);
    }
    expect(emulator.controls.worlds.list()).toHaveLength(1);
    {
      await using world = await emulator.createWorld({ id: 'here' });
      expect(world.controls.containers.list()).toEqual([]);
    }
    expect(emulator.controls.worlds.list()).toHaveLength(1);
  });
});

it('a block ends the emulator of this process that it started (await using)', async () => {
  let url: string;
  {
    await using emulator = await createEmulator();
    url = emulator.url;
    expect((await emulator.fetch('/openapi.json')).status).toBe(200);
  }
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});

describe('the report on a world', () => {
  it('is short if there were no requests', async () => {
    const { world } = await startWorld();
    const { now } = await world.controls.clock.get();
    expect(await world.report()).toEqual({
      ok: true,
      failed: [],
      text: `No request came to this world.\nClock: ${now}, frozen\nSettings: profile spec (no file)\nDashboard: ${world.url}/_emulator/`,
      url: `${world.url}/_emulator/`,
    });
  });

  it('shows the last twelve requests with their outcomes, the oldest first', async () => {
    const { world } = await startWorld();
    for (let number = 1; number <= 12; number++) await send(world, `/api/v1/containers/c${number}`);
    const fault = { match: { operation: 'containers.create' }, phase: 'after', effect: { network: 'reset' } } as const;
    await world.controls.faults.add(fault);
    await expect(send(world, '/api/v1/containers', { method: 'POST', body: shop })).rejects.toThrow();
    const { ok, text } = await world.report();
    expect(ok).toBe(true);
    const [title, ...lines] = text.split('\n');
    expect(title).toBe('The last 12 of 13 requests:');
    expect(lines[0]).toMatch(
      /^ {2}\d\d:\d\d:\d\d\.\d{3} {2}GET \/api\/v1\/containers\/c2 {2}404 NOT_FOUND: Container not found$/,
    );
    expect(lines[11]).toMatch(/POST \/api\/v1\/containers {2}no response by fault fault_1$/);
    expect(text).not.toContain(world.apiKey);
  });

  it('names what the client did wrong, and a stream that is still open, but not one that was closed just now', async () => {
    const { world } = await startWorld();
    await send(world, '/api/v1/containers', { method: 'POST', body: shop });
    const { id } = await world.controls.containers.get('shop');
    const giveUp = new AbortController();
    const stream = await send(world, `/api/v1/containers/${id}/logs/stream`, { signal: giveUp.signal });
    await send(world, '/api/v1/containers?pge=2');
    const open = await world.report();
    expect(open.ok).toBe(false);
    expect(open.text).toMatch(/^Not as expected:\n {2}verdict (streams-closed|no-unknown-fields): fail/);
    expect(open.text).toMatch(/logs\/stream is still open/);
    // A response that nothing holds is collected, and its connection ends.
    expect(stream.bodyUsed).toBe(false);
    giveUp.abort();
    const closed = await world.report();
    expect(closed.ok).toBe(false);
    expect(closed.text).not.toContain('streams-closed');
    expect(closed.text).toContain('unknown query parameter query.pge');
  });

  it('judges by the expectations of the scenario', async () => {
    const { url } = await startEmulator();
    const world = await connect({ url }).createWorld({
      scenario: { expect: { requests: [{ operation: 'containers.create', count: 1 }] } },
    });
    expect((await world.report()).text).toContain('requests of containers.create: 0, expected 1');
    await send(world, '/api/v1/containers', { method: 'POST', body: shop });
    expect((await world.report()).ok).toBe(true);
  });
});
