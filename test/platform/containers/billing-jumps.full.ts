// Billing and time: a jump equals its steps; restarts, snapshots and open streams change nothing.

import { expect, it } from 'vitest';
import type { CreateEmulatorOptions, Emulator } from '../../../src/index.js';
import { tempDir } from '../../support/command.js';
import { call, deploy, startEmulator } from '../../support/emulator.js';
import { openStream } from '../../support/sse.js';

const path = '/api/v1/containers';
const start = (options: CreateEmulatorOptions = {}) =>
  startEmulator({ timing: 'realistic', billing: { daily: true }, quotas: { enabled: false }, ...options });

/** Four containers, one of which fails and one of which is on its way out, and credits for some days. */
async function populate(emulator: Emulator, credits = 9): Promise<void> {
  for (const [name, fields] of Object.entries<object>({
    one: {},
    two: { desired_count: 2 },
    bad: { ecr_image_uri: 'r/a:fail-oom-later' },
    slow: { ecr_image_uri: 'r/a:fail-timeout' },
  })) {
    await deploy(emulator, { name, project_name: name, ...fields });
  }
  emulator.controls.organizations.credits(emulator.organizationId, { set: credits });
}

/** Everything that clients see, and the ledger. */
async function everything(emulator: Emulator): Promise<string[]> {
  const seen: string[] = [JSON.stringify(emulator.controls.ledger())];
  const look = async (url: string): Promise<any> => {
    const { text, body } = await call(emulator, 'GET', url);
    seen.push(text.replace(/http:\/\/127\.0\.0\.1:\d+/g, 'URL'));
    return body;
  };
  for (const { id } of (await look(path)).data)
    for (const view of ['', '/logs?tail=10000', '/metrics', '/health', '/deployments'])
      await look(`${path}/${id}${view}`);
  await look('/api/credits/transactions?limit=1000');
  await look(`${path}/quota`);
  return seen;
}

it('daily billing gives the same bytes after one jump of 30 days, 30 steps of a day, and 720 of an hour', async () => {
  const runs: string[][] = [];
  const ways = [
    [1, '30d'],
    [30, '1d'],
    [720, '1h'],
  ] as const;
  for (const [steps, by] of ways) {
    const emulator = await start();
    await populate(emulator);
    for (let step = 0; step < steps; step++) {
      await emulator.controls.clock.advance(by);
      if (step % 7 === 3) await call(emulator, 'GET', path);
    }
    runs.push(await everything(emulator));
  }
  for (const run of runs) expect(run).toEqual(runs[0]);
  expect(runs[0]?.[0]).toContain('billing.daily');
  expect(runs[0]?.join()).toContain('insufficient credits for the daily charge');
});

it('daily billing goes on after restarts in the middle of a grace as if there had been none', async () => {
  const undisturbed = await start();
  await populate(undisturbed);
  await undisturbed.controls.clock.advance('9d');
  const dataDir = tempDir();
  let emulator = await start({ dataDir });
  await populate(emulator);
  for (let day = 0; day < 9; day++) {
    await emulator.controls.clock.advance('1d');
    await emulator.close();
    emulator = await start({ dataDir });
  }
  expect(await everything(emulator)).toEqual(await everything(undisturbed));
  await emulator.close();
});

it('daily billing comes back with a snapshot, graces and debts included', async () => {
  const emulator = await start();
  await populate(emulator);
  await emulator.controls.clock.advance('5d');
  emulator.controls.snapshots.take({ name: 'owing' });
  await emulator.controls.clock.advance('3d');
  const first = await everything(emulator);
  emulator.controls.organizations.credits(emulator.organizationId, { set: 100 });
  await emulator.controls.clock.advance('3d');
  await emulator.controls.snapshots.restore('owing');
  expect(emulator.controls.containers.list().map(({ status }) => status)).toContain('running');
  await emulator.controls.clock.advance('3d');
  expect(await everything(emulator)).toEqual(first);
  await emulator.controls.snapshots.restore('owing');
  emulator.controls.organizations.credits(emulator.organizationId, { set: 100 });
  await emulator.controls.clock.advance('3d');
  expect(emulator.controls.containers.get('one').status).toBe('running');
});

it('daily billing begins anew with a reset, and apart in each world', async () => {
  const emulator = await start();
  await populate(emulator);
  await emulator.controls.clock.advance('20d');
  await emulator.controls.reset();
  await emulator.controls.worlds.create({
    id: 'rich',
    seed: 'test',
    clock: { start: '2020-05-05T00:00:00Z', frozen: true },
  });
  await populate(emulator, 100);
  await emulator.controls.clock.advance('2d');
  expect(emulator.controls.ledger({ operation: 'billing.daily' })).toHaveLength(4);
  const rich = await call(emulator, 'GET', '/w/rich/_emulator/ledger');
  expect(rich.body.total).toBe(1);
});

it('daily billing reports a stop to open streams and events at its instant, in one jump over it', async () => {
  const emulator = await start({ timing: 'instant', credits: { seeded: 0.6 } });
  const events = await openStream(`${emulator.url}/_emulator/events`, {});
  const { id } = await deploy(emulator);
  const tail = await openStream(`${emulator.url}${path}/${id}/logs/stream?level=error`, {
    authorization: `Bearer ${emulator.apiKey}`,
  });
  await emulator.controls.clock.advance('4d');
  while (!tail.messages.some(({ data }) => data.data.status === 'stopped')) await tail.until(tail.messages.length + 1);
  const shown = () => tail.messages.map(({ data }) => data.data.status ?? data.data.message);
  while (shown().at(-1) === 'stopped') await tail.until(tail.messages.length + 1);
  expect(shown().slice(-2)).toEqual(['stopped', 'Container stopped: insufficient credits for the daily charge']);
  const changes = () => events.messages.filter(({ data }) => data.type === 'container').map(({ data }) => data.data);
  while (!changes().some(({ status }) => status === 'stopped')) await events.until(events.messages.length + 1);
  expect(changes().at(-1)).toMatchObject({ id, status: 'stopped', at: '2026-01-04T00:00:00.000Z' });
  tail.close();
  events.close();
});

it('daily billing reaches the last midnight that a timestamp can carry, and needs no other', async () => {
  const emulator = await start({ timing: 'instant', clock: '9999-12-30T12:00:00Z', credits: { seeded: 1.2 } });
  const { id } = await deploy(emulator);
  await emulator.controls.clock.advance({ to: '9999-12-31T23:59:59.999Z' });
  const { data } = (await call(emulator, 'GET', `${path}/${id}`)).body;
  expect(data).toMatchObject({ billing_status: 'active', next_billing_at: null, total_billed: '0.67' });
});
