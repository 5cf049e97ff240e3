// The recipe for Compose: what its services are told to do, done here without an engine.

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { freePort, type Outcome } from '../support/command.js';
import { createProject, itWhere, runIn, works } from '../support/project.js';

interface Service {
  build: string;
  command: string;
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}

const file = 'test/recipes/compose/compose.yaml';
const { services } = parse(readFileSync(file, 'utf8')) as { services: Record<'emulator' | 'tests', Service> };
const token = 'only-for-tests';
// Another machine comes in by another address than loopback's.
const [outside] = Object.values(networkInterfaces()).flatMap((addresses) =>
  (addresses ?? []).filter(({ family, internal }) => family === 'IPv4' && !internal),
);
const address = outside?.address ?? '127.0.0.1';
const itFromOutside = it.skipIf(outside === undefined);

describe('the services', () => {
  let project: string;
  let port: number;
  let emulator: ReturnType<typeof spawn>;

  // As Compose writes variables into a file: ${NAME:-default}.
  const filled = (text: string): string =>
    text.replaceAll('4747', String(port)).replace(/\$\{\w+:-([^}]*)\}/g, (_, usual: string) => usual);

  async function startAndWait(): Promise<Outcome> {
    port = await freePort();
    const [command = '', ...args] = filled(services.emulator.command).split(' ');
    emulator = spawn(command, args, { cwd: project, stdio: 'ignore' });
    return runIn(project, ['cloudemu', 'wait', '--url', `http://127.0.0.1:${port}`]);
  }
  beforeAll(async () => {
    project = createProject('recipes/compose');
    let ready = await startAndWait();
    // A port that was free may be taken by another test before it is used.
    if (emulator.exitCode !== null) ready = await startAndWait();
    expect([ready.code, ready.stderr]).toEqual([0, '']);
  });
  afterAll(() => void emulator.kill('SIGKILL'));

  interface Answer {
    status: number;
    body: any;
  }
  // As a neighbour in the network of the services does.
  function send(method: string, path: string, headers: Record<string, string> = {}, body?: object): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const options = { host: address, port, method, path, headers: { host: `emulator:${port}`, ...headers } };
      const sent = request(options, async (answer) => {
        let text = '';
        for await (const piece of answer) text += String(piece);
        resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) });
      });
      sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
  const withToken = { authorization: `Bearer ${token}` };

  itFromOutside('keep the control plane of a neighbour to those who have the token', async () => {
    const refused = await send('GET', '/_emulator/health');
    expect(refused).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
    expect((await send('POST', '/_emulator/reset', { authorization: 'Bearer other' })).status).toBe(401);
    expect((await send('GET', '/_emulator/health', withToken)).body.status).toBe('ready');
    expect((await send('GET', '/_emulator/health', { ...withToken, host: 'attacker:4747' })).status).toBe(403);
  });

  itFromOutside('answer a neighbour on the platform, with URLs that he can follow', async () => {
    const world = (await send('POST', '/_emulator/worlds', withToken, { id: 'neighbour' })).body;
    expect(world.baseUrl).toBe(`http://emulator:${port}/w/neighbour`);
    const key = { authorization: `Bearer ${world.apiKey}` };
    const { status, body } = await send('GET', '/w/neighbour/api/v1/containers/credentials', key);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).toContain(`emulator:${port}`);
    expect((await send('GET', '/w/neighbour/api/v1/containers')).status).toBe(401);
    expect((await send('DELETE', '/_emulator/worlds/neighbour', key)).status).toBe(401);
    expect((await send('DELETE', '/_emulator/worlds/neighbour', withToken)).status).toBe(200);
  });

  it('know when the emulator is ready', async () => {
    const [kind, ...command] = (services.emulator.healthcheck?.test ?? []).map(filled);
    expect(kind).toBe('CMD');
    expect(await runIn(project, command)).toMatchObject({ code: 0 });
    const dead = command.map((word) => word.replace(String(port), '1'));
    expect(await runIn(project, dead)).toMatchObject({ code: 1 });
    expect(services.tests.depends_on?.emulator?.condition).toBe('service_healthy');
  });

  itFromOutside('run the tests', async () => {
    const [name = '', ...args] = services.tests.command.split(' ');
    writeFileSync(join(project, 'package.json'), '{ "private": true, "scripts": { "test": "node --test" } }');
    const environment = Object.fromEntries(
      Object.entries(services.tests.environment ?? {}).map(([key, value]) => [key, filled(value)]),
    );
    expect(environment).toEqual({ CLOUDEMU_URL: `http://emulator:${port}`, CLOUDEMU_CONTROL_TOKEN: token });
    // In place of the names that Compose gives to the services.
    const names = `import dns from 'node:dns';
      const { lookup } = dns;
      dns.lookup = (name, ...rest) => lookup(name === 'emulator' ? '${address}' : name, ...rest);`;
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(names)}`;
    const { code, stdout } = await runIn(project, [name, ...args], { ...environment, NODE_OPTIONS });
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/pass 1$/m);
    const { body } = await send('GET', '/_emulator/worlds', withToken);
    expect(body.worlds.map(({ id }: { id: string }) => id)).toEqual(['default']);

    const { CLOUDEMU_CONTROL_TOKEN: _, ...withoutToken } = environment;
    const refused = await runIn(project, [name, ...args], { ...withoutToken, NODE_OPTIONS });
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('The control plane needs its token here');
  });
});

describe('the file', () => {
  // The plugin, or the command of its own that it once was.
  const compose = [['docker', 'compose'], ['docker-compose']].find((command) => works([...command, 'version']));

  itWhere(compose !== undefined)('is one that docker compose accepts', async () => {
    const check = [...(compose ?? ['docker', 'compose']), '-f', 'compose.yaml', 'config'];
    const { code, stdout, stderr } = await runIn(createProject('recipes/compose'), check);
    expect([code, stderr]).toEqual([0, '']);
    const read = parse(stdout) as { services: Record<string, Service> };
    expect(read.services.tests?.environment?.CLOUDEMU_CONTROL_TOKEN).toBe(token);
  });

  it('builds both services from the Dockerfile beside it', () => {
    expect([services.emulator.build, services.tests.build]).toEqual(['.', '.']);
    expect(readFileSync('test/recipes/compose/Dockerfile', 'utf8')).toMatch(/^FROM node:2\d\n/);
  });
});
