// Meeting every fault that is set.

import { expect, it } from 'vitest';
import { faultsAllFired } from '../../../src/tools/verdicts/faults.js';
import { call, startWorld } from '../../support/emulator.js';
import { context, judgedBy } from '../../support/records.js';

const judge = (...hits: number[]) =>
  judgedBy(faultsAllFired, [], {
    ...context,
    faults: hits.map((n, index) => ({ id: `f${index}`, description: 'containers.get: 503', hits: n })),
  });

it('faults-all-fired is not exercised without faults', () => {
  expect(judge().verdict).toBe('not-exercised');
});

it('faults-all-fired passes when each fault has fired', () => {
  expect(judge(1, 7)).toMatchObject({ verdict: 'pass', evidence: [] });
});

it('faults-all-fired fails when one has not, and names it', () => {
  expect(judge(1, 0)).toMatchObject({
    verdict: 'fail',
    summary: expect.stringContaining('1 of 2 faults'),
    evidence: [{ requestId: null, message: 'fault f1 (containers.get: 503) never fired' }],
  });
});

it('faults-all-fired asks for no optional fault, and counts one that has fired', async () => {
  const world = await startWorld();
  const { faults, verdicts } = world.controls;
  const result = (): object | undefined => verdicts().verdicts.find(({ rule }) => rule === 'faults-all-fired');
  faults.add({ match: { operation: 'containers.create' }, effect: { status: 503 }, optional: true });
  expect(result()).toMatchObject({ verdict: 'not-exercised' });
  faults.add({ match: { operation: 'containers.list' }, effect: { status: 503 }, optional: true });
  await call(world, 'GET', '/api/v1/containers');
  expect(result()).toMatchObject({ verdict: 'pass', summary: '1 fault set, and each has fired.' });
});
