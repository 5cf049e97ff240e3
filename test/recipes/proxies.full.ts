// The proxy configurations of docs/scale, with the real programs before three emulators: each world stays with one
// process, whatever its clients do, and when that process is killed, only its own worlds wait until it is back.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { connect, type RemoteWorld } from '../../src/client.js';
import { tempDir } from '../support/command.js';
import { call, deploy } from '../support/emulator.js';
import { eventually } from '../support/eventually.js';
import { endProxies, type Node, programs, startNode, startProxy } from '../support/proxied.js';
import { pushBlob, registryOf } from '../support/push.js';
import { spread } from '../support/spread.js';
import { openStream } from '../support/sse.js';
import { itWhere, type Outcome, runTool, works } from '../support/tools.js';

const worldCount = 300;
const requestsPerWorld = 10;

afterAll(endProxies);

/** A server that answers every WebSocket with what it is sent. */
async function echoServer(): Promise<number> {
  const server = createServer();
  server.on('upgrade', (_, socket) => {
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n',
    );
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function echoed(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const sent = request(url, { headers, agent: false });
    sent.on('error', reject);
    sent.on('response', ({ statusCode }) => reject(new Error(`answered ${statusCode}`)));
    sent.on('upgrade', (_, socket) => {
      socket.once('data', (data: Buffer) => {
        resolve(String(data));
        socket.destroy();
      });
      socket.write(text);
    });
    sent.end();
  });
}

/** A request whose Host is chosen, which fetch does not let. */
function asked(
  method: string,
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; world: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode, world: answer.headers['x-emulator-world'] });
    });
    sent.end();
  });
}

/** Makes the worlds through a proxy; each is asked some times, and always answers itself. */
async function makeWorlds(url: string): Promise<RemoteWorld[]> {
  const { createWorld } = connect({ url });
  const worlds: RemoteWorld[] = [];
  const ids = Array.from({ length: worldCount }, (_, n) => `p-${n}`);
  await spread(ids, async (id) => {
    const world = await createWorld({ id });
    worlds.push(world);
    await call(world, 'POST', '/api/v1/app/agents', { name: `of ${id}`, bio: 'x' });
    for (let asked = 1; asked < requestsPerWorld; asked++) {
      const { status, headers, body } = await call(world, 'GET', '/api/my-agents/characters');
      const names = body.data.characters.map(({ name }: { name: string }) => name);
      expect([status, headers.get('x-emulator-world'), names]).toEqual([200, id, [`of ${id}`]]);
    }
  });
  return worlds;
}

/** The ids of the worlds that each process holds. */
function sharesOf(nodes: readonly Node[]): Promise<string[][]> {
  return Promise.all(
    nodes.map(async ({ port }) => {
      const listed = await connect({ url: `http://127.0.0.1:${port}` }).controls.worlds.list();
      return listed.map(({ id }) => id).filter((id) => id !== 'default');
    }),
  );
}

async function reachByHeader(url: string, world: RemoteWorld): Promise<void> {
  const headers = { authorization: `Bearer ${world.apiKey}`, 'x-emulator-world': world.id };
  expect((await fetch(`${url}/api/v1/containers`, { headers })).status).toBe(200);
}

/** Events, WebSockets and images pass the proxy. */
async function passAllKinds(url: string, world: RemoteWorld): Promise<void> {
  const { id, url: containerUrl } = await deploy(world, { name: 'socket', project_name: 'socket' });
  const logs = `${world.url}/api/v1/containers/${id}/logs/stream`;
  const stream = await openStream(logs, { authorization: `Bearer ${world.apiKey}` });
  stream.close();
  const path = containerUrl ?? (await call(world, 'GET', `/api/v1/containers/${id}`)).body.data.url;
  expect(await echoed(new URL(new URL(path).pathname, url).href, 'hello')).toBe('hello');
  const registry = await registryOf(world);
  const { digest } = await pushBlob(registry, 'a layer'.repeat(100_000));
  expect((await registry.send('HEAD', `/blobs/${digest}`)).status).toBe(200);
}

/** Containers that are created in worlds: those that were acknowledged, and the statuses with which `mine` refused others. */
function createWriter(worlds: readonly RemoteWorld[], mine: ReadonlySet<string>) {
  const acknowledged = new Map<string, string[]>(worlds.map(({ id }) => [id, []]));
  const refused = new Set<number>();
  return {
    acknowledged,
    refused,
    async write(to: RemoteWorld, name: string): Promise<void> {
      const body = { name, project_name: name, ecr_image_uri: '127.0.0.1:4747/acme/web:v1' };
      const { status } = await call(to, 'POST', '/api/v1/containers', body);
      if (status === 202) acknowledged.get(to.id)?.push(name);
      else if (mine.has(to.id)) refused.add(status);
      else throw new Error(`${to.id} answered ${status}`);
    },
  };
}

/** Kills a process while worlds of all processes are written to, and starts it again; returns the new process. */
async function killUnderLoad(
  killed: Node,
  upstream: number,
  worlds: readonly RemoteWorld[],
  mine: ReadonlySet<string>,
): Promise<Node> {
  const { acknowledged, refused, write } = createWriter(worlds, mine);
  const some = [
    ...worlds.filter(({ id }) => mine.has(id)).slice(0, 20),
    ...worlds.filter(({ id }) => !mine.has(id)).slice(0, 20),
  ];
  const load = spread(some, async (world) => {
    for (let n = 0; n < 6; n++) await write(world, `under-load-${n}`);
  });
  await eventually(() => [...acknowledged.values()].flat().length > 20);
  await killed.running.end('SIGKILL');
  await load;
  await write(some[0] as RemoteWorld, 'while-down');
  expect([...refused]).toEqual([502]);

  const back = await startNode(upstream, killed.dir, killed.port);
  await spread(some, async (world) => {
    await write(world, 'afterwards');
    const { body } = await call(world, 'GET', '/api/v1/containers');
    const names = body.data.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(acknowledged.get(world.id) ?? []));
    expect(acknowledged.get(world.id)).toContain('afterwards');
  });
  return back;
}

describe.each(Object.keys(programs) as (keyof typeof programs)[])('%s before three emulators', (program) => {
  it('sends each world’s requests to one process, whatever clients send, and after a kill', async () => {
    const upstream = await echoServer();
    const nodes = await Promise.all([0, 1, 2].map(() => startNode(upstream)));
    const { url } = await startProxy(
      program,
      nodes.map(({ port }) => port),
    );
    const worlds = await makeWorlds(url);
    const shares = await sharesOf(nodes);
    expect(shares.flat().sort()).toEqual(worlds.map(({ id }) => id).sort());
    for (const share of shares) expect(share.length).toBeGreaterThan(worldCount / 8);

    const [world] = worlds as [RemoteWorld];
    await reachByHeader(url, world);
    await passAllKinds(url, world);

    const [killed, ...others] = nodes as [Node, Node, Node];
    const back = await killUnderLoad(killed, upstream, worlds, new Set(shares[0]));
    for (const { running } of [back, ...others]) await running.end('SIGTERM');
  });

  it('routes a login and a push to the world that the label of the Host names', async () => {
    const nodes = await Promise.all([0, 1, 2].map(() => startNode()));
    const { url } = await startProxy(
      program,
      nodes.map(({ port }) => port),
    );
    const { createWorld } = connect({ url });
    for (const id of ['red', 'green', 'blue', 'black']) {
      const registry = await registryOf(await createWorld({ id }));
      const headers = { host: `${id}.emulator.example`, authorization: `Basic ${btoa(`AWS:${registry.password}`)}` };
      // These requests name no world in their path, as `docker login` and the first request of every client.
      expect(await asked('GET', `${url}/v2/`, { host: headers.host })).toMatchObject({ status: 401, world: id });
      expect(await asked('GET', `${url}/v2/`, headers)).toMatchObject({ status: 200, world: id });
      const { digest } = await pushBlob(registry, `a layer of ${id}`);
      const blob = `${url}/v2/${registry.name}/blobs/${digest}`;
      expect(await asked('HEAD', blob, headers)).toMatchObject({ status: 200, world: id });
    }
    // Whoever names no world means the default one, as does whoever names that.
    const { apiKey } = await connect({ url }).controls.worlds.get('default');
    const authorization = `Bearer ${apiKey}`;
    const body = JSON.stringify({ name: 'unnamed', bio: 'x' });
    const made = await fetch(`${url}/api/v1/app/agents`, { method: 'POST', headers: { authorization }, body });
    expect(made.status).toBe(201);
    const listed = await fetch(`${url}/api/my-agents/characters`, {
      headers: { authorization, 'x-emulator-world': 'default' },
    });
    expect(await listed.text()).toContain('"unnamed"');
    await Promise.all(nodes.map(({ running }) => running.end('SIGTERM')));
  });

  itWhere(works(['unshare', '--mount', 'true']) && works(['skopeo', '--version']))(
    'lets skopeo log in, push and pull at the host of a world',
    async () => {
      const nodes = await Promise.all([0, 1, 2].map(() => startNode()));
      const { url } = await startProxy(
        program,
        nodes.map(({ port }) => port),
      );
      const { createWorld } = connect({ url });
      const dir = tempDir();
      const hosts = join(dir, 'hosts');
      writeFileSync(hosts, '127.0.0.1 localhost emulator.example red.emulator.example blue.emulator.example\n');
      // With names of its own: those of this machine stay as they are.
      const skopeo = (...args: string[]): Promise<Outcome> => {
        const script = 'mount --bind "$0" /etc/hosts && exec skopeo "$@"';
        return runTool('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script, hosts, ...args]);
      };
      const layer = join(dir, 'layer');
      writeFileSync(layer, randomBytes(3_000_000));
      execFileSync('tar', ['-C', dir, '-cf', join(dir, 'layer.tar'), 'layer']);
      for (const id of ['red', 'blue']) {
        const { password, name } = await registryOf(await createWorld({ id }));
        const host = `${id}.emulator.example:${new URL(url).port}`;
        const reference = `docker://${host}/${name.replace(`w/${id}/`, '')}:v1`;
        const login = ['--tls-verify=false', '--authfile', join(dir, `auth-${id}.json`)];
        await skopeo('login', ...login, '--username', 'AWS', '--password', password, host);
        await skopeo(
          'copy',
          '--authfile',
          join(dir, `auth-${id}.json`),
          '--dest-tls-verify=false',
          `tarball:${join(dir, 'layer.tar')}`,
          reference,
        );
        const pulled = join(dir, `pulled-${id}`);
        await skopeo(
          'copy',
          '--authfile',
          join(dir, `auth-${id}.json`),
          '--src-tls-verify=false',
          reference,
          `dir:${pulled}`,
        );
        expect(readdirSync(pulled)).toContain('manifest.json');
      }
      await Promise.all(nodes.map(({ running }) => running.end('SIGTERM')));
    },
  );
});

it('haproxy reports a process that is down, and sends its worlds’ requests to no other', async () => {
  const nodes = await Promise.all([0, 1, 2].map(() => startNode()));
  const { url, watch } = await startProxy(
    'haproxy',
    nodes.map(({ port }) => port),
  );
  const states = async (): Promise<string> => {
    const text = await (await fetch(`${watch}/metrics`)).text();
    const found = text.matchAll(/^haproxy_server_status\{proxy="health",server="(\w)",state="(UP|DOWN)"\} 1$/gm);
    return [...found].map(([, name, state]) => `${name} ${state}`).join(', ');
  };
  await expect.poll(states, { timeout: 20_000 }).toBe('a UP, b UP, c UP');
  const { createWorld } = connect({ url });
  const [first, second] = nodes as [Node, Node, Node];
  const ids = Array.from({ length: 12 }, (_, n) => `h-${n}`);
  for (const id of ids) await createWorld({ id });
  const own = await connect({ url: `http://127.0.0.1:${second.port}` }).controls.worlds.list();
  const mine = own.map(({ id }) => id).filter((id) => id !== 'default');
  expect(mine.length).toBeGreaterThan(0);
  await second.running.end('SIGKILL');
  await expect.poll(states, { timeout: 20_000 }).toBe('a UP, b DOWN, c UP');
  const statusOf = async (id: string): Promise<number> => (await fetch(`${url}/w/${id}/_emulator/health`)).status;
  expect(await Promise.all(ids.map(statusOf))).toEqual(ids.map((id) => (mine.includes(id) ? 502 : 200)));
  const back = await startNode(0, second.dir, second.port);
  await expect.poll(states, { timeout: 20_000 }).toBe('a UP, b UP, c UP');
  expect(await Promise.all(ids.map(statusOf))).toEqual(ids.map(() => 200));
  for (const { running } of [first, back, nodes[2] as Node]) await running.end('SIGTERM');
});
