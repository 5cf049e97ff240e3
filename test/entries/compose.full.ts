// The recipe for Compose: what its services are told to do, done here without an engine.

import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Outcome } from '../support/command.js';
import { freePort, type RunOptions, run, spawnCommand } from '../support/command.js';
import { assembleImage, inImage, readImage } from '../support/image.js';
import { itFromOutside, outerAddress } from '../support/outer-address.js';
import { createProject, runIn } from '../support/project.js';
import { itWhere, works } from '../support/tools.js';

interface Emulator {
  image: string;
  build?: string;
  environment: Record<string, string>;
  volumes?: string[];
}
interface Tests {
  build: string;
  command: string;
  environment: Record<string, string>;
  depends_on: Record<string, { condition: string }>;
}
interface Services {
  emulator: Emulator;
  tests: Tests;
}

const read = (file: string): Services => parse(readFileSync(file, 'utf8')).services;
const services = read('test/recipes/compose/compose.yaml');
const image = readImage();
const token = 'only-for-tests';
const address = outerAddress ?? '127.0.0.1';

describe('the services', () => {
  let project: string;
  let port: number;
  let emulator: ReturnType<typeof spawnCommand>;
  let options: RunOptions;

  // Compose writes variables into a file like this: ${NAME:-default}.
  const filled = (text: string): string =>
    text.replaceAll('4747', String(port)).replace(/\$\{\w+:-([^}]*)\}/g, (_, usual: string) => usual);

  const filledAll = (texts: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, filled(text)]));

  async function startAndWait(): Promise<Outcome> {
    port = await freePort();
    const environment = { ...filledAll(services.emulator.environment), CLOUDEMU_PORT: String(port) };
    options = inImage(image, assembleImage(image), environment);
    emulator = spawnCommand(image.command, options);
    return run(['status', '--wait', '--url', `http://127.0.0.1:${port}`], options);
  }
  beforeAll(async () => {
    project = createProject('recipes/compose');
    let ready = await startAndWait();
    // A port that was free may be taken by another test before it is used.
    if (emulator.child.exitCode !== null) ready = await startAndWait();
    expect([ready.code, ready.stderr]).toEqual([0, '']);
  });

  interface Answer {
    status: number;
    body: any;
  }
  // A neighbour in the network of the services does so.
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
    const [, ...check] = image.health;
    expect(await run(check, options)).toMatchObject({ code: 0 });
    expect(services.tests.depends_on.emulator?.condition).toBe('service_healthy');
  });

  itFromOutside('run the tests', async () => {
    const [name = '', ...args] = services.tests.command.split(' ');
    writeFileSync(join(project, 'package.json'), '{ "private": true, "scripts": { "test": "node --test" } }');
    const environment = filledAll(services.tests.environment);
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

  itWhere(compose !== undefined).each(['compose.yaml', 'test/recipes/compose/compose.yaml'])(
    'is one that docker compose accepts: %s',
    async (file) => {
      const check = [...(compose ?? ['docker', 'compose']), '-f', resolve(file), 'config'];
      const { code, stdout, stderr } = await runIn(createProject(), check);
      expect([code, stderr]).toEqual([0, '']);
      const { emulator } = parse(stdout).services as Services;
      expect(emulator.environment).toMatchObject({
        CLOUDEMU_CONTROL_TOKEN: token,
        CLOUDEMU_PUBLIC_URL: 'http://emulator:4747',
      });
    },
  );

  it('builds the tests from the Dockerfile beside it', () => {
    expect(services.tests.build).toBe('.');
    expect(readFileSync('test/recipes/compose/Dockerfile', 'utf8')).toMatch(/^FROM node:2\d\n/);
  });

  it('takes the image of the repository, which keeps its data in the volume', () => {
    const { emulator } = read('compose.yaml');
    expect([emulator.image, emulator.build]).toEqual([services.emulator.image, '.']);
    expect(emulator.volumes).toEqual([`data:${image.volume}`]);
    expect(image.workdir).toBe(image.volume);
  });
});
