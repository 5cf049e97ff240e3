// Why requests about hosted agents and jobs failed, and what the report and the state of a point say of them.

import { beforeEach, expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { call, startWorld } from '../../support/emulator.js';

const base = '/api/v1/eliza/agents';
let world: EmulatorWorld;
beforeEach(async () => {
  world = await startWorld();
});

const create = async (agentName: string, more: object = {}): Promise<string> =>
  (await call(world, 'POST', base, { agentName, alwaysOn: true, forceCreate: true, ...more })).body.data?.agentId;

/** What is said about the last request. */
async function why() {
  const requestId = world.controls.requests.list({ limit: 1 }).requests[0]?.requestId ?? '';
  const { reason, certain, chain } = await world.controls.why({ requestId });
  return { reason, certain, because: chain.map(({ because }) => because) };
}

it('why names the job that keeps a hosted agent busy, and the change after which it cannot do what is asked', async () => {
  const id = await create('Ada');
  await call(world, 'POST', `${base}/${id}/suspend`);
  expect(await why()).toEqual({
    reason: expect.stringMatching(/^Agent is already being provisioned: its job agent_provision is in progress/),
    certain: true,
    because: ['hosted agent Ada: created; job of agent 1: created; before it, the answer is 404 NOT_FOUND'],
  });
  world.controls.hostedAgents.set(id, { status: 'stopped' });
  await call(world, 'POST', `${base}/${id}/snapshot`);
  expect(await why()).toEqual({
    reason: 'Sandbox is not running: the agent is stopped',
    certain: true,
    because: [expect.stringMatching(/^hosted agent Ada: .*before it, the answer is 409 CONFLICT$/)],
  });
});

it('why names the hosted agents that use the quota up', async () => {
  world.controls.organizations.credits(world.organizationId, { set: 0.5 });
  for (let n = 1; n <= 5; n++) await create(`Agent ${n}`);
  expect(await create('More')).toBeUndefined();
  const { reason, because } = await why();
  expect(reason).toMatch(/^Agent quota exceeded: the organization has 5 hosted agents/);
  expect(because).toEqual(['hosted agent Agent 5: created; job of agent 5: created; before it, the answer is 202']);
});

it('why names the failure mode of a job that has failed, and the hand that ended one', async () => {
  const id = await create('Ada fail-provision-image-pull');
  await world.controls.clock.advance('1m');
  const { id: job = '' } = world.controls.jobs.list()[0] ?? {};
  await call(world, 'GET', `/api/v1/jobs/${job}`);
  expect(await why()).toMatchObject({
    reason: 'the job agent_provision of the hosted agent Ada fail-provision-image-pull has failed',
    because: ['it began a job that was to fail: provision-image-pull'],
  });
  await call(world, 'GET', `${base}/${id}`);
  expect((await why()).because).toEqual(['it began a job that was to fail: provision-image-pull']);
  const other = await create('Bob');
  world.controls.jobs.fail(other, { error: 'Node lost' });
  await call(world, 'GET', `${base}/${other}`);
  expect((await why()).because).toEqual(['it ended the job by hand', 'it began the job']);
});

it('the report and the state of a point say what hosted agents do', async () => {
  await create('Ada');
  const stuck = await create('Bob');
  world.controls.jobs.finish(stuck);
  world.controls.jobs.create({ type: 'agent_suspend', agent: stuck, failure: 'job-hangs' });
  const { text } = world.controls.report();
  expect(text).toMatch(/^Hosted agents:$/m);
  expect(text).toMatch(/^ {2}Ada \([\w-]+\): provisioning, its job agent_provision is pending and completes in 9s$/m);
  expect(text).toMatch(/^ {2}Bob \([\w-]+\): running, its job agent_suspend is pending and never ends$/m);
  const { last } = world.controls.history.list();
  const { state } = world.controls.history.show(String(last), { state: true });
  expect(state?.hostedAgents.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'Bob running',
    'Ada provisioning',
  ]);
});

it('a hosted agent that is being deleted is no longer there', async () => {
  const counted = () =>
    world.controls.scenarios.expectations().expectations.find(({ what }) => what === 'hosted agents')?.actual;
  await world.controls.scenarios.apply({ expect: { holdings: [{ kind: 'hosted agent', count: 0 }] } });
  const id = await create('Ada');
  await world.controls.clock.advance('1m');
  expect(counted()).toBe('1');
  await call(world, 'DELETE', `${base}/${id}`);
  expect(counted()).toBe('0');
});
