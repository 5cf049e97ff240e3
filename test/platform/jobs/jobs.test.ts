// One list for all that takes time: jobs of hosted agents, and those that clone voices.

import { expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';
import { dedicated, jobSeen } from '../../support/hosted-agents.js';
import { clone } from '../../support/voice.js';

it('clients and controls see jobs of agents and of voices alike', async () => {
  const world = await startWorld();
  const { job } = (await clone(world)).body;
  await world.controls.clock.advance('1s');
  const { id, jobId } = await dedicated(world);
  expect(world.controls.jobs.list()).toMatchObject([
    { id: jobId, type: 'agent_provision', name: 'Support', agentId: id, voiceId: null, status: 'pending' },
    { id: job.id, type: 'voice_clone', name: 'Ada', agentId: null, jobType: 'instant', status: 'processing' },
  ]);
  expect(await jobSeen(world, job.id)).toMatchObject({
    status: 'in_progress',
    data: { type: 'voice_clone', status: 'in_progress', result: null, attempts: 1 },
    polling: { intervalMs: 500, shouldContinue: true },
  });
  await world.controls.clock.advance('1m');
  expect(await jobSeen(world, job.id)).toMatchObject({
    status: 'completed',
    data: { result: { voiceId: job.voiceId }, completedAt: '2026-01-01T00:00:05.000Z' },
    polling: { shouldContinue: false },
  });
  expect((await call(world, 'GET', '/api/v1/jobs/none')).body.error.message).toBe('Job not found');
});

it('controls begin a job of each type, of an agent that is made where none is named', async () => {
  const world = await startWorld();
  for (const type of ['agent_provision', 'agent_wake', 'agent_snapshot', 'agent_delete'] as const) {
    const { id, agentId } = world.controls.jobs.create({ type });
    expect(await world.controls.await({ job: id, status: 'completed', advance: true })).toMatchObject({
      type,
      agentId,
    });
  }
  const { id, status } = world.controls.jobs.create();
  expect([status, (await jobSeen(world, id)).status]).toEqual(['pending', 'pending']);
  expect(() => world.controls.jobs.create({ agent: id })).toThrow(/no hosted agent/);
});
