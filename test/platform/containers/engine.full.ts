// Processes behind containers, to the end: how they begin and end, which image is started, and a killed emulator.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { endCommands, type RunningCommand, startCommand, tempDir } from '../../support/command.js';
import { call, getContainer, startEmulator } from '../../support/emulator.js';
import {
  appImage,
  ask,
  deployImage,
  deployTag,
  type EngineStandIn,
  isAlive,
  linesOf,
  makeEngine,
  type Target,
  urlOf,
  useEngine,
} from '../../support/engine.js';
import { content, descriptorOf, index, logIn, mediaTypes } from '../../support/oci.js';

const environment = { ...process.env };
let engine: EngineStandIn;
beforeEach(() => use(makeEngine()));
afterAll(async () => {
  await endCommands();
  Object.assign(process.env, environment);
});

function use(made: EngineStandIn): void {
  engine = useEngine(made);
}

function useSet(settings: Parameters<EngineStandIn['set']>[0], names?: ('docker' | 'podman')[]): void {
  use(makeEngine(names));
  engine.set(settings);
}

const start = (containers: object = {}) =>
  startEmulator({ containers: { run: 'image', timing: 'instant', ...containers } });

describe('a pushed image', () => {
  it('is loaded once, and started when its timeline says that it runs', async () => {
    const emulator = await start({ timing: { pending: '1s', building: '1s', deploying: '1s' } });
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
  it('that cannot be started has crashed with the engine’s exit code', async () => {
    const emulator = await start();
    const container = await deployImage(emulator, appImage('amd64', { Entrypoint: ['/no/such/program'] }));
    await expect.poll(() => getContainer(emulator, container.id)).toMatchObject({ status: 'failed', exit_code: 127 });
    expect(await linesOf(emulator, container)).toContain(
      'error: exec: "/no/such/program": executable file not found in $PATH',
    );
  });
});

describe('a process ends', () => {
  const ends: [string, (emulator: Emulator, id: string) => unknown][] = [
    ['by a stop', (emulator) => emulator.controls.containers.stop('web')],
    ['by a failure', (emulator) => emulator.controls.containers.fail('web')],
    ['by a deletion', (emulator, id) => call(emulator, 'DELETE', `/api/v1/containers/${id}`)],
    ['by a reset', (emulator) => emulator.controls.reset()],
    ['by a restore', (emulator) => emulator.controls.snapshots.restore('before')],
  ];
  it.each(ends)('when %s', async (_, end) => {
    const emulator = await start();
    await emulator.controls.snapshots.take({ name: 'before' });
    const container = await deployImage(emulator);
    const { pid } = await ask(await urlOf(emulator, container));
    expect(isAlive(pid)).toBe(true);
    await end(emulator, container.id);
    await expect.poll(() => isAlive(pid)).toBe(false);
    // The engine forgets it after it has ended.
    await expect.poll(() => engine.containers().map((one) => one.pid)).not.toContain(pid);
  });

  it('with its world: that of another one goes on', async () => {
    const emulator = await start();
    const [one, other] = [await emulator.createWorld(), await emulator.createWorld()];
    const { pid } = await ask(await urlOf(one, await deployImage(one)));
    const ended = await ask(await urlOf(other, await deployImage(other)));
    other.close();
    await expect.poll(() => isAlive(ended.pid)).toBe(false);
    expect(isAlive(pid)).toBe(true);
  });

  it('with the emulator, and its image leaves the engine', async () => {
    const emulator = await start();
    const { pid } = await ask(await urlOf(emulator, await deployImage(emulator)));
    expect(engine.images()).toHaveLength(1);
    await emulator.close();
    expect([engine.images(), engine.containers(), isAlive(pid)]).toEqual([[], [], false]);
  });
});

describe('the emulator answers itself', () => {
  const isEcho = (answer: any): boolean => answer.pid === undefined;

  it('where the engine cannot load the image, and the log says why', async () => {
    const emulator = await start();
    // This layer unpacks to another one than its config names.
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

  it('where this machine runs no images for the container’s processor', async () => {
    useSet({ foreign: ['arm64'] });
    const emulator = await start();
    const container = await deployImage(emulator, appImage('arm64'), { architecture: 'arm64' });
    expect(isEcho(await ask(await urlOf(emulator, container)))).toBe(true);
    expect(await linesOf(emulator, container)).toContain(
      'warn: this machine runs no images for linux/arm64: this container is simulated',
    );
    expect(await getContainer(emulator, container.id)).toMatchObject({ status: 'running' });
  });
});

it('the engine starts the image for this machine’s processor where the index has one', async () => {
  useSet({ foreign: ['arm64'] });
  const emulator = await start();
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

it('the emulator takes podman where docker does not answer', async () => {
  useSet({ down: ['docker'] }, ['docker', 'podman']);
  const emulator = await start();
  expect((await ask(await urlOf(emulator, await deployImage(emulator)))).pid).toBeTypeOf('number');
});

describe('the command', () => {
  const settings = { containers: { run: 'image', timing: 'instant' } };

  async function startIn(dir: string, args: string[] = []): Promise<RunningCommand> {
    writeFileSync(join(dir, 'emulator.config.json'), JSON.stringify(settings));
    return startCommand(args, { cwd: dir, env: engine.env });
  }

  const clientOf = ({ url, apiKey }: RunningCommand): Target =>
    ({ url, apiKey, fetch: (path: string, init?: RequestInit) => fetch(url + path, init) }) as Target;

  it.each([
    ['neither docker nor podman is in PATH', () => use(makeEngine([]))],
    [
      'docker does not answer: Cannot connect to the daemon. Is the daemon running?',
      () => useSet({ down: ['docker'] }),
    ],
    ['docker does not answer: it did not answer within 5 s', () => useSet({ hangs: ['docker'] })],
  ])('warns once at its start: %s', async (reason, prepare) => {
    prepare();
    const emulator = await startIn(tempDir());
    const { stderr, code } = await emulator.end();
    expect(stderr.split('\n').filter((line) => line.startsWith('warning'))).toEqual([
      `warning: containers.run is image, but ${reason}: containers stay simulated`,
    ]);
    expect(code).toBe(0);
  });

  it.each([[[]], [['--ephemeral']]])('leaves nothing in the engine when it is killed (%j)', async (args) => {
    const emulator = await startIn(tempDir(), args);
    const client = clientOf(emulator);
    const { pid } = await ask(await urlOf(client, await deployImage(client)));
    await emulator.end('SIGKILL');
    await expect.poll(() => [isAlive(pid), engine.containers(), engine.images()]).toEqual([false, [], []]);
  });

  it('starts again what ran, and sweeps what an earlier one has left', async () => {
    const dir = tempDir();
    const first = await startIn(dir);
    const client = clientOf(first);
    const container = await deployImage(client);
    const before = await ask(await urlOf(client, container));
    const [left] = engine.containers();
    await first.end();
    // Nobody has cleaned up: a container of that name is there, and one of somebody else's.
    const running = { ...(left as NonNullable<typeof left>), pid: spawnIdle(), labels: ['cloudemu=x'] };
    const other = { ...running, name: `cloudemu-memory-${'0'.repeat(12)}-1-00000000-1`, pid: spawnIdle() };
    for (const one of [running, other]) engine.put(one);
    const second = await startIn(dir);
    expect([isAlive(running.pid), isAlive(other.pid)]).toEqual([false, true]);
    process.kill(other.pid);
    const again = await ask(await urlOf(clientOf(second), container));
    expect([again.pid === before.pid, isAlive(again.pid)]).toEqual([false, true]);
    await second.end();
    expect(isAlive(again.pid)).toBe(false);
  });
});

function spawnIdle(): number {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' });
  return child.pid ?? 0;
}
