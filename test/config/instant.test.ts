// The timing `instant` covers whatever takes time, in each profile; a timing of its own still goes before it.

import { describe, expect, it } from 'vitest';
import { call, deploy, startWorld } from '../support/emulator.js';
import { clone } from '../support/voice.js';

const agents = '/api/v1/eliza/agents';
const profiles = ['spec', 'elizacloud-v1'];

describe.each(profiles)('with the timing instant in the profile %s', (profile) => {
  it('a deployment and its deletion take no time', async () => {
    const world = await startWorld({ profile, timing: 'instant' });
    const { id } = await deploy(world);
    expect(world.controls.containers.get(id).status).toBe('running');
    await call(world, 'DELETE', `/api/v1/containers/${id}`);
    expect((await call(world, 'GET', `/api/v1/containers/${id}`)).status).toBe(404);
    await deploy(world);
  });

  it('the jobs of hosted agents take no time', async () => {
    const world = await startWorld({ profile, timing: 'instant' });
    const { body } = await call(world, 'POST', agents, { agentName: 'Support', alwaysOn: true });
    const status = async () => (await call(world, 'GET', `${agents}/${body.data.id}`)).body.data?.status;
    expect(await status()).toBe('running');
    for (const [verb, then] of [
      ['suspend', 'stopped'],
      ['resume', 'running'],
      ['sleep', 'sleeping'],
      ['wake', 'running'],
    ]) {
      await call(world, 'POST', `${agents}/${body.data.id}/${verb}`);
      expect(await status()).toBe(then);
    }
    const { data } = (await call(world, 'DELETE', `${agents}/${body.data.id}`)).body;
    expect((await call(world, 'GET', `/api/v1/jobs/${data.jobId}`)).body.data.status).toBe('completed');
    expect(await status()).toBeUndefined();
  });

  it('a job of a control operation and a cloned voice take no time', async () => {
    const world = await startWorld({ profile, timing: 'instant' });
    expect(world.controls.jobs.create().status).toBe('completed');
    expect((await clone(world)).status).toBe(201);
    expect(world.controls.jobs.list().map(({ type, status }) => [type, status])).toContainEqual([
      'voice_clone',
      'completed',
    ]);
  });
});

it('hosted agents with a timing of their own keep it', async () => {
  const world = await startWorld({ timing: 'instant', hostedAgents: { timing: 'fast' } });
  const { body } = await call(world, 'POST', agents, { agentName: 'Support', alwaysOn: true });
  expect((await call(world, 'GET', `${agents}/${body.data.id}`)).body.data.status).toBe('provisioning');
});

it('where agents are dedicated by default, those of control operations are, too: they are handed back to a client', async () => {
  const world = await startWorld({ timing: 'instant', hostedAgents: { tier: 'dedicated' } });
  const { agentId } = world.controls.pairings.create();
  expect(world.controls.hostedAgents.create().tier).toBe('dedicated-always');
  const { body } = await call(world, 'POST', agents, { agentName: 'Support', agentConfig: {} });
  expect([body.created, body.data.executionTier]).toEqual([false, 'dedicated-always']);
  expect((await call(world, 'POST', `${agents}/${agentId}/snapshot`)).status).toBe(202);
});
