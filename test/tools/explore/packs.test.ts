// Several faults in one world of one run.

import { expect, it } from 'vitest';
import { baselineOf } from '../../../src/tools/explore/baseline.js';
import { faultsOf, type Try } from '../../../src/tools/explore/fault-kinds.js';
import { createPacks, isApart } from '../../../src/tools/explore/packs.js';
import { planOf } from '../../../src/tools/explore/queue.js';
import { pointsIn, seen } from '../../support/seen-worlds.js';

const [list, get, agents] = ['containers.list', 'containers.get', 'agents.list'].map((operation) => ({ operation }));
const sent = [list, get, { operation: 'containers.create', method: 'POST', status: 202 }, agents, list] as {
  operation: string;
}[];
const world = seen('a', sent);
const { tries } = planOf(pointsIn(world, seen('b', sent)), [], false);
const ofKind = (id: string): Try => tries.find(({ kind, point }) => kind.id === id && !point.writes) as Try;
const said = (one: Try): string[] => faultsOf(one).map(({ point, kind }) => `${point.operation} ${kind.id}`);

it('a pack has a fault at each of several operations of one world, in the order of their requests', () => {
  const packs = createPacks(false);
  const pack = packs.packOf(ofKind('503'), tries);
  expect(said(pack)).toEqual(['containers.list 503', 'containers.get 429', 'agents.list 429']);
  expect(new Set(packs.membersOf(pack).map(({ point }) => point.label))).toEqual(new Set(['a']));
});

it('a pack leaves out what lasts, what hangs, writes beside reads, and where the client did not go on', () => {
  const packs = createPacks(false);
  for (const id of ['outage', 'hang']) expect(packs.packOf(ofKind(id), tries)).toBe(ofKind(id));
  packs.note(tries.find(({ point }) => point.operation === 'containers.get') as Try);
  expect(said(packs.packOf(ofKind('503'), tries))).toEqual(['containers.list 503', 'agents.list 429']);
  expect(createPacks(true).packOf(ofKind('503'), tries)).toBe(ofKind('503'));
});

it('faults of a pack are apart where each operation is sent once more at most', () => {
  const packs = createPacks(false);
  const members = packs.membersOf(packs.packOf(ofKind('503'), tries));
  const base = baselineOf([world]);
  const apart = (...more: string[]): boolean =>
    isApart(members, seen('a', [...sent, ...more.map((operation) => ({ operation }))]), base);
  expect(apart('containers.list', 'containers.get', 'agents.list')).toBe(true);
  expect(apart('containers.list', 'containers.list')).toBe(false);
});
