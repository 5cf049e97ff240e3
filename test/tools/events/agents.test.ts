// The events of hosted agents and jobs: each status at its instant, one jump or many, and nothing of what was there already.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { call, startWorld } from '../../support/emulator.js';
import { formOf, sample, base as voices } from '../../support/voice.js';

const base = '/api/v1/eliza/agents';
let world: EmulatorWorld;
let told: string[];
let end: () => Promise<void>;

async function follow(): Promise<void> {
  const abort = new AbortController();
  const reading = (async () => {
    for await (const { type, data } of world.controls.events({ signal: abort.signal })) {
      if (type === 'hosted-agent') told.push(`${data.at.slice(11, 19)} ${data.name} ${data.status}`);
      if (type === 'job') told.push(`${data.at.slice(11, 19)} ${data.type} of ${data.name} ${data.status}`);
      if ((type === 'hosted-agent' || type === 'job') && data.error !== null) told.push(data.error);
    }
  })();
  end = async () => {
    abort.abort();
    await reading;
  };
  await Promise.resolve();
}

beforeEach(async () => {
  told = [];
  world = await startWorld();
});
afterEach(() => end());

/** Waits for as many events, which must be these. */
async function come(...events: string[]): Promise<void> {
  await vi.waitFor(() => expect(told.length).toBeGreaterThanOrEqual(events.length));
  expect(told.splice(0)).toEqual(events);
}
const create = async (agentName: string): Promise<string> =>
  (await call(world, 'POST', base, { agentName, alwaysOn: true, forceCreate: true })).body.data.agentId;

it('the stream of events reports each status of a hosted agent and its jobs, one jump or many', async () => {
  await follow();
  const id = await create('Ada');
  await come('00:00:00 Ada pending', '00:00:00 agent_provision of Ada pending', '00:00:00 Ada provisioning');
  await world.controls.clock.advance('1m');
  await come(
    '00:00:00 agent_provision of Ada in_progress',
    '00:00:09 agent_provision of Ada completed',
    '00:00:09 Ada running',
  );
  await call(world, 'POST', `${base}/${id}/suspend`, undefined, { 'x-emulator-failure': 'suspend-node-unreachable' });
  await create('Bob');
  await vi.waitFor(() => expect(told.at(-1)).toBe('00:01:00 Bob provisioning'));
  told.length = 0;
  await world.controls.clock.advance('1h');
  await come(
    '00:01:00 agent_suspend of Ada in_progress',
    '00:01:00 agent_provision of Bob in_progress',
    '00:01:03 agent_suspend of Ada failed',
    'Suspend failed: the node is unreachable',
    '00:01:03 Ada error',
    'Suspend failed: the node is unreachable',
    '00:01:09 agent_provision of Bob completed',
    '00:01:09 Bob running',
  );
  await call(world, 'DELETE', `${base}/${id}`);
  await world.controls.clock.advance('1m');
  await vi.waitFor(() => expect(told.at(-1)).toBe('01:01:02 Ada deleted'));
  expect(told.filter((event) => event.includes('Ada deletion_pending'))).toHaveLength(1);
});

it('the stream of events reports nothing of agents that were there already, and what happens to them by hand', async () => {
  const id = await create('Ada');
  await world.controls.clock.advance('3s');
  await follow();
  world.controls.hostedAgents.set(id, { status: 'error', error: 'Out of memory' });
  await come('00:00:03 agent_provision of Ada failed', 'Out of memory', '00:00:03 Ada error', 'Out of memory');
  world.controls.hostedAgents.set(id, { status: 'running' });
  await come('00:00:03 Ada running');
  world.controls.organizations.credits(world.organizationId, { set: 0 });
  await world.controls.clock.advance('1d');
  await come('02:00:03 Ada stopped', 'Suspended: the credits do not cover the next hour');
});

it('the stream of events goes on with the agents of the data that replace others', async () => {
  await create('Ada');
  await follow();
  await world.controls.scenarios.apply({
    data: {
      hostedAgents: [
        { name: 'Old', status: 'sleeping' },
        { name: 'New', status: 'provisioning' },
      ],
    },
  });
  await world.controls.clock.advance('1m');
  await vi.waitFor(() => expect(told.at(-1)).toContain('New running'));
  expect(told.filter((event) => /Old|Ada|deleted/.test(event))).toEqual([]);
  expect(told.filter((event) => event.endsWith('New running'))).toHaveLength(1);
});

it('the stream of events reports the jobs that clone voices, and a shared agent that goes', async () => {
  await follow();
  const { body } = await call(world, 'POST', base, { agentName: 'Shared' });
  await come('00:00:00 Shared running');
  await call(world, 'DELETE', `${base}/${body.data.id}`);
  await come('00:00:00 Shared deleted');
  await world.fetch(`${voices}/clone`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.apiKey}` },
    body: formOf({ name: 'Ann', cloneType: 'instant', file0: sample() }),
  });
  await world.controls.clock.advance('1h');
  await vi.waitFor(() =>
    expect(told.map((event) => event.slice(9))).toEqual([
      'voice_clone of Ann pending',
      'voice_clone of Ann processing',
      'voice_clone of Ann completed',
    ]),
  );
});
