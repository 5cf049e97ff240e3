// The largest number of fault rules.

import { expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';

const path = '/_emulator/faults';
const status = { status: 503 };

it('a world holds at most a thousand fault rules', async () => {
  const world = await startWorld();
  for (let i = 0; i < 1_000; i++) world.controls.faults.add({ match: { operation: 'agents.*' }, effect: status });
  const answer = await call(world, 'POST', path, { effect: status });
  expect([answer.status, answer.body.error.code]).toEqual([409, 'CONFLICT']);
  expect((await call(world, 'GET', '/api/v1/containers')).status).toBe(200);
});
