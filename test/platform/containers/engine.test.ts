// Containers whose images are run: real processes of a container engine behind their addresses, logs and states.

import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { call, getContainer, startWorld } from '../../support/emulator.js';
import { ask, deployImage, linesOf, shareEngine, urlOf } from '../../support/engine.js';

const shared = shareEngine();
const { start } = shared;

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
    expect(shared.engine.containers()).toContainEqual(
      expect.objectContaining({ pid: answer.pid, memory: '300m', cpus: '0.5' }),
    );
    const run = shared.engine.calls('run').at(-1) ?? [];
    expect(run.join(' ')).not.toContain('hello');
    expect(run).toContain('127.0.0.1::8080');
    expect(run.join(' ')).not.toMatch(/privileged|--network|--volume|-v /);
    const file = run[run.indexOf('--env-file') + 1] ?? '';
    expect([file.startsWith('/'), existsSync(file)]).toEqual([true, false]);
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
});

it('a scenario that would have images run is refused', async () => {
  const emulator = await startWorld();
  await expect(
    emulator.controls.scenarios.apply({ settings: { containers: { run: 'image' } } } as any),
  ).rejects.toThrow(/settings\.containers\.run/);
});
