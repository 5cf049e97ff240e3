// On which requests a rule acts: the same ones for the same seed, whatever else goes on.

import { expect, it } from 'vitest';
import { createEmulator } from '../../../src/index.js';
import { tempDir } from '../../support/command.js';
import { call, type Platform, startWorld } from '../../support/emulator.js';

const list = '/api/v1/containers';

/** The requests of so many that are answered with 503: "x" for those, "." for the others. */
async function pattern(world: Platform, count: number): Promise<string> {
  let text = '';
  for (let i = 0; i < count; i++) text += (await call(world, 'GET', list)).status === 503 ? 'x' : '.';
  return text;
}

it.each([
  [{}, 'xxxxxxxx'],
  [{ times: 2 }, 'xx......'],
  [{ nth: 3 }, '..x.....'],
  [{ every: 3 }, '..x..x..'],
  [{ after: 3 }, '...xxxxx'],
  [{ after: 3, times: 2 }, '...xx...'],
  [{ after: 2, nth: 2 }, '...x....'],
  [{ every: 2, times: 2 }, '.x.x....'],
  [{ after: 1, every: 2 }, '..x.x.x.'],
  [{ nth: 1, times: 1 }, 'x.......'],
  [{ probability: 0 }, '........'],
  [{ probability: 1 }, 'xxxxxxxx'],
])('a rule fires on the right requests when %j', async (when, expected) => {
  const world = await startWorld();
  world.controls.faults.add({ when, effect: { status: 503 } });
  expect(await pattern(world, 8)).toBe(expected);
  const hits = [...expected].filter((sign) => sign === 'x').length;
  expect(world.controls.faults.get('fault_1')).toMatchObject({ seen: 8, hits });
});

it('a request on which an older rule fires is none that a newer one counts', async () => {
  const world = await startWorld();
  for (const nth of [1, 2]) world.controls.faults.add({ when: { nth }, effect: { status: 503 } });
  expect(await pattern(world, 4)).toBe('x.x.');
});

it('a rule fires with the given probability, alike in two runs with one seed and not with another', async () => {
  const run = async (seed: string): Promise<string> => {
    const world = await startWorld({ seed, rateLimits: { enabled: false } });
    world.controls.faults.add({ when: { probability: 0.3 }, effect: { status: 503 } });
    return pattern(world, 100);
  };
  const first = await run('one');
  expect(await run('one')).toBe(first);
  expect(await run('two')).not.toBe(first);
  const hits = [...first].filter((sign) => sign === 'x').length;
  expect(hits).toBeGreaterThan(15);
  expect(hits).toBeLessThan(45);
});

it('the oldest rule that matches and whose conditions hold fires; only those that were asked count', async () => {
  const world = await startWorld();
  const { faults } = world.controls;
  faults.add({ when: { every: 2 }, effect: { status: 500 } });
  faults.add({ match: { operation: 'containers.*' }, when: { times: 2 }, effect: { status: 501 } });
  faults.add({ effect: { status: 503 } });
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) statuses.push((await call(world, 'GET', list)).status);
  expect(statuses).toEqual([501, 500, 501, 500, 503, 500]);
  expect(faults.list().map(({ seen, hits }) => [seen, hits])).toEqual([
    [6, 3],
    [3, 2],
    [1, 1],
  ]);
});

it.each([
  ['refuses', { effect: { status: 503 } }, [503, 200]],
  ['breaks', { effect: { network: 'reset' } }, [0, 200]],
  ['delays', { match: { path: '*/nope' }, effect: { delay: 1 } }, [404, 200]],
] as const)(
  'a rule in phase after counts no request that another rule %s before anything happens',
  async (kind, other, expected) => {
    const world = await startWorld();
    const { faults } = world.controls;
    faults.add({ when: { nth: 2 }, phase: 'after', effect: { status: 500 } });
    faults.add({ when: { times: 1 }, ...other });
    const ask = (path: string): Promise<number> =>
      call(world, 'GET', path).then(
        ({ status }) => status,
        () => 0,
      );
    expect([await ask(kind === 'delays' ? `${list}/nope` : list), await ask(list)]).toEqual(expected);
    expect(faults.list()).toMatchObject([{ seen: 1, hits: 0 }, { hits: 1 }]);
    expect(await ask(list)).toBe(500);
  },
);

it('a rule expires by virtual time', async () => {
  const world = await startWorld();
  const { faults, clock } = world.controls;
  const { expiresAt } = faults.add({ when: { expiresIn: '10m' }, effect: { status: 503 } });
  expect(expiresAt).toBe('2026-01-01T00:10:00.000Z');
  expect(await pattern(world, 1)).toBe('x');
  await clock.advance('9m59s');
  expect(await pattern(world, 1)).toBe('x');
  await clock.advance('1s');
  expect(await pattern(world, 1)).toBe('.');
  expect(faults.get('fault_1')).toMatchObject({ state: 'expired', seen: 2, hits: 2 });
});

it('a rule fires in a window of virtual time, counted from the start of the world, and counts only what comes in it', async () => {
  const world = await startWorld();
  const { faults, clock } = world.controls;
  await clock.advance('1s');
  const rule = faults.add({ when: { from: '5s', until: '10s', nth: 2 }, effect: { status: 503 } });
  expect(rule).toMatchObject({ beginsAt: '2026-01-01T00:00:05.000Z', expiresAt: '2026-01-01T00:00:10.000Z' });
  expect(await pattern(world, 2)).toBe('..');
  await clock.advance('4s');
  expect(await pattern(world, 3)).toBe('.x.');
  faults.add({ when: { until: '10s' }, effect: { status: 503 } });
  expect(await pattern(world, 1)).toBe('x');
  await clock.advance('5s');
  expect(await pattern(world, 2)).toBe('..');
  expect(() => faults.add({ when: { from: '5s', until: 5_000 }, effect: { status: 503 } })).toThrow(
    'when.until must be later than from',
  );
});

it('the window of a rule counts from the start of the scenario that has it, and a saved one has what is left of it', async () => {
  const world = await startWorld();
  const faults = [{ when: { from: '5s', until: '10s' }, optional: true, effect: { status: 503 as const } }];
  await world.controls.scenarios.apply({ clock: { start: '2030-01-01T00:00:00Z', frozen: true }, faults });
  await world.controls.clock.advance('7s');
  expect(await pattern(world, 1)).toBe('x');
  const saved = world.controls.scenarios.save({ name: 'left' }).document as { faults: object[] };
  expect(saved.faults).toMatchObject([{ when: { expiresIn: '3s' }, optional: true }]);
});

it('a rule fires on exactly so many of many requests at once', async () => {
  const world = await startWorld();
  world.controls.faults.add({ when: { times: 7 }, phase: 'after', effect: { status: 503 } });
  const answers = await Promise.all(Array.from({ length: 60 }, () => call(world, 'GET', list)));
  expect(answers.filter(({ status }) => status === 503)).toHaveLength(7);
  expect(world.controls.faults.list()).toMatchObject([{ seen: 60, hits: 7, state: 'spent' }]);
});

it('a rule neither counts nor fires on what the limiter refuses, what no endpoint answers, and the control plane', async () => {
  const world = await startWorld({ rateLimits: { perKey: 2 } });
  world.controls.faults.add({ effect: { status: 503 } });
  expect((await call(world, 'GET', '/api/v1/nowhere')).status).toBe(404);
  expect((await call(world, 'DELETE', list)).status).toBe(405);
  expect((await call(world, 'GET', '/_emulator/faults')).status).toBe(200);
  expect((await call(world, 'GET', '/openapi.json')).status).toBe(200);
  expect(await pattern(world, 2)).toBe('xx');
  expect((await call(world, 'GET', list)).status).toBe(429);
  expect(world.controls.faults.list()).toMatchObject([{ seen: 2, hits: 2 }]);
});

it('rules and their counts outlive a restart', async () => {
  const dataDir = tempDir();
  const first = await createEmulator({ dataDir });
  first.controls.faults.add({ when: { after: 2, times: 2 }, effect: { status: 503 } });
  expect(await pattern(first, 3)).toBe('..x');
  await first.close();
  const second = await createEmulator({ dataDir });
  expect(second.controls.faults.list()).toMatchObject([{ id: 'fault_1', seen: 3, hits: 1 }]);
  expect(await pattern(second, 3)).toBe('x..');
  expect(second.controls.faults.add({ effect: { delay: 0 } }).id).toBe('fault_2');
  await second.close();
});

it('a rule goes back in its counts with a snapshot, and is gone after a reset', async () => {
  const world = await startWorld();
  const { faults, snapshots, reset } = world.controls;
  faults.add({ when: { nth: 3 }, effect: { status: 503 } });
  expect(await pattern(world, 2)).toBe('..');
  await snapshots.take({ name: 'two' });
  expect(await pattern(world, 3)).toBe('x..');
  await snapshots.restore('two');
  expect(faults.list()).toMatchObject([{ seen: 2, hits: 0 }]);
  expect(await pattern(world, 3)).toBe('x..');
  await reset();
  expect(faults.list()).toEqual([]);
  expect(await pattern(world, 2)).toBe('..');
});
