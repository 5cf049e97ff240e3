// Requests that a fault's delay holds up: they act when it is over, after all that was done meanwhile.

import { expect, it } from 'vitest';
import { nextTurn } from '../../src/core/clock.js';
import { tempDir } from '../support/command.js';
import { call, deploy, getContainer, image, type Platform, startEmulator } from '../support/emulator.js';
import { eventually } from '../support/eventually.js';
import { mint } from '../support/keys.js';

const isRefund = ({ type }: { type: string }): boolean => type === 'refund';

/** Sends a request that a fault holds up, and resolves once it has arrived. */
async function begin(
  emulator: Platform,
  operation: string,
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
  delay = 200,
) {
  const { faults } = emulator.controls;
  faults.add({ match: { operation }, when: { times: 1 }, effect: { delay } });
  const answer = call(emulator, method, path, body, headers);
  await eventually(() => faults.list()[0]?.hits === 1);
  return { answer };
}

it('a deployment that a delay holds up happens when it is over, so that lists and the ledger stay in the order of time', async () => {
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

it('the ledger stays in the order of time, whatever is done in each turn that requests take', async () => {
  // In a file: the counts of a turn are stored together before its requests write.
  const emulator = await startEmulator({ dataDir: tempDir(), frozen: true, quotas: { enabled: false } });
  const { clock, faults, ledger, organizations } = emulator.controls;
  faults.add({ match: { operation: 'containers.create' }, when: { every: 3 }, effect: { delay: 20 } });
  let isUnderWay = true;
  const deployments = Array.from({ length: 12 }, (_, n) => deploy(emulator, { name: `n${n}`, project_name: `n${n}` }));
  // A refused deployment ends the wait, too, and then the test with its reason.
  void Promise.allSettled(deployments).then(() => {
    isUnderWay = false;
  });
  while (isUnderWay) {
    await nextTurn();
    await clock.advance('1s');
    organizations.credits(emulator.organizationId, { add: 1 });
  }
  await Promise.all(deployments);
  const instants = ledger().map(({ at }) => at);
  expect(instants).toEqual([...instants].sort());
});

it('a request that a delay holds up counts as a use of its key when it is over, so that the last use stays the last', async () => {
  const emulator = await startEmulator({ frozen: true });
  const { id, value } = await mint(emulator);
  const headers = { authorization: `Bearer ${value}` };
  const path = '/api/v1/credits/balance';
  const { answer } = await begin(emulator, 'account.balance', 'GET', path, undefined, headers);
  const { now } = await emulator.controls.clock.advance('1h');
  await call(emulator, 'GET', path, undefined, headers);
  expect((await answer).status).toBe(200);
  const { apiKey } = (await call(emulator, 'GET', `/api/v1/api-keys/${id}`)).body;
  expect(apiKey).toMatchObject({ usage_count: 2, last_used_at: now });
});

it('a request that a delay holds up brings neither the time of the former world nor its own record into a world that was reset meanwhile', async () => {
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

it.each(['drop', 'close'] as const)(
  'a request that a delay holds up is refused with a reason where its world ends meanwhile (%s)',
  async (how) => {
    const emulator = await startEmulator();
    const world = await emulator.createWorld({ id: 'short' });
    const held = await begin(world, 'account.balance', 'GET', '/api/v1/credits/balance', undefined, {}, 60_000);
    // The operation whose answer a delay holds up has happened.
    world.controls.faults.add({ match: { operation: 'containers.create' }, phase: 'after', effect: { delay: 60_000 } });
    const created = deploy(world);
    await eventually(() => world.controls.containers.list().length === 1);
    if (how === 'drop') emulator.controls.worlds.drop('short');
    else void emulator.close();
    const { status, body } = await held.answer;
    expect([status, body.error.message]).toEqual([503, expect.stringContaining('ended')]);
    expect((await created).status).toBe('pending');
  },
);

it('a stream that a delay has held up until its world ended ends', async () => {
  const emulator = await startEmulator();
  const world = await emulator.createWorld({ id: 'short' });
  const { id } = await deploy(world);
  const { faults } = world.controls;
  faults.add({ match: { operation: 'containers.streamLogs' }, phase: 'after', effect: { delay: 60_000 } });
  const headers = { authorization: `Bearer ${world.apiKey}` };
  const stream = fetch(`${world.url}/api/v1/containers/${id}/logs/stream`, { headers });
  await eventually(() => faults.list()[0]?.hits === 1);
  emulator.controls.worlds.drop('short');
  expect(await (await stream).text()).toContain(': connected');
});
