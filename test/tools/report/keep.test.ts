// The worlds of failed tests stay for a while, so that a person can open them.

import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { connect, type RemoteWorld } from '../../../src/client.js';
import { itFull } from '../../support/campaign.js';
import { spawnCommand, startCommand, tempDir } from '../../support/command.js';

const dist = fileURLToPath(new URL('../../../dist', import.meta.url));

const list = (world: RemoteWorld): Promise<Response> =>
  world.fetch('/api/v1/containers', { headers: { authorization: `Bearer ${world.apiKey}` } });

describe('in an emulator that goes on after the tests', () => {
  it('the world of a failed test stays with its clock frozen, and its report names the dashboard', async () => {
    const { url } = await startCommand(['--ephemeral']);
    const emulator = connect({ url });
    const world = await emulator.createWorld({ label: 'shop.spec.ts > lists', ttl: '1s' });
    await list(world);
    const { ok, text } = await world.finish({ failed: true });
    expect(ok).toBe(true);
    expect(text).toContain('1 request:\n');
    // As it was in the test.
    expect(text).toMatch(/\nClock: \S+Z\n/);
    expect(text.split('\n').slice(-3)).toEqual([
      `This world stays for an hour, its clock frozen: ${url}/w/${world.id}/_emulator/`,
      expect.stringMatching(
        `^When its emulator has ended, \`.* start --port 0 --data-dir \\.cloudemu/failed/${world.id}\` opens this world again\\.$`,
      ),
      expect.stringMatching(
        `^Its last change is point 1: \`.* world create --at 1 --side before --of ${world.id}\` begins a world before it\\.$`,
      ),
    ]);
    expect((await fetch(`${url}/w/${world.id}/_emulator/`)).status).toBe(200);
    expect((await world.controls.clock.get()).frozen).toBe(true);
    expect((await world.controls.requests.list()).total).toBe(1);
  });

  it('the next run of the test takes its place, with the same ids', async () => {
    const { url } = await startCommand(['--ephemeral']);
    const label = 'shop.spec.ts > lists';
    const first = await connect({ url }).createWorld({ label });
    await list(first);
    await first.finish({ failed: true });
    const second = await connect({ url }).createWorld({ label });
    expect([second.id, second.apiKey]).toEqual([first.id, first.apiKey]);
    expect((await second.controls.requests.list()).total).toBe(0);
    await second.finish();
    // By the other door, too.
    await (await connect({ url }).createWorld({ label })).finish({ failed: true });
    expect((await connect({ url }).controls.worlds.create({ label })).id).toBe(first.id);
    // One that is not kept is somebody's.
    expect((await connect({ url }).createWorld({ label, clock: { frozen: true } })).id).toBe(`${first.id}-2`);
  });

  itFull('a client that did wrong is enough, and a test that wants none keeps none', async () => {
    const { url } = await startCommand(['--ephemeral']);
    const emulator = connect({ url });
    const idsLeft = async (): Promise<string[]> => (await emulator.controls.worlds.list()).map(({ id }) => id);
    const wrong = async (id: string): Promise<RemoteWorld> => {
      const world = await emulator.createWorld({ id });
      await world.controls.faults.add({ match: { operation: 'keys.list' }, effect: { status: 503 } });
      return world;
    };
    const { ok, failed } = await (await wrong('none')).finish({ failed: true, keepFailed: false });
    expect([ok, failed, await idsLeft()]).toEqual([false, ['verdict faults-all-fired'], ['default']]);
    await (await emulator.createWorld({ id: 'well' })).finish();
    expect(await idsLeft()).toEqual(['default']);
    await (await wrong('red')).finish();
    expect(await idsLeft()).toEqual(['default', 'red']);
    await expect((await wrong('blue')).finish({ failed: 1 } as object)).rejects.toThrow(
      'failed must be true or false, got 1',
    );
  });

  itFull('at most 20 stay, the latest', async () => {
    const { url } = await startCommand(['--ephemeral']);
    const emulator = connect({ url });
    for (let number = 10; number < 32; number++)
      await (await emulator.createWorld({ id: `w${number}` })).finish({ failed: true });
    const ids = (await emulator.controls.worlds.list()).map(({ id }) => id);
    expect(ids).toEqual(['default', ...Array.from({ length: 20 }, (_, index) => `w${index + 12}`)]);
  });
});

it('an emulator that ends with its process saves it in a data directory, which a start opens', async () => {
  const cwd = realpathSync(tempDir());
  writeFileSync(join(cwd, 'package.json'), '{}');
  const program = `
    import { createEmulator } from '${join(dist, 'index.js')}';
    import { connect } from '${join(dist, 'client.js')}';
    const emulator = await createEmulator({ timing: 'realistic' });
    const world = await connect({ url: emulator.url }).createWorld({ id: 'blue', clock: { frozen: true } });
    const headers = { authorization: 'Bearer ' + world.apiKey };
    const body = JSON.stringify({ name: 'Shop', project_name: 'shop', ecr_image_uri: 'registry.local/shop:v1' });
    await world.fetch('/api/v1/containers', { method: 'POST', headers, body });
    await world.fetch('/api/v1/containers/none', { headers });
    const { text } = await world.finish({ failed: true });
    const left = emulator.controls.worlds.list().map(({ id }) => id);
    await emulator.close();
    console.log(JSON.stringify({ text, left }));`;
  const script = ['--input-type=module', '-e', program];
  const { stdout, stderr, code } = await spawnCommand(script, { program: [process.execPath], cwd }).ended;
  expect(code, stderr).toBe(0);
  const { text, left } = JSON.parse(stdout);
  expect(left).toEqual(['default']);
  const lines = String(text).split('\n');
  const [, dataDir = ''] = / start --port 0 --data-dir (\S+)` opens/.exec(lines.at(-2) ?? '') ?? [];
  expect(dataDir).toBe('.cloudemu/failed/blue');
  const last = Number(
    /^Its last change is point (\d+): `.* --data-dir \.cloudemu\/failed\/blue`/.exec(lines.at(-1) ?? '')?.[1],
  );
  const { url } = await startCommand(['--data-dir', dataDir], { cwd });
  const opened = connect({ url });
  const again = await opened.controls.report();
  // All but the settings' timing, which is the process's own, and the lines about itself.
  expect(again.text.replace('--data-dir=', '--data-dir ').split('\n').slice(0, -1)).toEqual(lines.slice(0, -2));
  // Its history came with it; the newest point is that its clock was frozen.
  const { points } = await opened.controls.history.list();
  expect(points.at(-2)).toMatchObject({ point: last });
  expect(points[0]).toMatchObject({ summary: expect.stringContaining('container Shop: created') });
  const before = await opened.createWorld({ at: { point: points[0]?.point ?? 0, side: 'before' } });
  expect(await before.controls.containers.list()).toEqual([]);
});
