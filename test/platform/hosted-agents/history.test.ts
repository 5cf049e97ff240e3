// The statuses that a hosted agent went through: by its jobs, by hand, and when its hours could not be paid.

import { beforeEach, expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { call, startWorld } from '../../support/emulator.js';

let world: EmulatorWorld;
beforeEach(async () => {
  world = await startWorld();
});

const base = '/api/v1/eliza/agents';
const create = async (agentName = 'Support'): Promise<string> =>
  (await call(world, 'POST', base, { agentName, alwaysOn: true })).body.data.agentId;
const historyOf = (id: string) =>
  world.controls.hostedAgents.get(id).statusHistory.map(({ status, at, error }) => [status, at.slice(11, 19), error]);
const titles = (): string[] =>
  world.controls
    .timeline({ kinds: 'agent,job' })
    .entries.map(({ kind, title, result }) => `${kind}: ${title} ${result}`);

it('the history of a hosted agent has each status with its instant, one jump or many', async () => {
  const id = await create();
  const pending = world.controls.timeline({ kinds: 'agent' });
  expect(pending.ahead.filter(({ kind }) => kind === 'agent')).toMatchObject([
    { title: 'Hosted agent Support', result: 'running', tone: 'good', subject: id },
  ]);
  await world.controls.clock.advance('9s');
  expect(world.controls.timeline().ahead).toContainEqual(
    expect.objectContaining({ kind: 'credits', title: 'The next hour of hosted agent Support begins' }),
  );
  await call(world, 'POST', `${base}/${id}/suspend`);
  await world.controls.clock.advance('1h');
  await call(world, 'POST', `${base}/${id}/resume`, undefined, { 'x-emulator-failure': 'resume-backup-missing' });
  await world.controls.clock.advance('1h');
  expect(historyOf(id)).toEqual([
    ['pending', '00:00:00', null],
    ['provisioning', '00:00:00', null],
    ['running', '00:00:09', null],
    ['stopped', '00:00:11', null],
    ['provisioning', '01:00:09', null],
    ['error', '01:00:12', 'Restore failed: the backup cannot be read'],
  ]);
  expect(world.controls.hostedAgents.get(id).since).toBe(world.controls.hostedAgents.get(id).statusHistory.at(-1)?.at);
});

it('the history of a hosted agent tells an intervention, and not of the job that it gave up', async () => {
  const id = await create();
  world.controls.hostedAgents.set(id, { status: 'sleeping' });
  await world.controls.clock.advance('1s');
  world.controls.jobs.create({ type: 'agent_wake', agent: id });
  await world.controls.clock.advance('1s');
  world.controls.jobs.fail(id, { error: 'No node' });
  world.controls.hostedAgents.set(id, { status: 'running' });
  expect(historyOf(id)).toEqual([
    ['pending', '00:00:00', null],
    ['provisioning', '00:00:00', null],
    ['sleeping', '00:00:00', null],
    ['provisioning', '00:00:01', null],
    ['error', '00:00:02', 'No node'],
    ['running', '00:00:02', null],
  ]);
  expect(titles()).toEqual([
    'agent: Hosted agent Support pending',
    'job: Provision hosted agent Support pending',
    'agent: Hosted agent Support provisioning',
    'job: Provision hosted agent Support in_progress',
    'job: Provision hosted agent Support failed',
    'agent: Hosted agent Support sleeping',
    'job: Wake hosted agent Support pending',
    'agent: Hosted agent Support provisioning',
    'job: Wake hosted agent Support in_progress',
    'job: Wake hosted agent Support failed',
    'agent: Hosted agent Support error',
    'agent: Hosted agent Support running',
  ]);
});

it('the history of a hosted agent tells when its hours could not be paid, and goes with snapshots', async () => {
  const id = await create();
  await world.controls.clock.advance('9s');
  world.controls.organizations.credits(world.organizationId, { set: 0 });
  world.controls.snapshots.take({ name: 'before' });
  await world.controls.clock.advance('1d');
  const last = ['stopped', '02:00:09', 'Suspended: the credits do not cover the next hour'];
  expect(historyOf(id).at(-1)).toEqual(last);
  const whole = historyOf(id);
  await world.controls.snapshots.restore('before');
  expect(historyOf(id)).toEqual(whole.slice(0, -1));
  await world.controls.clock.advance('1d');
  expect(historyOf(id)).toEqual(whole);
  await call(world, 'DELETE', `${base}/${id}`);
  await world.controls.clock.advance('1h');
  expect(() => world.controls.hostedAgents.get(id)).toThrow('There is no hosted agent');
});
