// Every scenario that is shipped: applied, used by a small client that behaves, and what it promises shows.

import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { isTried } from '../../support/campaign.js';
import { call, startEmulator } from '../../support/emulator.js';
import { type PatientClient, patientClient } from '../../support/patient-client.js';

const names = readdirSync('fixtures/scenarios').map((file) => basename(file, '.json'));

const containers = '/api/v1/containers';
const agents = '/api/my-agents/characters';

const message = { jsonrpc: '2.0', id: 1, method: 'message.send', params: { text: 'Hello', roomId: 'lobby' } };

type Story = (client: PatientClient, emulator: Emulator) => Promise<void>;

function container(project: string): { name: string; project_name: string; ecr_image_uri: string } {
  return { name: project, project_name: project, ecr_image_uri: 'registry.example.test/app:v1' };
}

async function deployed({ once }: PatientClient, project = 'web'): Promise<{ id: string; every: number }> {
  const { status, body } = await once('POST', containers, container(project));
  expect(status).toBe(202);
  return { id: body.data.id, every: body.polling.intervalMs };
}

const hosted = '/api/v1/eliza/agents';
const relay = '/api/v1/eliza/gateway-relay/sessions';

/** Asks for a job as often as advised until it has ended, or so often. */
async function ended(
  { once }: PatientClient,
  { controls }: Emulator,
  { data, polling }: any,
  most = 100,
): Promise<{ status: string; error: string | null }> {
  for (let polls = 1; ; polls++) {
    const { body } = await once('GET', `/api/v1/jobs/${data.jobId}`);
    if (!body.polling.shouldContinue || polls === most) return body.data;
    await controls.clock.advance(polling.intervalMs);
  }
}

const stories: Record<string, Story> = {
  async 'agent-fails'(client, emulator) {
    const made = await client.once('POST', hosted, { agentName: 'Support' });
    expect(made.status).toBe(202);
    expect(await ended(client, emulator, made.body)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('No node with free capacity'),
      attempts: 3,
    });
    const { data } = (await client.once('GET', `${hosted}/${made.body.data.agentId}`)).body;
    expect(data).toMatchObject({ status: 'error', hostingCost: { hourlyRateUsd: 0 } });
  },

  async 'agent-sleeps'(client, emulator) {
    const [agent] = (await client.once('GET', hosted)).body.data;
    expect(agent).toMatchObject({ agentName: 'Support', status: 'sleeping', hostingCost: { hourlyRateUsd: 0.0025 } });
    const say = () => client.once('POST', `${hosted}/${agent.id}/stream`, message);
    expect((await say()).status).toBe(409);
    const woken = await client.once('POST', `${hosted}/${agent.id}/wake`);
    expect(woken.status).toBe(202);
    expect((await ended(client, emulator, woken.body)).status).toBe('completed');
    const answer = (await client.once('POST', `${hosted}/${agent.id}/bridge`, message)).body;
    expect(answer.result.text.length).toBeGreaterThan(0);
    // The hour that it slept in was paid; that in which it runs is charged.
    expect((await client.once('GET', '/api/v1/credits/balance')).body.balance).toBeLessThan(999.85);
    expect(
      emulator.controls.ledger().some(({ operation, amount }) => operation === 'billing.hourly' && amount === -0.15),
    ).toBe(true);
  },

  async 'job-hangs'(client, emulator) {
    const [agent] = (await client.once('GET', hosted)).body.data;
    const begun = await client.once('POST', `${hosted}/${agent.id}/snapshot`);
    expect(begun.status).toBe(202);
    expect((await ended(client, emulator, begun.body, 20)).status).toBe('in_progress');
    await emulator.controls.clock.advance('30d');
    expect((await ended(client, emulator, begun.body, 1)).status).toBe('in_progress');
  },

  async 'relay-drops'(client, { controls }) {
    const register = async (): Promise<string> =>
      (await client.once('POST', relay, { runtimeAgentId: 'ada', agentName: 'Ada' })).body.data.session.id;
    const poll = (id: string) => client.once('GET', `${relay}/${id}/next`);
    const respond = (id: string, requestId: string) =>
      client.once('POST', `${relay}/${id}/responses`, { requestId, response: { jsonrpc: '2.0', id: 1, result: 'ok' } });
    const first = await register();
    const ask = (id: string) => controls.relay.ask(id, { rpc: { method: 'heartbeat' } });
    let asked = ask(first);
    await respond(first, (await poll(first)).body.data.request.requestId);
    expect((await asked).result).toBe('ok');
    asked = ask(first);
    expect((await poll(first)).status).toBe(0);
    await respond(first, (await poll(first)).body.data.request.requestId);
    expect((await asked).result).toBe('ok');
    expect((await poll(first)).status).toBe(404);
    const second = await register();
    asked = ask(second);
    await respond(second, (await poll(second)).body.data.request.requestId);
    expect((await asked).result).toBe('ok');
  },

  async 'happy-path'(client) {
    const { id, every } = await deployed(client);
    expect(await client.until(id, ['running', 'failed'], every)).toBe('running');
  },

  async 'failed-deploy'(client) {
    const { id, every } = await deployed(client);
    expect(await client.until(id, ['running', 'failed'], every)).toBe('failed');
    expect((await client.once('GET', '/api/v1/credits/balance')).body).toEqual({ balance: 1_000 });
    const again = await deployed(client);
    expect(again.id).toBe(id);
    expect(await client.until(id, ['running', 'failed'], every)).toBe('running');
  },

  async 'wrong-architecture'(client) {
    const { uri } = (await client.once('POST', `${containers}/credentials`, { projectId: 'web' })).body.repository;
    const tagged = (tag: string) => ({ ...container('web'), ecr_image_uri: `${uri}:${tag}` });
    const { body } = await client.once('POST', containers, tagged('amd64'));
    const { id, polling } = { ...body.data, ...body };
    expect(await client.until(id, ['running', 'failed'], polling.intervalMs)).toBe('failed');
    const { logs } = (await client.once('GET', `${containers}/${id}/logs`)).body;
    expect(logs.map(({ message }: any) => message)).toContain('exec /app: exec format error');
    await client.once('POST', containers, tagged('multi'));
    expect(await client.until(id, ['running', 'failed'], polling.intervalMs)).toBe('running');
  },

  async 'slow-deploy'(client, { controls }) {
    const { id, every } = await deployed(client);
    await controls.clock.advance('30s');
    expect(await client.until(id, ['deploying', 'running'], every)).toBe('deploying');
    await controls.clock.advance('1m');
    expect(await client.until(id, ['running', 'failed'], every)).toBe('running');
  },

  async 'flapping-health'(client) {
    const { id, every } = await deployed(client);
    for (const status of ['running', 'failed', 'running']) await client.until(id, [status], every);
    const { statusHistory } = (await client.once('GET', `${containers}/${id}`)).body.data;
    expect(statusHistory.map(({ status }: any) => status).slice(-3)).toEqual(['running', 'failed', 'running']);
  },

  async 'crash-loop'(client) {
    for (const project of ['web', 'api']) {
      const { id, every } = await deployed(client, project);
      expect(await client.until(id, ['running', 'failed'], every)).toBe('failed');
      const { logs } = (await client.once('GET', `${containers}/${id}/logs`)).body;
      expect(logs.map(({ message }: any) => message).join('\n')).toContain('again and again');
    }
  },

  async 'out-of-credits'(client) {
    await deployed(client, 'one');
    const { status, body } = await client.once('POST', containers, container('two'));
    expect([status, body.error.code, body.creditsRemaining]).toEqual([402, 'INSUFFICIENT_CREDITS', 0.1]);
  },

  async 'quota-reached'(client) {
    const refused = await client.once('POST', containers, container('sixth'));
    expect([refused.status, refused.body.error.details]).toEqual([403, { current: 5, max: 5 }]);
    const { data } = (await client.once('GET', containers)).body;
    expect(data.every(({ status }: any) => status === 'running')).toBe(true);
    await client.once('DELETE', `${containers}/${data[0].id}`);
    await deployed(client, 'sixth');
  },

  async 'rate-limited'(client) {
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await client.once('GET', containers)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await client.once('GET', agents)).status).toBe(200);
  },

  async 'flaky-network'(client) {
    let lost = 0;
    for (let i = 0; i < 25; i++) {
      if ((await client.once('GET', containers)).status === 0) lost++;
    }
    expect(lost).toBeGreaterThan(1);
    expect(lost).toBeLessThan(15);
    const { status } = await client.patiently('POST', containers, container('web'));
    expect(status).toBe(202);
  },

  async 'flapping-network'(client, { controls }) {
    let seen = '';
    for (let i = 0; i < 20; i++) {
      seen += (await client.once('GET', agents)).status === 0 ? '-' : '+';
      await controls.clock.advance(200 * 2 ** (seen.length - seen.lastIndexOf('+')));
    }
    expect(seen).toBe('++++---++++++----+++');
  },

  async 'lost-responses'(client) {
    expect((await client.once('POST', containers, container('web'))).status).toBe(0);
    expect((await client.once('GET', containers)).body.data).toHaveLength(1);
    expect((await client.once('POST', '/api/v1/app/agents', { name: 'Ada' })).status).toBe(0);
    expect((await client.once('GET', agents)).body.data.characters).toHaveLength(1);
    expect((await client.once('POST', '/api/v1/api-keys', { name: 'CI' })).status).toBe(0);
    expect((await client.once('GET', '/api/v1/api-keys')).body.total).toBe(2);
    expect((await client.once('GET', '/api/v1/credits/balance')).body).toEqual({ balance: 999.5 });
    await deployed(client, 'api');
  },

  async 'expired-credentials'(client, { controls }) {
    expect((await client.once('GET', containers)).status).toBe(200);
    await controls.clock.advance('3s');
    const { status, body } = await client.once('GET', containers);
    expect([status, body.error.message]).toEqual([401, expect.stringContaining('has expired')]);
  },

  async 'restricted-key'(client) {
    expect((await client.once('GET', containers)).body.data).toHaveLength(1);
    for (const path of ['/api/v1/app/agents', containers])
      expect((await client.once('POST', path, container('x'))).body.error.code).toBe('FORBIDDEN');
  },

  async 'slow-answers'(client) {
    const first = await client.once('GET', containers);
    expect(first.status).toBe(200);
    expect(first.ms).toBeGreaterThan(250);
    const second = await client.once('GET', containers);
    expect(second.status).toBe(200);
    expect(second.ms).toBeGreaterThan(1_500);
  },

  async 'brief-outage'(client) {
    const replies = [];
    for (let i = 0; i < 3; i++) replies.push(await client.once('GET', containers));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 503]);
    expect(replies[2]?.headers.get('retry-after')).toBe('1');
  },

  async 'crowded-account'(client, emulator) {
    const { data } = (await client.once('GET', containers)).body;
    const statuses = data.map(({ name, status }: any) => `${name}: ${status}`).sort();
    expect(statuses).toEqual([
      'Beta: pending',
      'Chat: deploying',
      'Images: building',
      'Importer: failed',
      'Mailer: stopped',
      'Reports: failed',
      'Search: running',
      'Shop (staging): running',
      'Shop: running',
    ]);
    const { pagination } = (await client.once('GET', agents)).body.data;
    expect(pagination).toMatchObject({ totalCount: 35, hasMore: true });
    expect((await client.once('GET', '/api/v1/credits/balance')).body).toEqual({ balance: 120 });
    const keys = emulator.controls.keys.list().map(({ name, usable }) => [name, usable]);
    expect(keys).toContainEqual(['Former colleague', false]);
    expect(keys).toContainEqual(['CI', true]);
    const market = (await client.once('GET', '/api/marketplace/characters')).body.data.characters;
    expect(market.map(({ name }: any) => name)).toContain("Neighbour's agent");
  },

  async 'rough-day'(client) {
    const first = await deployed(client);
    expect(first.every).toBe(250);
    expect(await client.until(first.id, ['running', 'failed'], first.every)).toBe('failed');
    expect((await client.once('POST', containers, container('web'))).status).toBe(0);
    const [found] = (await client.once('GET', containers)).body.data;
    expect(found).toMatchObject({ id: first.id });
    expect(await client.until(found.id, ['running', 'failed'], first.every)).toBe('running');
  },
};

/** The further acts that a client needs beyond its story to be judged well. */
const patience: Record<string, Story> = {
  async 'rate-limited'(client, { controls }) {
    await controls.clock.advance('3s');
    await client.patiently('GET', containers);
  },
  async 'brief-outage'(client, { controls }) {
    await controls.clock.advance('1s');
    await client.patiently('GET', containers);
  },
};

it('the shipped scenarios are at least twelve, each with its test here', () => {
  expect(names.length).toBeGreaterThanOrEqual(12);
  expect(Object.keys(stories).sort()).toEqual([...names].sort());
});

it('the shipped scenarios have a title, a description and nothing wrong', async () => {
  const { controls } = await startEmulator();
  const shipped = controls.scenarios.list().filter(({ source }) => source === 'shipped');
  expect(shipped.map(({ name }) => name)).toEqual([...names].sort());
  for (const { name, title, description, problems } of shipped) {
    expect(problems, name).toEqual([]);
    expect(title?.length, name).toBeGreaterThan(10);
    expect(description?.length, name).toBeGreaterThan(40);
  }
});

// No request ever has the id of another one, and another process may have taken a container's port meanwhile.
function alike(seen: unknown): any {
  const text = JSON.stringify(seen).replaceAll(/req_[0-9a-f]{24}/g, 'req');
  return JSON.parse(text.replaceAll(/127\.0\.0\.1:\d+/g, 'host'));
}

describe.each(names.map((name, index) => [name, index] as const))('%s', (name, index) => {
  it.runIf(isTried(index, 0, 4))('shows what it promises, and a client that behaves comes through', async () => {
    const emulator = await startEmulator();
    await emulator.controls.scenarios.apply(name, {});
    const client = patientClient(emulator);
    await stories[name]?.(client, emulator);
    await patience[name]?.(client, emulator);
    const { ok, expectations } = emulator.controls.scenarios.expectations();
    expect(
      expectations.filter((one) => !one.ok),
      name,
    ).toEqual([]);
    expect(ok).toBe(true);
  });

  it.runIf(isTried(index, 0))('gives equal responses applied twice, reset or begun as a world of its own', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    const paths = [containers, agents, '/api/v1/credits/transactions', '/api/v1/api-keys', '/_emulator/faults'];
    async function look() {
      await controls.faults.clear();
      controls.limits.release();
      const answers = [];
      for (const path of paths) {
        const { body, headers } = await call(emulator, 'GET', path);
        answers.push({ body, now: headers.get('x-emulator-now') });
      }
      const seen = {
        answers,
        containers: controls.containers.list(),
        hostedAgents: await controls.hostedAgents.list(),
        jobs: controls.jobs.list(),
        config: controls.config(),
      };
      return alike(seen);
    }
    await controls.scenarios.apply(name);
    const faults = controls.faults.list();
    const first = await look();
    await controls.clock.advance('1h');
    await controls.scenarios.apply(name);
    expect(controls.faults.list()).toEqual(faults);
    expect(await look()).toEqual(first);
    await controls.reset();
    expect(controls.faults.list()).toEqual(faults);
    expect(await look()).toEqual(first);
    const { baseUrl } = await controls.worlds.create({ scenario: name, seed: 'test' });
    const inWorld = async (door: string): Promise<any> => (await fetch(`${baseUrl}/_emulator/${door}`)).json();
    expect((await inWorld('faults')).faults).toEqual(faults);
    expect(alike((await inWorld('containers')).containers)).toEqual(first.containers);
    expect(await inWorld('config')).toEqual(first.config);
  });
});
