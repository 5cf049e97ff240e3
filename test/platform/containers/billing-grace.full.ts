// Days that credits do not cover: the grace, what pays it, its end, and what brings the container back.

import { describe, expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { paymentHeader } from '../../../src/testing.js';
import { call, deploy, getContainer, startWorld } from '../../support/emulator.js';
import { callWith } from '../../support/keys.js';
import { pay, wallet } from '../../support/payments.js';
import { signIn } from '../../support/wallets.js';

const path = '/api/v1/containers';
const billed = { timing: 'instant', billing: { daily: true } } as const;
const daysOf = (emulator: EmulatorWorld) => emulator.controls.ledger({ operation: 'billing.daily' });
/** The lines about billing in the log of the last hours; a process writes a line a second. */
const logsOf = async (emulator: EmulatorWorld, id: string): Promise<string[]> =>
  (await call(emulator, 'GET', `${path}/${id}/logs?tail=10000`)).body.logs
    .filter(({ message }: any) => /^(Billing|Container stopped)/.test(message))
    .map(({ timestamp, level, message }: any) => `${timestamp} ${level} ${message}`);

/** A container whose credits suffice for two days, on 2026-01-01. */
async function poor(options = {}) {
  const emulator = await startWorld({ ...billed, credits: { seeded: 0.5 + 2 * 0.67 + 0.6 }, ...options });
  const { id } = await deploy(emulator);
  const give = (add: number) => emulator.controls.organizations.credits(emulator.organizationId, { add });
  return { emulator, id, give, clock: emulator.controls.clock };
}

describe('when the credits do not suffice', () => {
  it('lets the container run on for 48 hours, and says so', async () => {
    const { emulator, id, clock } = await poor();
    await clock.advance('3d');
    expect(await getContainer(emulator, id)).toMatchObject({
      status: 'running',
      error_message: null,
      billing_status: 'shutdown_pending',
      total_billed: '1.34',
      shutdown_warning_sent_at: '2026-01-04T00:00:00.000Z',
      scheduled_shutdown_at: '2026-01-06T00:00:00.000Z',
      nextTransitionAt: '2026-01-06T00:00:00.000Z',
    });
    expect(await logsOf(emulator, id)).toEqual([
      '2026-01-04T00:00:00.000Z warn Billing: the balance does not cover the daily charge of 0.67 credits, shutdown in 2d unless credits are added',
    ]);
    await clock.advance('47h59m59s');
    expect((await call(emulator, 'GET', `${path}/${id}/health`)).body.status).toBe('healthy');
    expect((await call(emulator, 'GET', '/api/v1/credits/balance')).body).toEqual({ balance: 0.6 });
    expect(daysOf(emulator)).toHaveLength(2);
  });

  it('then stops it, and everything is consistent', async () => {
    const { emulator, id, clock } = await poor();
    await clock.advance('30d');
    const container = await getContainer(emulator, id);
    expect(container).toMatchObject({
      status: 'stopped',
      error_message: 'Container stopped: insufficient credits for the daily charge',
      billing_status: 'suspended',
      next_billing_at: null,
      scheduled_shutdown_at: '2026-01-06T00:00:00.000Z',
      updated_at: '2026-01-06T00:00:00.000Z',
    });
    expect(container.statusHistory.at(-1)).toEqual({ status: 'stopped', at: '2026-01-06T00:00:00.000Z' });
    const { data: list } = (await call(emulator, 'GET', path)).body;
    expect(list).toEqual([expect.objectContaining({ id, status: 'stopped', error_message: container.error_message })]);
    expect((await call(emulator, 'GET', `${path}/${id}/health`)).body.status).toBe('stopped');
    const metrics = (await call(emulator, 'GET', `${path}/${id}/metrics`)).body;
    expect([metrics.cpu.usage, metrics.memory.usage, metrics.data.metrics.task_count]).toEqual([0, 0, 0]);
    expect((await fetch(container.url)).status).toBe(503);
    expect((await call(emulator, 'GET', `${path}/quota`)).body.data.billing).toMatchObject({
      currentDailyBurn: 0,
      runningContainers: 0,
      daysOfRunway: null,
    });
    expect((await call(emulator, 'GET', `${path}/${id}/deployments`)).body.data.deployments[0].status).toBe('success');
    expect(daysOf(emulator)).toHaveLength(2);
    expect(emulator.controls.ledger().filter(({ type }) => type === 'refund')).toEqual([]);
  });

  it('reports its end in the log, after the last line of the process', async () => {
    const { emulator, id, clock } = await poor();
    await clock.advance('6d');
    expect(await logsOf(emulator, id)).toEqual([
      '2026-01-06T00:00:00.000Z error Container stopped: insufficient credits for the daily charge',
      '2026-01-06T00:00:00.000Z warn Billing: suspended, add credits and deploy again',
    ]);
    const { logs } = (await call(emulator, 'GET', `${path}/${id}/logs?tail=3`)).body;
    expect(Date.parse(logs[0].timestamp)).toBeLessThan(Date.parse('2026-01-06T00:00:00Z'));
  });

  it('takes the grace from the settings; none stops at once', async () => {
    const { emulator, id, clock } = await poor({ billing: { daily: true, grace: 0 } });
    await clock.advance('3d');
    expect(await getContainer(emulator, id)).toMatchObject({ status: 'stopped', billing_status: 'suspended' });
    expect(await logsOf(emulator, id)).toHaveLength(3);
    expect((await call(emulator, 'GET', `${path}/quota`)).body.data.billing.shutdownWarningHours).toBe(0);
  });

  it('pays for those that it covers, the oldest container first', async () => {
    const emulator = await startWorld({ ...billed, credits: { seeded: 1.65 + 1 } });
    const big = await deploy(emulator, { desired_count: 2 });
    const first = await deploy(emulator, { name: 'first', project_name: 'first' });
    const second = await deploy(emulator, { name: 'second', project_name: 'second' });
    await emulator.controls.clock.advance('1d');
    expect(daysOf(emulator).map(({ subject }) => subject)).toEqual([first.id]);
    const statuses = [];
    for (const { id } of [big, first, second]) statuses.push((await getContainer(emulator, id)).billing_status);
    expect(statuses).toEqual(['shutdown_pending', 'active', 'shutdown_pending']);
  });
});

describe('credits that come within the grace', () => {
  it('pay what is owed, at once and day by day', async () => {
    const { emulator, id, give, clock } = await poor();
    await clock.advance('4d12h');
    expect(give(10)).toMatchObject({ credits: 9.26 });
    expect(await logsOf(emulator, id)).toEqual([
      '2026-01-05T12:00:00.000Z info Billing: the daily charge is paid, the shutdown is called off',
    ]);
    expect(daysOf(emulator).slice(2)).toEqual([
      expect.objectContaining({
        amount: -0.67,
        balanceBefore: 10.6,
        balanceAfter: 9.93,
        reason: 'Daily charge for web, 2026-01-04, paid late',
        priceRule: '0.67 × 1 instance',
        subject: id,
        at: '2026-01-05T12:00:00.000Z',
      }),
      expect.objectContaining({ balanceAfter: 9.26, reason: 'Daily charge for web, 2026-01-05, paid late' }),
    ]);
    expect(await getContainer(emulator, id)).toMatchObject({
      billing_status: 'active',
      scheduled_shutdown_at: null,
      nextTransitionAt: null,
      total_billed: '2.68',
    });
    await clock.advance('10d');
    expect((await getContainer(emulator, id)).status).toBe('running');
    expect(daysOf(emulator)).toHaveLength(14);
  });

  it('are a top-up, too, whose response shows the balance before the debts are paid', async () => {
    const emulator = await startWorld(billed);
    const { apiKey } = (await signIn(emulator)).body;
    const ask = async (method: string, url: string, body?: unknown) =>
      (await callWith(emulator, apiKey, method, url, body)).body;
    const { data } = await ask('POST', path, { name: 'web', project_name: 'web', ecr_image_uri: 'r/a:1' });
    await emulator.controls.clock.advance('7d');
    expect((await ask('GET', `${path}/${data.id}`)).data.billing_status).toBe('shutdown_pending');
    expect((await pay(emulator)).body.newBalance).toBe(10.48);
    expect(await ask('GET', '/api/v1/credits/balance')).toEqual({ balance: 9.81 });
    expect((await ask('GET', `${path}/${data.id}`)).data.billing_status).toBe('active');
  });

  it('are not what pays another operation with USDC', async () => {
    const { emulator, id, clock } = await poor({ credits: { seeded: 0.6 }, quotas: { enabled: false } });
    await clock.advance('1d');
    const headers = { authorization: `Bearer ${emulator.apiKey}` };
    const body = { name: 'other', project_name: 'other', ecr_image_uri: 'r/a:1' };
    const { accepts } = (await call(emulator, 'POST', path, body)).body;
    const paid = await paymentHeader({ wallet, requirement: accepts[0] });
    const answer = await call(emulator, 'POST', path, body, { ...headers, ...paid });
    expect([answer.status, answer.body.creditsRemaining]).toEqual([202, 0.1]);
    expect((await getContainer(emulator, id)).billing_status).toBe('shutdown_pending');
    expect(daysOf(emulator)).toEqual([]);
  });

  it('that are too few for all give the rest its own 48 hours', async () => {
    const { emulator, id, give, clock } = await poor();
    await clock.advance('4d12h');
    give(0.5);
    expect(daysOf(emulator)).toHaveLength(3);
    expect(await getContainer(emulator, id)).toMatchObject({
      billing_status: 'shutdown_pending',
      scheduled_shutdown_at: '2026-01-07T00:00:00.000Z',
    });
    await clock.advance('12h');
    expect((await getContainer(emulator, id)).status).toBe('running');
    await clock.advance('1d');
    expect((await getContainer(emulator, id)).status).toBe('stopped');
  });

  it('come too late at its very end, when nothing is owed any more', async () => {
    const { emulator, id, give, clock } = await poor();
    await clock.advance('5d');
    expect(give(10).credits).toBe(10.6);
    expect(await getContainer(emulator, id)).toMatchObject({ status: 'stopped', billing_status: 'suspended' });
    await clock.advance('5d');
    expect(daysOf(emulator)).toHaveLength(2);
  });

  it('are a refund, too, at its own instant', async () => {
    const { emulator, id, clock } = await poor({
      timing: 'realistic',
      credits: { seeded: 1.5 },
      quotas: { enabled: false },
    });
    await clock.advance('23h45m');
    await deploy(emulator, { name: 'bad', project_name: 'bad', ecr_image_uri: 'r/a:fail-timeout' });
    await clock.advance('20m');
    expect((await getContainer(emulator, id)).billing_status).toBe('shutdown_pending');
    await clock.advance('1h');
    const [refund, day] = emulator.controls.ledger().slice(-2);
    expect([refund?.type, day?.operation, day?.at]).toEqual(['refund', 'billing.daily', refund?.at]);
    expect(day?.balanceAfter).toBe(0.33);
    expect((await getContainer(emulator, id)).billing_status).toBe('active');
  });
});

describe('during the grace', () => {
  it('an update that credits do not cover leaves everything as it was', async () => {
    const { emulator, id, clock } = await poor({ credits: { seeded: 0.5 + 0.4 } });
    await clock.advance('1d');
    const before = await getContainer(emulator, id);
    const answer = await call(emulator, 'POST', path, { name: 'web', project_name: 'web', ecr_image_uri: 'r/b:2' });
    expect(answer.status).toBe(402);
    expect(answer.body).toMatchObject({ requiredCredits: 0.5, creditsRemaining: 0.4, x402Version: 1 });
    expect(await getContainer(emulator, id)).toEqual(before);
    await clock.advance('1d');
    expect((await getContainer(emulator, id)).statusHistory.at(-1).status).toBe('running');
  });

  it('deploying anew does not outrun it', async () => {
    const { emulator, id, clock } = await poor();
    await clock.advance('4d');
    await call(emulator, 'PATCH', `${path}/${id}`, { desired_count: 2 });
    await clock.advance('1d');
    expect(await getContainer(emulator, id)).toMatchObject({ status: 'stopped', billing_status: 'suspended' });
  });

  it('a deployment that it cuts off returns its charge', async () => {
    const { emulator, id, clock } = await poor({ timing: 'realistic' });
    await clock.advance('4d23h59m');
    await deploy(emulator, { ecr_image_uri: 'r/b:2' });
    await clock.advance('2m');
    expect((await getContainer(emulator, id)).status).toBe('stopped');
    expect(emulator.controls.ledger().at(-1)).toMatchObject({ type: 'refund', at: '2026-01-06T00:00:00.000Z' });
  });

  it('deleting the container writes off what is owed', async () => {
    const { emulator, id, give, clock } = await poor({
      timing: { pending: 0, building: 0, deploying: 0 },
      containers: { deletion: '30s' },
    });
    await clock.advance('3d');
    await call(emulator, 'DELETE', `${path}/${id}`);
    expect(await getContainer(emulator, id)).toMatchObject({ status: 'deleting', billing_status: 'active' });
    expect(give(10).credits).toBe(10.6);
    await clock.advance('10d');
    expect((await call(emulator, 'GET', `${path}/${id}`)).status).toBe(404);
    expect(emulator.controls.organizations.list()[0]?.credits).toBe(10.6);
  });

  it('switching the billing off writes nothing off', async () => {
    const { emulator, id, clock } = await poor();
    await clock.advance('3d');
    await emulator.controls.scenarios.apply({ settings: { billing: { daily: false } } }, { merge: true });
    await clock.advance('2d');
    expect(await getContainer(emulator, id)).toMatchObject({ status: 'stopped', billing_status: 'suspended' });
  });
});

describe('a container that was stopped for lack of credits', () => {
  it('stays stopped when credits come', async () => {
    const { emulator, id, give, clock } = await poor();
    await clock.advance('6d');
    give(100);
    await clock.advance('5d');
    expect((await getContainer(emulator, id)).status).toBe('stopped');
    expect(emulator.controls.organizations.list()[0]?.credits).toBe(100.6);
  });

  it('runs again once it is deployed anew, and is billed from the next midnight on', async () => {
    const { emulator, id, give, clock } = await poor();
    await clock.advance('6d');
    give(100);
    expect((await deploy(emulator)).id).toBe(id);
    expect(await getContainer(emulator, id)).toMatchObject({
      status: 'running',
      error_message: null,
      billing_status: 'active',
      scheduled_shutdown_at: null,
    });
    await clock.advance('2d');
    expect(daysOf(emulator)).toHaveLength(4);
    const { statusHistory } = await getContainer(emulator, id);
    const statuses = ['running', 'stopped', 'pending', 'building', 'deploying', 'running'];
    expect(statusHistory.slice(-6).map(({ status }: any) => status)).toEqual(statuses);
  });

  it('runs again when control says so, until the next grace is over', async () => {
    const { emulator, id, clock } = await poor();
    await clock.advance('6d');
    emulator.controls.containers.recover(id);
    expect(await getContainer(emulator, id)).toMatchObject({ status: 'running', billing_status: 'active' });
    await clock.advance('1d');
    expect((await getContainer(emulator, id)).billing_status).toBe('shutdown_pending');
    await clock.advance('2d');
    expect((await getContainer(emulator, id)).status).toBe('stopped');
    expect(await logsOf(emulator, id)).toHaveLength(2);
  });
});
