// How jobs of hosted agents fail: every mode, by every trigger, and by controls.

import { expect, it } from 'vitest';
import { agentFailureModes, readAgentFailure } from '../../../src/platform/hosted-agents/failures.js';
import type { AgentJobType, AgentStatus } from '../../../src/platform/hosted-agents/store.js';
import { call, type Platform, startWorld } from '../../support/emulator.js';
import { act, agentsPath, dedicated, jobSeen, running, seen } from '../../support/hosted-agents.js';

/** The status of an agent after a job of each type has failed. */
const after: Record<AgentJobType, AgentStatus> = {
  agent_provision: 'error',
  agent_resume: 'error',
  agent_wake: 'error',
  agent_restart: 'error',
  agent_suspend: 'error',
  agent_sleep: 'error',
  agent_snapshot: 'running',
  agent_delete: 'deletion_failed',
};

const cells = agentFailureModes().flatMap((mode) => readAgentFailure(mode).jobs.map((type) => [mode, type] as const));

it.each(cells)('%s: %s', async (mode, type) => {
  const world = await startWorld();
  const { error, work, attempts } = readAgentFailure(mode);
  const { id, agentId } = world.controls.jobs.create({ type, failure: mode });
  await world.controls.clock.advance('10m');
  const { status, data, polling } = await jobSeen(world, id);
  if (work === null) {
    expect([status, polling.shouldContinue]).toEqual(['in_progress', true]);
    await world.controls.clock.advance('30d');
    expect((await jobSeen(world, id)).status).toBe('in_progress');
    await expect(world.controls.await({ job: id, status: 'completed' })).rejects.toThrow(/leads to nothing else/);
  } else if (error === null) expect([status, data.error]).toEqual(['completed', null]);
  else {
    expect([status, data.error, data.attempts]).toEqual(['failed', error, attempts]);
    expect(await seen(world, agentId ?? '')).toMatchObject({ status: after[type], errorMessage: error, errorCount: 1 });
  }
});

it('a mode that refuses makes nothing, and changes nothing', async () => {
  const refusing = agentFailureModes().filter((mode) => readAgentFailure(mode).refuses === true);
  expect(refusing).toEqual(['worker-unavailable']);
  const world = await startWorld({ errors: { style: 'flat' } });
  const { hostedAgents, jobs, ledger } = world.controls;
  const headers = { 'x-emulator-failure': 'worker-unavailable' };
  const body = { agentName: 'Ada', alwaysOn: true };
  const before = ledger().length;
  const refused = await call(world, 'POST', agentsPath, body, headers);
  expect([refused.status, refused.body.code]).toEqual([503, 'service_unavailable']);
  expect(refused.body.error).toContain('worker is unavailable');
  const named = await call(world, 'POST', agentsPath, { ...body, agentName: 'Ada fail-worker-unavailable' });
  expect(named.status).toBe(503);
  expect([hostedAgents.list(), jobs.list(), ledger().length]).toEqual([[], [], before]);
  const { id } = await running(world);
  await act(world, id, 'suspend');
  await world.controls.await({ agent: id, status: 'stopped', advance: true });
  const count = jobs.list().length;
  expect((await call(world, 'POST', `${agentsPath}/${id}/resume`, undefined, headers)).status).toBe(503);
  expect([(await seen(world, id)).status, jobs.list().length]).toEqual(['stopped', count]);
  expect((await act(world, id, 'resume')).status).toBe(202);
});

it('a mode is chosen by name, image, variable, header or setting, and only once by the header', async () => {
  const mode = 'provision-no-capacity';
  const fails = async (world: Platform, fields: object, headers = {}): Promise<string> => {
    const { id } = await dedicated(world, { ...fields }, headers);
    await world.controls.clock.advance('1m');
    return (await seen(world, id)).status;
  };
  const world = await startWorld();
  expect(await fails(world, { agentName: `Bot fail-${mode}` })).toBe('error');
  expect(await fails(world, { dockerImage: `ghcr.io/acme/bot:fail-${mode}` })).toBe('error');
  expect(await fails(world, { environmentVars: { EMULATOR_FAIL: mode } })).toBe('error');
  expect(await fails(world, {}, { 'x-emulator-failure': mode })).toBe('error');
  expect(await fails(world, {})).toBe('running');
  expect(await fails(await startWorld({ hostedAgents: { failure: mode } }), {})).toBe('error');

  const unknown = await call(world, 'POST', agentsPath, {
    agentName: 'x',
    alwaysOn: true,
    forceCreate: true,
    environmentVars: { EMULATOR_FAIL: 'provision-no-capacty' },
  });
  expect(unknown.body.error.details[0]).toMatchObject({
    path: 'environmentVars.EMULATOR_FAIL',
    suggestion: mode,
  });
  const near = await call(world, 'POST', agentsPath, {
    agentName: 'Bot fail-job-hang',
    alwaysOn: true,
    forceCreate: true,
  });
  expect(near.headers.get('x-emulator-warning')).toContain('did you mean fail-job-hangs');
});

it('an agent in error starts again, and a deletion that failed can be repeated', async () => {
  const world = await startWorld();
  const { id } = await running(world);
  await call(world, 'DELETE', `${agentsPath}/${id}`, undefined, { 'x-emulator-failure': 'delete-volume-busy' });
  await world.controls.await({ agent: id, status: 'deletion_failed', advance: true });
  expect((await act(world, id, 'resume')).status).toBe(409);
  expect((await call(world, 'DELETE', `${agentsPath}/${id}`)).status).toBe(202);
  await world.controls.await({ agent: id, status: 'deleted', advance: true });

  const other = await dedicated(world, {}, { 'x-emulator-failure': 'provision-image-pull' });
  await world.controls.await({ agent: other.id, status: 'error', advance: true });
  expect((await act(world, other.id, 'provision')).status).toBe(202);
  await world.controls.await({ agent: other.id, status: 'running', advance: true });
  expect(await seen(world, other.id)).toMatchObject({ errorMessage: null, errorCount: 1 });
});

it('controls finish and fail jobs, and set the status of agents', async () => {
  const world = await startWorld();
  const { id, jobId } = await dedicated(world);
  expect(world.controls.jobs.finish(jobId)).toMatchObject({
    type: 'agent_provision',
    status: 'completed',
    agentId: id,
  });
  expect((await seen(world, id)).status).toBe('running');
  expect(() => world.controls.jobs.finish(jobId)).toThrow(/it has completed/);
  const { data } = (await act(world, id, 'suspend')).body;
  expect(() => world.controls.jobs.fail(data.jobId, { mode: 'too-short' })).toThrow(/belongs to cloning jobs/);
  expect(world.controls.jobs.fail(id, { error: 'Node lost' })).toMatchObject({ id: data.jobId, error: 'Node lost' });
  expect(await seen(world, id)).toMatchObject({ status: 'error', errorMessage: 'Node lost' });
  expect(world.controls.hostedAgents.set(id, { status: 'disconnected' })).toMatchObject({ status: 'disconnected' });
  await act(world, id, 'suspend');
  const set = world.controls.hostedAgents.set('Support', { status: 'running' });
  expect(set).toMatchObject({ status: 'running', jobId: null });
  expect((await jobSeen(world, world.controls.jobs.list()[0]?.id ?? '')).status).toBe('failed');
  await world.controls.clock.advance('1h');
  expect((await seen(world, id)).status).toBe('running');

  expect(() => world.controls.jobs.create({ agent: 'Suport' })).toThrow(/did you mean "Support"/);
  expect(() => world.controls.jobs.create({ failure: 'job-hang' })).toThrow(/job-hangs/);
  const shared = world.controls.hostedAgents.create({ name: 'Shared' });
  expect(() => world.controls.hostedAgents.set(shared.id, { status: 'error' })).toThrow(/always runs/);
  expect(() => world.controls.jobs.create({ agent: shared.id })).toThrow(/no container/);
  expect(world.controls.hostedAgents.failures().map(({ mode }) => mode)).toEqual(agentFailureModes());
});

it('an await of an agent waits for what its job leads to, and says at once what cannot come', async () => {
  const world = await startWorld();
  const { id } = await dedicated(world);
  await expect(world.controls.await({ agent: id, status: 'sleeping' })).rejects.toThrow(/leads only to running/);
  const waiting = world.controls.await({ agent: 'Support', status: ['running', 'error'] });
  await world.controls.clock.advance('1m');
  expect(await waiting).toMatchObject({ id, status: 'running' });
  world.controls.organizations.credits(world.organizationId, { set: 0.2 });
  expect(await world.controls.await({ agent: id, status: 'stopped', advance: true })).toMatchObject({
    rate: 'deactivated',
  });
  await expect(world.controls.await({ agent: id, status: 'error' })).rejects.toThrow(/no job of it leads further/);
});

it('the timeline shows what jobs did and will do', async () => {
  const world = await startWorld();
  await dedicated(world);
  await world.controls.clock.advance('1s');
  const { entries, ahead } = world.controls.timeline();
  expect(entries.filter(({ kind }) => kind === 'job').map(({ title, result }) => [title, result])).toEqual([
    ['Provision hosted agent Support', 'pending'],
    ['Provision hosted agent Support', 'in_progress'],
  ]);
  expect(ahead.find(({ kind }) => kind === 'job')).toMatchObject({ result: 'completed', tone: 'good' });
});
