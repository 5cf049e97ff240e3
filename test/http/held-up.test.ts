// Requests that a fault's delay holds up: they act when it is over, after all that was done meanwhile.

import { expect, it } from 'vitest';
import { call, deploy, getContainer, image, type Platform, startEmulator } from '../support/emulator.js';
import { eventually } from '../support/eventually.js';

const isRefund = ({ type }: { type: string }): boolean => type === 'refund';

/** Sends a request that a fault holds up, and resolves once it has arrived. */
async function begin(emulator: Platform, operation: string, method: string, path: string, body?: unknown) {
  const { faults } = emulator.controls;
  faults.add({ match: { operation }, when: { times: 1 }, effect: { delay: 200 } });
  const answer = call(emulator, method, path, body);
  await eventually(() => faults.list()[0]?.hits === 1);
  return { answer };
}

it('deploys when the delay is over, so that lists and the ledger stay in the order of time', async () => {
  const emulator = await startEmulator({ frozen: true });
  const arrival = emulator.controls.clock.get().now;
  const failing = { name: 'late', project_name: 'late', ecr_image_uri: 'registry.local/late:fail-oom-start' };
  const { answer } = await begin(emulator, 'containers.create', 'POST', '/api/v1/containers', failing);
  const { now } = await emulator.controls.clock.advance('1h');
  await deploy(emulator);

  const { headers, body } = await answer;
  expect(headers.get('x-emulator-now')).toBe(now);
  expect(body.data.created_at).toBe(now);
  expect(await getContainer(emulator, body.data.id)).toMatchObject({ status: 'pending', created_at: now });
  const ledger = emulator.controls.ledger();
  expect(ledger.map(({ at }) => at)).toEqual(ledger.map(({ at }) => at).sort());
  expect(ledger.some(isRefund)).toBe(false);
  const { requests } = emulator.controls.requests.list({ operation: 'containers.create' });
  expect(requests.map(({ at }) => at).sort()[0]).toBe(Date.parse(arrival));
});

it('brings neither the time of the former world nor its own record into a world that was reset meanwhile', async () => {
  const emulator = await startEmulator({ frozen: true });
  await emulator.controls.clock.advance('40d');
  const { answer } = await begin(emulator, 'account.balance', 'GET', '/api/v1/credits/balance');
  await emulator.controls.reset();
  await deploy(emulator, { ecr_image_uri: image.replace('v1', 'fail-oom-start') });

  expect((await answer).status).toBe(503);
  expect(emulator.controls.ledger().some(isRefund)).toBe(false);
  const { requests } = emulator.controls.requests.list();
  expect(requests.map(({ operation }) => operation)).toEqual(['containers.create']);
});
