// Processes behind containers: their logs and health, and where the emulator answers itself.

import { describe, expect, it } from 'vitest';
import { call, deploy, getContainer, startEmulator } from '../../support/emulator.js';
import {
  appImage,
  ask,
  deployImage,
  deployTag,
  isAlive,
  linesOf,
  makeEngine,
  shareEngine,
  uriOf,
  urlOf,
  useEngine,
} from '../../support/engine.js';
import { logIn } from '../../support/oci.js';

const shared = shareEngine();
const { start } = shared;

const startOwn = (containers: object = {}) =>
  startEmulator({ containers: { run: 'image', timing: 'instant', ...containers } });

describe('a pushed image', () => {
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

  it('keeps more than a thousand lines, and none longer than eight kilobytes', async () => {
    const emulator = await start();
    const container = await deployImage(emulator);
    const url = await urlOf(emulator, container);
    await ask(url, '/long');
    await expect.poll(() => linesOf(emulator, container)).toContain('x'.repeat(20_000 - 2 * 8_192));
    await ask(url, '/many');
    await expect.poll(() => linesOf(emulator, container)).toContain('line 2500');
    const lines = (await linesOf(emulator, container)).filter((line) => line.startsWith('line '));
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([2_500, 'line 1', 'line 2500']);
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
});

it('stopping a container ends its process; what the process says then is in the log', async () => {
  const emulator = await start();
  const container = await deployImage(emulator);
  const { pid } = await ask(await urlOf(emulator, container));
  emulator.controls.containers.stop('web');
  await expect.poll(() => linesOf(emulator, container)).toContain('app asked to end');
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect(await getContainer(emulator, container.id)).toMatchObject({ status: 'stopped', error_message: null });
});

describe('the emulator answers itself', () => {
  const isEcho = (answer: any): boolean => answer.pid === undefined;

  it.each([
    ['no engine is in PATH', () => useEngine(makeEngine([]))],
    [
      'none answers',
      () => {
        useEngine(makeEngine()).set({ down: ['docker'] });
      },
    ],
  ])('where %s, and the deployment’s response warns', async (_, prepare) => {
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

  it('for images elsewhere, planned failures, and where containers are simulated', async () => {
    const before = shared.engine.calls('run').length;
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
    expect(shared.engine.calls('run').length).toBe(before);
  });
});
