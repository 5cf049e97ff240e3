// Whatever is done to worlds in whatever order, each is what it would be alone.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { runsOf } from '../../support/campaign.js';
import { image, startEmulator } from '../../support/emulator.js';

type Step = [world: number, act: string];

const acts = {
  async create(world: EmulatorWorld, count: number) {
    const name = `c${count}`;
    await ask(world, 'POST', '/api/v1/containers', { name, project_name: name, ecr_image_uri: image });
  },
  async advance(world: EmulatorWorld) {
    await world.controls.clock.advance('90s');
  },
  async fault(world: EmulatorWorld) {
    world.controls.faults.add({ match: { operation: 'agents.list' }, effect: { status: 503 } });
  },
  async limit(world: EmulatorWorld, count: number) {
    world.controls.limits.set({ operation: 'containers.list', limit: 50 + count });
  },
  async spend(world: EmulatorWorld) {
    world.controls.organizations.credits(world.organizationId, { add: -1 });
  },
  async list(world: EmulatorWorld) {
    await ask(world, 'GET', '/api/v1/containers');
  },
  async agents(world: EmulatorWorld) {
    await ask(world, 'GET', '/api/my-agents/characters');
  },
  async reset(world: EmulatorWorld) {
    await world.controls.reset();
  },
};

async function ask(world: EmulatorWorld, method: string, path: string, body?: unknown): Promise<void> {
  const answer = await world.fetch(path, {
    method,
    headers: { authorization: `Bearer ${world.apiKey}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  await answer.text();
}

/** All that can be seen of a world, without what only differs because it is another place. */
async function seen(world: EmulatorWorld): Promise<unknown> {
  const { controls } = world;
  const shown = {
    containers: controls.containers.list(),
    ledger: controls.ledger(),
    organizations: controls.organizations.list(),
    keys: controls.keys.list(),
    clock: controls.clock.get(),
    faults: controls.faults.list(),
    limits: controls.limits.list(),
    requests: controls.requests
      .list({ limit: 1_000 })
      .requests.map(({ durationMs: _d, wall: _w, begunAt: _b, endedAt: _e, connection: _c, ...rest }: any) => ({
        ...rest,
        responseHeaders: undefined,
        requestHeaders: undefined,
      })),
  };
  return JSON.parse(
    JSON.stringify(shown)
      .replaceAll(world.id, 'world')
      .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:port'),
  );
}

async function play(world: EmulatorWorld, steps: readonly string[]): Promise<unknown> {
  for (const [index, act] of steps.entries()) await acts[act as keyof typeof acts](world, index);
  return seen(world);
}

const clock = { start: '2026-01-01T00:00:00Z', frozen: true };

it('worlds keep data, clock, faults, limits and journal apart', async () => {
  const together = await startEmulator();
  const alone = await startEmulator();
  let round = 0;
  const step: fc.Arbitrary<Step> = fc.tuple(fc.nat(2), fc.constantFrom(...Object.keys(acts)));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      round++;
      const options = (n: number) => ({ id: `w${round}-${n}`, seed: `s${n}`, clock });
      const worlds = await Promise.all([0, 1, 2].map((n) => together.createWorld(options(n))));
      const counts = [0, 0, 0];
      for (const [n, act] of steps) {
        await acts[act as keyof typeof acts](worlds[n] as EmulatorWorld, counts[n] as number);
        counts[n] = (counts[n] as number) + 1;
      }
      for (const n of [0, 1, 2]) {
        const lonely = await alone.createWorld(options(n));
        const mine = steps.filter(([of]) => of === n).map(([, act]) => act);
        expect(await seen(worlds[n] as EmulatorWorld)).toEqual(await play(lonely, mine));
        lonely.close();
        worlds[n]?.close();
      }
    }),
    {
      numRuns: runsOf(15),
      examples: [
        [
          [2, 'create'],
          [2, 'advance'],
          [2, 'list'],
        ],
      ].map((steps) => [steps as Step[]]),
    },
  );
  expect(together.controls.containers.list()).toEqual([]);
  expect(together.controls.requests.list({}).requests).toEqual([]);
});
