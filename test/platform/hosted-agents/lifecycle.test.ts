// A hosted agent through all its states, by the clock alone, in one jump and in many steps, through restarts and snapshots.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from '../../support/command.js';
import type { Platform } from '../../support/emulator.js';
import { call, startEmulator, startWorld } from '../../support/emulator.js';
import { act, agentsPath, dedicated, jobSeen, running, seen } from '../../support/hosted-agents.js';

const dir = tempDir();

it('a dedicated agent is provisioned, suspended, resumed, put to sleep, woken and deleted, by the clock alone', async () => {
  const world = await startWorld({ hostedAgents: { timing: 'realistic' } });
  const created = await call(world, 'POST', agentsPath, { agentName: 'Support', alwaysOn: true });
  expect(created.status).toBe(202);
  expect(created.body).toMatchObject({
    success: true,
    created: true,
    data: { agentName: 'Support', status: 'pending', executionTier: 'dedicated-always' },
    polling: { intervalMs: 5_000, expectedDurationMs: 90_000 },
  });
  const { id, jobId } = created.body.data;
  expect(created.body.polling.endpoint).toMatch(new RegExp(`/api/v1/jobs/${jobId}$`));
  expect(await seen(world, id)).toMatchObject({
    status: 'provisioning',
    databaseStatus: 'provisioning',
    activeJob: { id: jobId, type: 'agent_provision', status: 'pending' },
    hostingCost: { rateClass: 'deactivated' },
  });
  expect(await jobSeen(world, jobId)).toMatchObject({
    status: 'pending',
    data: { type: 'agent_provision', attempts: 0, maxAttempts: 3 },
    polling: { shouldContinue: true },
  });
  await world.controls.clock.advance('6s');
  expect(await jobSeen(world, jobId)).toMatchObject({ status: 'in_progress', data: { attempts: 1 } });
  await world.controls.clock.advance('2m');
  expect(await jobSeen(world, jobId)).toMatchObject({
    status: 'completed',
    data: { result: { agentId: id, webUiUrl: expect.stringContaining(id) }, error: null },
    polling: { shouldContinue: false },
  });
  expect(await seen(world, id)).toMatchObject({
    status: 'running',
    databaseStatus: 'ready',
    activeJob: null,
    hostingCost: { rateClass: 'running', hourlyRateUsd: 0.15, monthlyEstimateUsd: 109.5 },
  });

  const steps: [verb: string, during: string, after: string][] = [
    ['suspend', 'running', 'stopped'],
    ['resume', 'provisioning', 'running'],
    ['sleep', 'running', 'sleeping'],
    ['wake', 'provisioning', 'running'],
    ['snapshot', 'running', 'running'],
  ];
  for (const [verb, during, after] of steps) {
    const begun = await act(world, id, verb);
    expect([verb, begun.status, begun.body.data.action]).toEqual([verb, 202, verb]);
    expect((await seen(world, id)).status).toBe(during);
    expect((await act(world, id, verb)).body).toMatchObject({ alreadyInProgress: true, created: false });
    await world.controls.clock.advance('3m');
    expect((await seen(world, id)).status).toBe(after);
    expect((await jobSeen(world, begun.body.data.jobId)).status).toBe('completed');
  }

  const gone = await call(world, 'DELETE', `${agentsPath}/${id}`);
  expect(gone.status).toBe(202);
  expect((await seen(world, id)).status).toBe('deletion_pending');
  await world.controls.clock.advance('3m');
  expect((await seen(world, id)).status).toBe(404);
  expect(await jobSeen(world, gone.body.data.jobId)).toMatchObject({
    status: 'completed',
    data: { result: { agentId: id, status: 'deleted' } },
  });
});

it('nothing but a GET goes while an agent is being provisioned', async () => {
  const world = await startWorld();
  const { id } = await dedicated(world);
  const again = await act(world, id, 'provision');
  expect([again.status, again.body]).toMatchObject([
    409,
    {
      success: true,
      created: false,
      alreadyInProgress: true,
      data: {
        agentId: id,
        action: 'provision',
        jobId: expect.any(String),
        message: 'Provision is already in progress.',
      },
      polling: { endpoint: expect.stringContaining('/api/v1/jobs/') },
    },
  ]);
  for (const verb of ['suspend', 'resume', 'sleep', 'wake', 'snapshot', 'restore']) {
    const answer = await act(world, id, verb);
    expect([verb, answer.status]).toEqual([verb, 409]);
    expect(answer.body.error.message).toContain('already being provisioned');
  }
  expect((await call(world, 'PATCH', `${agentsPath}/${id}`, { agentName: 'x' })).status).toBe(409);
  expect((await call(world, 'DELETE', `${agentsPath}/${id}`)).status).toBe(409);
  expect((await call(world, 'GET', `${agentsPath}/${id}/backups`)).status).toBe(200);
});

it('what an agent cannot do in its state is 409, and what it is already is 200', async () => {
  const world = await startWorld();
  const { id } = await dedicated(world, { autoProvision: false });
  expect((await seen(world, id)).status).toBe('pending');
  for (const verb of ['suspend', 'sleep', 'wake', 'snapshot'])
    expect([verb, (await act(world, id, verb)).status]).toEqual([verb, 409]);
  expect((await act(world, id, 'provision')).status).toBe(202);
  await world.controls.clock.advance('10s');
  for (const verb of ['provision', 'resume', 'wake']) {
    const { status, body } = await act(world, id, verb);
    expect([verb, status, body.data.status]).toEqual([verb, 200, 'running']);
  }
  await act(world, id, 'suspend');
  await world.controls.clock.advance('10s');
  expect((await act(world, id, 'suspend')).body).toMatchObject({ message: 'Agent is already suspended/stopped' });
  expect((await act(world, id, 'snapshot')).body.error.message).toContain('Sandbox is not running');
});

it('a resume is refused step by step, as the platform does', async () => {
  const world = await startWorld({ errors: { style: 'flat' } });
  const { id } = await running(world);
  const resume = (query = '', headers = {}) =>
    call(world, 'POST', `${agentsPath}/${id}/resume${query}`, undefined, headers);
  for (const query of ['?sync=1', '?sync=TRUE', '?sync=true&sync=true']) {
    const { status, body } = await resume(query);
    expect([query, status, body.error, body.message]).toEqual([query, 400, 'Invalid sync', expect.any(String)]);
  }
  for (const query of ['', '?sync=', '?sync=false', '?sync=true'])
    expect((await resume(query)).body.data).toMatchObject({ action: 'resume', message: 'Agent is already running' });
  await act(world, id, 'suspend');
  await world.controls.clock.advance('10s');
  for (const url of ['nowhere', 'ftp://hooks.example', 'http://127.0.0.1/x', 'https://[::1]/', 'http://10.1.2.3/'])
    expect([url, (await resume('', { 'x-webhook-url': url })).status]).toEqual([url, 400]);
  const first = await resume('?sync=true', { 'x-webhook-url': 'https://hooks.example/done' });
  expect([first.status, first.body]).toMatchObject([
    202,
    { created: true, alreadyInProgress: false, data: { agentId: id, action: 'resume' } },
  ]);
  const second = await resume();
  expect([second.status, second.body]).toMatchObject([
    409,
    {
      success: true,
      created: false,
      alreadyInProgress: true,
      data: { action: 'resume', jobId: first.body.data.jobId, message: 'Resume is already in progress.' },
    },
  ]);
  await world.controls.clock.advance('10s');
  await call(world, 'DELETE', `${agentsPath}/${id}`);
  expect((await resume('?sync=true')).body.error).toContain('deletion in progress');
  const shared = (await call(world, 'POST', agentsPath, { agentName: 'Shared' })).body.data.id;
  const onShared = await call(world, 'POST', `${agentsPath}/${shared}/resume?sync=true`);
  expect([onShared.status, onShared.body.error]).toEqual([
    409,
    'Agent resume requires a container-backed execution tier',
  ]);
});

it('jobs that take no time have ended when the response comes', async () => {
  const world = await startWorld({ hostedAgents: { timing: 'instant', tier: 'dedicated' } });
  const created = await call(world, 'POST', agentsPath, { agentName: 'Support', agentConfig: {} });
  expect([created.status, created.body.data.status]).toEqual([202, 'completed']);
  const { id } = created.body.data;
  expect((await call(world, 'PATCH', `${agentsPath}/${id}`, { agentName: 'New' })).body.data.agentName).toBe('New');
  expect((await act(world, id, 'provision')).status).toBe(200);
  for (const verb of ['suspend', 'resume', 'snapshot']) expect((await act(world, id, verb)).status).toBe(202);
  const backups = (await call(world, 'GET', `${agentsPath}/${id}/backups`)).body.data;
  expect(backups.map((one: any) => one.snapshotType)).toEqual(['manual', 'pre-shutdown']);
  expect((await act(world, id, 'restore', { backupId: backups[1].id })).body.data).toMatchObject({
    restoredFromBackupId: backups[1].id,
    snapshotType: 'pre-shutdown',
  });
  const gone = await call(world, 'DELETE', `${agentsPath}/${id}`);
  expect([gone.status, gone.body.data.status]).toEqual([202, 'completed']);
  expect((await seen(world, id)).status).toBe(404);
});

const plan: [after: string, verb: string][] = [
  ['0s', 'suspend'],
  ['90m', 'resume'],
  ['40m', 'sleep'],
  ['5h', 'wake'],
  ['1h', 'snapshot'],
];

/** Sends the plan's requests; `pass` lets time pass between them. */
async function play(world: Platform, pass: (world: Platform, by: string) => Promise<Platform>): Promise<object> {
  let now = world;
  const { id } = await running(now);
  for (const [after, verb] of plan) {
    now = await pass(now, after);
    await act(now, id, verb);
    now = await pass(now, '1m');
  }
  return {
    agent: await seen(now, id),
    backups: (await call(now, 'GET', `${agentsPath}/${id}/backups`)).body,
    ledger: now.controls.ledger(),
    jobs: now.controls.jobs.list(),
  };
}

const withoutOrigin = (what: object): string => JSON.stringify(what).replaceAll(/http:\/\/[\w.:-]+(\/w\/[\w-]+)?/g, '');

it('one jump equals many steps', async () => {
  const settings = { hostedAgents: { timing: 'realistic' } } as const;
  const jumped = await play(await startEmulator(settings), async (world, by) => {
    await world.controls.clock.advance(by);
    return world;
  });
  const stepped = await play(await startEmulator(settings), async (world, by) => {
    const end = Date.parse(world.controls.clock.get().now) + milliseconds(by);
    while (Date.parse(world.controls.clock.get().now) < end)
      await world.controls.clock.advance(Math.min(97_000, end - Date.parse(world.controls.clock.get().now)));
    return world;
  });
  expect(withoutOrigin(stepped)).toBe(withoutOrigin(jumped));
  expect(jumped).toMatchObject({ agent: { status: 'running' } });
});

it('restarts and restored snapshots change nothing', async () => {
  const settings = { hostedAgents: { timing: 'realistic' } } as const;
  const jump = async (world: Platform, by: string): Promise<Platform> => {
    await world.controls.clock.advance(by);
    return world;
  };
  const plain = await play(await startEmulator(settings), jump);
  const dataDir = join(dir, 'restarts');
  const restarted = await play(await startEmulator({ ...settings, dataDir }), async (world, by) => {
    await (world as Awaited<ReturnType<typeof startEmulator>>).close();
    return jump(await startEmulator({ ...settings, dataDir }), by);
  });
  expect(withoutOrigin(restarted)).toBe(withoutOrigin(plain));
  const restored = await play(await startEmulator(settings), async (world, by) => {
    await world.controls.snapshots.take({ name: 'here' });
    await world.controls.clock.advance('3h');
    await world.controls.snapshots.restore('here');
    return jump(world, by);
  });
  expect(withoutOrigin(restored)).toBe(withoutOrigin(plain));
});

it('a fork has the agents and jobs of its point, and goes on with them in the same way', async () => {
  const emulator = await startEmulator({ hostedAgents: { timing: 'realistic' } });
  const { id, jobId } = await dedicated(emulator);
  await emulator.controls.clock.advance('30s');
  const { last } = emulator.controls.history.list();
  const fork = await emulator.createWorld({ at: { point: last ?? 0 } });
  expect(withoutOrigin(await seen(fork, id))).toBe(withoutOrigin(await seen(emulator, id)));
  emulator.controls.jobs.fail(jobId, { error: 'Only in the original' });
  for (const world of [emulator, fork]) await world.controls.clock.advance('3h');
  expect((await seen(emulator, id)).status).toBe('error');
  expect((await seen(fork, id)).status).toBe('running');
  expect(fork.controls.ledger().filter(({ operation }) => operation === 'billing.hourly')).toHaveLength(2);
});

function milliseconds(duration: string): number {
  const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };
  return Number.parseInt(duration, 10) * (units[duration.at(-1) ?? ''] ?? 0);
}
