// The worlds of an emulator: told of and found by their keys without opening those that nobody has asked for.

import { expect, it } from 'vitest';
import { configSchema } from '../../src/config/schema.js';
import { readMeta, writeMeta } from '../../src/db/meta.js';
import { mintKey } from '../../src/platform/keys/mint.js';
import { fillAtOnce, fillWorld } from '../../src/tools/scenarios/fill.js';
import { createLibrary } from '../../src/tools/scenarios/library.js';
import { createSnapshotStores } from '../../src/tools/snapshots/snapshot-stores.js';
import { hosting } from '../../src/tools/worlds/hosting.js';
import { Host } from '../../src/worlds/host.js';
import { noBlobs } from '../support/blobs.js';

function openHost(open = 200) {
  const config = configSchema.parse({ seed: 'test', data: { ephemeral: true }, worlds: { open } });
  const host = new Host({
    snapshots: createSnapshotStores(null, { of: () => undefined, all: () => undefined }),
    blobs: noBlobs,
    config,
    file: ':memory:',
    origin: () => 'http://localhost',
    handlers: () => ({ request: async () => {}, upgrade: () => {}, unreadable: () => {} }),
    library: createLibrary(config.data),
    facts: {
      version: '0.0.0',
      instance: 'i',
      identity: { root: '/shop', name: 'shop', shared: false },
      settings: () => ({ file: null, environment: [], profile: 'spec' }),
      uptimeMs: () => 0,
    },
    operations: [],
    onError: (error) => expect(error).toBeUndefined(),
  });
  const create = (id: string) =>
    hosting.of(host.worlds.get('default')).make({
      id,
      owner: '',
      asked: { ttl: 60_000 },
      seed: id,
      at: 0,
      frozen: true,
      scenario: undefined,
      fill: fillWorld,
      port: undefined,
      ttl: 60_000,
    });
  const opened = (): string[] => host.worlds.opened().map(({ id }) => id);
  return { host, open: create, opened };
}

it('listing worlds opens none, nor does finding whose a key is', async () => {
  const { host, open, opened } = openHost();
  const base = host.worlds.get('default');
  const made = [];
  for (let n = 0; n < 30; n++) made.push(await open(`w${n}`));
  expect(made.map(({ id }) => hosting.of(base).describe(id))).toEqual(made);
  expect(made[0]).toMatchObject({ now: '1970-01-01T00:00:00.000Z', frozen: true, port: null, ttlMs: 60_000 });
  for (const { id, apiKey } of made) expect(base.ownerOf(apiKey)).toEqual({ id, prefix: `/w/${id}` });
  expect(base.ownerOf('ek_test_of-nobody')).toBeUndefined();
  expect(opened()).toEqual(['default']);
  // And what is told of an open one is the same.
  host.worlds.get('w3');
  const toldThen = made.map((world) => ({ ...world, usedAt: expect.any(String), bytes: expect.any(Number) }));
  expect(made.map(({ id }) => hosting.of(base).describe(id))).toEqual(toldThen);
  expect(opened()).toEqual(['default', 'w3']);
  host.close();
});

it('the owner of a key is found when keys come, change and go', async () => {
  const { host, open } = openHost();
  const base = host.worlds.get('default');
  const { organizationId, userId, apiKey } = await open('a');
  const world = host.worlds.get('a');
  const { value } = mintKey(world, { organizationId, userId, name: 'late', at: 0 });
  expect(base.ownerOf(value)?.id).toBe('a');
  const image = world.image();
  world.reset({ event: 'reset', subject: '' }, () => fillAtOnce(world));
  expect([base.ownerOf(value), base.ownerOf(apiKey)?.id]).toEqual([undefined, 'a']);
  world.restore(image, 'with the key');
  expect(base.ownerOf(value)?.id).toBe('a');
  host.worlds.drop('a');
  expect([base.ownerOf(value), base.ownerOf(apiKey)]).toEqual([undefined, undefined]);
  host.close();
});

it('worlds in memory close that were used longest ago, but for those that hold more than others should wait for', async () => {
  const { host, open, opened } = openHost(2);
  for (const id of ['large', 'a', 'b', 'c']) await open(id);
  for (const id of ['large', 'a', 'b', 'c']) writeMeta(host.worlds.get(id).db, 'text', id);
  writeMeta(host.worlds.get('large').db, 'text', 'x'.repeat(1_000_000));
  for (const id of ['a', 'b', 'c']) host.worlds.get(id);
  await expect.poll(opened).toEqual(['default', 'large', 'c']);
  expect(['a', 'b', 'c'].map((id) => readMeta(host.worlds.get(id).db, 'text'))).toEqual(['a', 'b', 'c']);
  host.close();
});
