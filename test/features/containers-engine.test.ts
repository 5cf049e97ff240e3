// Containers whose images are run: real processes of a container engine behind their addresses, logs and states.

import { existsSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEmulator, type Emulator } from '../../src/index.js';
import { call, deploy, getContainer, startEmulator } from '../support/emulator.js';
import { appImage, type EngineStandIn, makeEngine } from '../support/engine.js';
import { content, descriptorOf, type Image, index, logIn, mediaTypes, type Repository } from '../support/oci.js';

type Client = Pick<Emulator, 'url' | 'fetch' | 'apiKey' | 'controls' | 'close'>;

const environment = { ...process.env };
let engine: EngineStandIn;
// One for all tests that need no other: an emulator with a world for each, as looking for an engine takes a while.
let shared: { emulator: Emulator; engine: EngineStandIn };
beforeAll(async () => {
  use(makeEngine());
  const emulator = await createEmulator({
    containers: { run: 'image', timing: 'instant' },
    clock: '2026-01-01T00:00:00Z',
    frozen: true,
  });
  shared = { emulator, engine };
});
beforeEach(() => use(shared.engine));
afterAll(async () => {
  await shared.emulator.close();
  Object.assign(process.env, environment);
});

function useSet(settings: Parameters<EngineStandIn['set']>[0], names?: ('docker' | 'podman')[]): void {
  use(makeEngine(names));
  engine.set(settings);
}

function use(made: EngineStandIn): void {
  engine = made;
  Object.assign(process.env, made.env);
}

const start = async (): Promise<Client> => {
  const world = await shared.emulator.createWorld();
  return { ...world, url: world.url, controls: world.controls, close: async () => world.close() };
};

const startOwn = (containers: object = {}) =>
  startEmulator({ containers: { run: 'image', timing: 'instant', ...containers } });

/** Pushes an image and deploys it. */
async function deployImage(emulator: Client, pushed: Image = appImage(), fields: Record<string, unknown> = {}) {
  const repository = await logIn(emulator);
  await repository.push('v1', pushed);
  return deployTag(emulator, repository, fields);
}

const uriOf = (emulator: Client, { path }: Repository): string =>
  `${new URL(emulator.url).host}${path.slice('/v2'.length)}:v1`;

const deployTag = (emulator: Client, repository: Repository, fields: Record<string, unknown> = {}) =>
  deploy(emulator, { ecr_image_uri: uriOf(emulator, repository), architecture: 'x86_64', ...fields });

const urlOf = async (emulator: Client, { id }: { id: string }): Promise<string> =>
  (await getContainer(emulator, id)).url;

const ask = async (url: string, path = '/'): Promise<any> => (await fetch(url + path)).json();

async function linesOf(emulator: Client, { id }: { id: string }, query = '?tail=10000'): Promise<string[]> {
  const { body } = await call(emulator, 'GET', `/api/v1/containers/${id}/logs${query}`);
  return body.logs.map(({ level, message }: any) => (level === 'info' ? message : `${level}: ${message}`));
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a pushed image', () => {
  it('answers at the container’s address, with its variables, limits and port', async () => {
    const emulator = await start();
    const lines = 'one\ntwo # "three"\r\n';
    const container = await deployImage(emulator, undefined, {
      environment_vars: { GREETING: 'hello = "world" # $HOME', LINES: lines },
      cpu: 512,
      memory: 300,
      port: 8_080,
    });
    const answer = await ask(await urlOf(emulator, container), '/some/path?x=1');
    expect(answer).toEqual({
      pid: expect.any(Number),
      url: '/some/path?x=1',
      greeting: 'hello = "world" # $HOME',
      lines,
    });
    expect(answer.pid).not.toBe(process.pid);
    expect(engine.containers()).toContainEqual(
      expect.objectContaining({ pid: answer.pid, memory: '300m', cpus: '0.5' }),
    );
    const run = engine.calls('run').at(-1) ?? [];
    expect(run.join(' ')).not.toContain('hello');
    expect(run).toContain('127.0.0.1::8080');
    expect(run.join(' ')).not.toMatch(/privileged|--network|--volume|-v /);
    const file = run[run.indexOf('--env-file') + 1] ?? '';
    expect([file.startsWith('/'), existsSync(file)]).toEqual([true, false]);
  });

  it('writes the container’s log, in virtual time; nothing is made up', async () => {
    const emulator = await start();
    const container = await deployImage(emulator);
    const url = await urlOf(emulator, container);
    await ask(url, '/say');
    await emulator.controls.clock.advance('1h');
    await ask(url, '/say');
    await expect
      .poll(() => linesOf(emulator, container, '?since=2026-01-01T01:00:00Z'))
      .toEqual(
        expect.arrayContaining([
          'a line of the app',
          'error: an error of the app',
          expect.stringMatching(/^GET \/say 200/),
        ]),
      );
    const lines = await linesOf(emulator, container);
    expect(lines).toContain('app listening');
    expect(lines.filter((line) => line === 'a line of the app')).toHaveLength(2);
    expect(lines.filter((line) => /health check passed|event loop|garbage|Server listening/.test(line))).toEqual([]);
  });

  it('keeps its last thousand lines, and none longer than eight kilobytes', async () => {
    const emulator = await start();
    const container = await deployImage(emulator);
    const url = await urlOf(emulator, container);
    await ask(url, '/long');
    await expect.poll(() => linesOf(emulator, container)).toContain('x'.repeat(20_000 - 2 * 8_192));
    await ask(url, '/many');
    await expect.poll(() => linesOf(emulator, container)).toContain('line 2500');
    const lines = (await linesOf(emulator, container)).filter((line) => line.startsWith('line '));
    expect([lines.length > 990, lines.length <= 1_000, lines.at(-1)]).toEqual([true, true, 'line 2500']);
  });

  it('is healthy as its own health path says', async () => {
    const emulator = await start();
    const healthOf = async (container: any) => {
      await ask(await urlOf(emulator, container));
      return (await call(emulator, 'GET', `/api/v1/containers/${container.id}/health`)).body;
    };
    expect(await healthOf(await deployImage(emulator))).toMatchObject({ status: 'healthy' });
    const sick = await deployTag(emulator, await logIn(emulator), { environment_vars: { SICK: 'yes' } });
    expect(await healthOf(sick)).toMatchObject({
      status: 'unhealthy',
      message: expect.stringMatching(/answered 500$/),
    });
  });

  it('that exits has crashed, with its exit code; recovered, it is started again', async () => {
    const emulator = await start();
    const container = await deployImage(emulator);
    const url = await urlOf(emulator, container);
    const { pid } = await ask(url);
    await fetch(`${url}/exit`).catch(() => {});
    await expect
      .poll(() => getContainer(emulator, container.id))
      .toMatchObject({
        status: 'failed',
        exit_code: 7,
        error_message: 'Essential container in task exited (exit code 7)',
      });
    expect(await linesOf(emulator, container)).toContain('error: Essential container in task exited (exit code 7)');
    const { body } = await call(emulator, 'GET', `/api/v1/containers/${container.id}/health`);
    expect(body).toMatchObject({ status: 'unhealthy', checks: { http: 'failing' } });
    expect((await fetch(url)).status).toBe(503);
    emulator.controls.containers.recover('web');
    expect((await ask(url)).pid).not.toBe(pid);
  });

  it('that cannot be started has crashed with the engine’s exit code', async () => {
    const emulator = await start();
    const container = await deployImage(emulator, appImage('amd64', { Entrypoint: ['/no/such/program'] }));
    await expect.poll(() => getContainer(emulator, container.id)).toMatchObject({ status: 'failed', exit_code: 127 });
    expect(await linesOf(emulator, container)).toContain(
      'error: exec: "/no/such/program": executable file not found in $PATH',
    );
  });

  it('is loaded once, and started when its course says that it runs', async () => {
    use(makeEngine());
    const emulator = await startOwn({ timing: { pending: '1s', building: '1s', deploying: '1s' } });
    const container = await deployImage(emulator);
    await emulator.controls.clock.advance('1500ms');
    await expect.poll(() => engine.calls('load')).toHaveLength(1);
    expect(engine.containers()).toEqual([]);
    await emulator.controls.clock.advance('2s');
    await ask(await urlOf(emulator, container));
    const second = await deployTag(emulator, await logIn(emulator), { name: 'b', project_name: 'b' });
    await emulator.controls.clock.advance('4s');
    await ask(await urlOf(emulator, second));
    expect(engine.calls('load')).toHaveLength(1);
    expect(engine.containers()).toHaveLength(2);
  });

  it('is replaced by an update', async () => {
    const emulator = await start();
    const container = await deployImage(emulator, undefined, { environment_vars: { GREETING: 'first' } });
    const before = await ask(await urlOf(emulator, container));
    await deployTag(emulator, await logIn(emulator), { environment_vars: { GREETING: 'second' } });
    expect(await ask(await urlOf(emulator, container))).toMatchObject({ greeting: 'second' });
    await expect.poll(() => isAlive(before.pid)).toBe(false);
  });
});

describe('a process ends', () => {
  const ends: [string, (emulator: Client, id: string) => unknown][] = [
    ['by a stop', (emulator) => emulator.controls.containers.stop('web')],
    ['by a failure', (emulator) => emulator.controls.containers.fail('web')],
    ['by a deletion', (emulator, id) => call(emulator, 'DELETE', `/api/v1/containers/${id}`)],
    ['by a reset', (emulator) => emulator.controls.reset()],
    ['by a restore', (emulator) => emulator.controls.snapshots.restore('before')],
    ['with its world', (emulator) => emulator.close()],
  ];
  it.each(ends)('%s', async (_, end) => {
    const emulator = await start();
    await emulator.controls.snapshots.take({ name: 'before' });
    const container = await deployImage(emulator);
    const { pid } = await ask(await urlOf(emulator, container));
    expect(isAlive(pid)).toBe(true);
    await end(emulator, container.id);
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(engine.containers().map((one) => one.pid)).not.toContain(pid);
  });

  it('for itself: that of another world goes on', async () => {
    const [one, other] = [await start(), await start()];
    const { pid } = await ask(await urlOf(one, await deployImage(one)));
    const ended = await ask(await urlOf(other, await deployImage(other)));
    await other.close();
    await expect.poll(() => isAlive(ended.pid)).toBe(false);
    expect(isAlive(pid)).toBe(true);
  });

  it('after the app was asked to end, and what it says then is in the log', async () => {
    const emulator = await start();
    const container = await deployImage(emulator);
    await ask(await urlOf(emulator, container));
    emulator.controls.containers.stop('web');
    await expect.poll(() => linesOf(emulator, container)).toContain('app asked to end');
    expect(await getContainer(emulator, container.id)).toMatchObject({ status: 'stopped', error_message: null });
  });

  it('with the emulator, and its image leaves the engine', async () => {
    use(makeEngine());
    const emulator = await startOwn();
    const { pid } = await ask(await urlOf(emulator, await deployImage(emulator)));
    expect(engine.images()).toHaveLength(1);
    await emulator.close();
    expect([engine.images(), engine.containers(), isAlive(pid)]).toEqual([[], [], false]);
  });
});

describe('the emulator answers itself', () => {
  const isEcho = (answer: any): boolean => answer.pid === undefined;

  it.each([
    ['no engine is in PATH', () => use(makeEngine([]))],
    ['none answers', () => useSet({ down: ['docker'] })],
  ])('where %s, and the deployment’s answer warns', async (_, prepare) => {
    prepare();
    const emulator = await startOwn();
    const repository = await logIn(emulator);
    await repository.push('v1', appImage());
    const answer = await call(emulator, 'POST', '/api/v1/containers', {
      name: 'web',
      project_name: 'web',
      architecture: 'x86_64',
      ecr_image_uri: uriOf(emulator, repository),
    });
    expect(decodeURIComponent(answer.headers.get('x-emulator-warning') ?? '')).toBe(
      'containers.run is image, but there is no container engine: this container is simulated',
    );
    expect(isEcho(await ask(await urlOf(emulator, answer.body.data)))).toBe(true);
    expect(await linesOf(emulator, answer.body.data)).toContain('Server listening on port 3000');
  });

  it('where the engine cannot load the image, and the log says why', async () => {
    const emulator = await start();
    // It unpacks to another layer than its config names.
    const whole = appImage();
    const rootfs = { type: 'layers', diff_ids: [`sha256:${'0'.repeat(64)}`] };
    const about = { architecture: 'amd64', os: 'linux', config: { Entrypoint: ['node'] }, rootfs };
    const config = content(JSON.stringify(about), mediaTypes.config);
    const manifest = { ...JSON.parse(whole.bytes.toString()), config: descriptorOf(config) };
    const blobs = [config, ...whole.blobs.slice(1)];
    const container = await deployImage(emulator, { ...content(JSON.stringify(manifest), mediaTypes.manifest), blobs });
    expect(isEcho(await ask(await urlOf(emulator, container)))).toBe(true);
    expect(await linesOf(emulator, container)).toContain(
      'warn: docker could not load the image: invalid diffID for layer 0: this container is simulated',
    );
  });

  it('for images elsewhere, planned failures, and where containers are simulated', async () => {
    const before = engine.calls('run').length;
    const emulator = await start();
    const elsewhere = await deploy(emulator, { ecr_image_uri: 'docker.io/library/web:v1' });
    expect(isEcho(await ask(await urlOf(emulator, elsewhere)))).toBe(true);
    const failing = await deployImage(emulator, undefined, {
      name: 'f',
      project_name: 'f',
      environment_vars: { EMULATOR_FAIL: 'flapping-health' },
    });
    expect(isEcho(await ask(await urlOf(emulator, failing)))).toBe(true);
    const other = await startEmulator({ containers: { timing: 'instant' } });
    expect(isEcho(await ask(await urlOf(other, await deployImage(other))))).toBe(true);
    expect(engine.calls('run').length).toBe(before);
  });

  it('where this machine runs no images for the container’s processor', async () => {
    useSet({ foreign: ['arm64'] });
    const emulator = await startOwn();
    const container = await deployImage(emulator, appImage('arm64'), { architecture: 'arm64' });
    expect(isEcho(await ask(await urlOf(emulator, container)))).toBe(true);
    expect(await linesOf(emulator, container)).toContain(
      'warn: this machine runs no images for linux/arm64: this container is simulated',
    );
    expect(await getContainer(emulator, container.id)).toMatchObject({ status: 'running' });
  });
});

it('starts the image for this machine’s processor where the index has one', async () => {
  useSet({ foreign: ['arm64'] });
  const emulator = await startOwn();
  const repository = await logIn(emulator);
  const images = { 'linux/arm64': appImage('arm64'), 'linux/amd64': appImage('amd64') };
  for (const one of Object.values(images)) await repository.push(one.digest, one);
  await repository.putManifest('v1', index(images));
  const container = await deployTag(emulator, repository, { architecture: 'arm64' });
  expect((await ask(await urlOf(emulator, container))).pid).toBeTypeOf('number');
  expect(await linesOf(emulator, container)).toContain(
    'warn: This machine runs linux/amd64: the image for it is started',
  );
});

it('takes podman where docker does not answer', async () => {
  useSet({ down: ['docker'] }, ['docker', 'podman']);
  const emulator = await startOwn();
  expect((await ask(await urlOf(emulator, await deployImage(emulator)))).pid).toBeTypeOf('number');
});

it('refuses a scenario that would have images run', async () => {
  const emulator = await startEmulator();
  await expect(
    emulator.controls.scenarios.apply({ settings: { containers: { run: 'image' } } } as any),
  ).rejects.toThrow(/settings\.containers\.run/);
});
