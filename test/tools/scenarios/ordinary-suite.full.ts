// The shipped scenarios blame nobody who did nothing wrong: a client that only reads its balance, and an ordinary suite whose
// tests have a world each, wait or do not wait, and delete what they have made.

import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { judged, judgements, type LivedWorld } from '../../../src/cli/judged-worlds.js';
import type { Emulator, EmulatorWorld } from '../../../src/index.js';
import { startEmulator } from '../../support/emulator.js';
import { type PatientClient, patientClient } from '../../support/patient-client.js';

// Its responses take seconds of real time.
const slow = 'slow-answers';
const names = readdirSync('fixtures/scenarios')
  .map((file) => basename(file, '.json'))
  .filter((name) => name !== slow);

const containers = '/api/v1/containers';
const hosted = '/api/v1/eliza/agents';

const container = (project: string, tag = 'v1') => ({
  name: project,
  project_name: project,
  ecr_image_uri: `registry.example.test/${project}:${tag}`,
});

/** Deploys, and looks whether it is there where the answer is lost. */
async function deployed(
  { once }: PatientClient,
  project: string,
  tag?: string,
): Promise<{ id: string; every: number }> {
  const { status, body } = await once('POST', containers, container(project, tag));
  if (status !== 0) return { id: body.data.id, every: body.polling.intervalMs };
  const { data } = (await once('GET', containers)).body;
  const { id } = data.find((one: { project_name: string }) => one.project_name === project);
  return { id, every: 60_000 };
}

const ends = ['running', 'failed', 'stopped'];

// Whatever a test gets that it did not expect ends it.
const suite: Record<string, (client: PatientClient, world: EmulatorWorld) => Promise<unknown>> = {
  'reads its balance': ({ once }) => once('GET', '/api/v1/credits/balance'),
  'deploys, waits and deletes': async (client) => {
    const { id, every } = await deployed(client, 'shop');
    await client.until(id, ends, every);
    await client.once('DELETE', `${containers}/${id}`);
  },
  'deploys and does not wait': (client) => deployed(client, 'shop'),
  'lists two': async (client) => {
    await deployed(client, 'api');
    await deployed(client, 'web');
    await client.once('GET', containers);
  },
  'sees a deployment fail': async (client) => {
    const { id, every } = await deployed(client, 'shop', 'fail-exec-format');
    await client.until(id, ends, every);
  },
  'is told what is wrong': ({ once }) => once('POST', containers, { name: 'Shop' }),
  speaks: ({ once }) => once('POST', '/api/v1/voice/tts', { text: 'Hello' }),
  'buys credits': (_, { controls, organizationId }) =>
    Promise.resolve(controls.organizations.credits(organizationId, { add: 10 })),
  chats: ({ once }) =>
    once('POST', '/api/v1/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }),
  'makes an agent and a key': async ({ once }) => {
    await once('POST', '/api/v1/app/agents', { name: 'Ada' });
    await once('GET', '/api/my-agents/characters');
    await once('POST', '/api/v1/api-keys', { name: 'CI' });
  },
  'hosts an agent': async ({ once }) => {
    const made = await once('POST', hosted, { agentName: 'Ada' });
    await once('GET', `${hosted}/${made.body.data.agentId}`);
  },
  'begins a relay': ({ once }) =>
    once('POST', '/api/v1/eliza/gateway-relay/sessions', { runtimeAgentId: 'ada', agentName: 'Ada' }),
};

async function lifeOf(emulator: Emulator, label: string, scenario: string): Promise<LivedWorld> {
  const world = await emulator.createWorld({ scenario, clock: { frozen: true } });
  const test = suite[label]?.(patientClient(world), world);
  await test?.catch(() => undefined);
  const judgement = { world: world.id, label, ...world.controls.scenarios.expectations() };
  return { judgement, faults: world.controls.faults.list() };
}

/** The expectations that failed in the worlds of some tests, if they are the tests of a run. */
async function failedIn(emulator: Emulator, scenario: string, tests: readonly string[]): Promise<string[]> {
  const lives = await Promise.all(tests.map((label) => lifeOf(emulator, label, scenario)));
  return judgements(lives)
    .map((one) => judged(one, 'fail'))
    .flatMap(({ label, expectations }) =>
      expectations
        .filter(({ ok }) => !ok)
        .map(({ what, actual, expected }) => `${scenario}, ${label}: ${what} ${actual}, expected ${expected}`),
    );
}

async function failedUnder(scenarios: readonly string[], tests: readonly string[]): Promise<string[]> {
  const emulator = await startEmulator();
  const failed = [];
  for (const scenario of scenarios) failed.push(...(await failedIn(emulator, scenario, tests)));
  return failed;
}

it('no shipped scenario blames a client that only reads its balance', async () => {
  expect(await failedUnder(names, ['reads its balance'])).toEqual([]);
});

it('no shipped scenario blames an ordinary suite', async () => {
  expect(await failedUnder(names, Object.keys(suite))).toEqual([]);
});
