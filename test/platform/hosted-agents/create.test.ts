// New hosted agents: their tier, the one that exists, their quota, and whose they are.

import { expect, it } from 'vitest';
import { reservedVariables } from '../../../src/platform/containers/wire/reserved-variables.js';
import { call, startWorld } from '../../support/emulator.js';
import { act, agentsPath, dedicated, seen } from '../../support/hosted-agents.js';

const create = (world: Parameters<typeof call>[0], body: object = {}, query = '') =>
  call(world, 'POST', `${agentsPath}${query}`, { agentName: 'Support', ...body });

it('a shared agent runs at once, and is used again', async () => {
  const world = await startWorld();
  const first = await create(world);
  expect([first.status, first.body]).toMatchObject([
    201,
    { created: true, source: 'shared_runtime', data: { status: 'running', executionTier: 'shared' } },
  ]);
  const { id, webUiUrl } = first.body.data;
  expect(webUiUrl).toMatch(new RegExp(`^http.*${agentsPath}/${id}$`));
  const second = await create(world, { agentName: 'Other' });
  expect([second.status, second.body]).toMatchObject([200, { created: false, data: { id, agentName: 'Support' } }]);
  expect(second.headers.get('x-emulator-warning')).toContain('already has the agent Support');
  expect((await create(world, { forceCreate: true })).body.error.message).toContain('forceCreate');
  expect(world.controls.ledger()).toHaveLength(1);

  for (const verb of ['provision', 'suspend', 'resume', 'wake'])
    expect((await act(world, id, verb)).body).toMatchObject({ source: 'shared_runtime', data: { status: 'running' } });
  for (const verb of ['sleep', 'snapshot', 'restore'])
    expect((await act(world, id, verb)).body.error.message).toContain('container-backed');
  const patched = await call(world, 'PATCH', `${agentsPath}/${id}`, { action: 'suspend' });
  expect([patched.status, patched.body.source]).toEqual([200, 'shared_runtime']);
  expect((await call(world, 'DELETE', `${agentsPath}/${id}`)).body).toMatchObject({
    deleted: true,
    data: { agentId: id },
  });
  expect((await seen(world, id)).status).toBe(404);
  expect((await create(world)).status).toBe(201);
});

it.each([
  ['alwaysOn', { alwaysOn: true }, 'dedicated-always'],
  ['statefulRuntime', { statefulRuntime: true }, 'dedicated-always'],
  ['alwaysOn of its configuration', { agentConfig: { alwaysOn: true } }, 'dedicated-always'],
  ['always_on of its configuration', { agentConfig: { always_on: true } }, 'dedicated-always'],
  ['alwaysOn of its character', { agentConfig: { character: { alwaysOn: true } } }, 'dedicated-always'],
  ['stateful_runtime of its character', { agentConfig: { character: { stateful_runtime: true } } }, 'dedicated-always'],
  ['another alwaysOn', { agentConfig: { alwaysOn: 'yes', character: [{ alwaysOn: true }] } }, 'shared'],
  ['a model that is too large', { modelTooLargeForShared: true }, 'dedicated-always'],
  ['an image', { dockerImage: 'ghcr.io/acme/bot:v1' }, 'custom'],
  ['a plug-in', { agentConfig: { plugins: ['@elizaos/plugin-discord'] } }, 'dedicated-always'],
  ['a plug-in of its character', { agentConfig: { character: { plugins: ['telegram'] } } }, 'dedicated-always'],
  ['another plug-in', { agentConfig: { plugins: ['@elizaos/plugin-discordant'] } }, 'shared'],
])('%s decides the tier', async (_, body, tier) => {
  const world = await startWorld();
  expect((await create(world, body)).body.data.executionTier).toBe(tier);
});

it('the setting makes new agents dedicated', async () => {
  const world = await startWorld({ hostedAgents: { tier: 'dedicated' } });
  const ids = [(await create(world)).body.data.id, (await create(world, { forceCreate: true })).body.data.id];
  expect(new Set(ids).size).toBe(2);
  const pending = await create(world, { forceCreate: true }, '?autoProvision=false');
  expect([pending.status, pending.body.data.status]).toEqual([201, 'pending']);
  expect((await create(world, {}, '?autoProvision=maybe')).body.error).toMatchObject({ code: 'VALIDATION_ERROR' });
});

it('a dedicated agent that lives is handed back, one that is stopped or failed is not', async () => {
  const world = await startWorld();
  const ask = (more = {}) => create(world, { alwaysOn: true, ...more });
  const first = (await ask()).body.data.id;
  const again = await ask({ agentName: 'Other' });
  expect([again.status, again.body]).toMatchObject([
    200,
    { created: false, data: { id: first, agentName: 'Support' } },
  ]);
  expect((await create(world)).body).toMatchObject({ created: false, data: { id: first } });
  for (const status of ['stopped', 'sleeping', 'error'] as const) {
    for (const { id } of world.controls.hostedAgents.list()) world.controls.hostedAgents.set(id, { status });
    expect([status, (await ask()).body.created]).toEqual([status, true]);
  }
});

it.each(['bad image', 'ghcr.io/acme/bot:v1?x', 'bot$(id)', ' '])('the image %j is refused', async (dockerImage) => {
  const world = await startWorld();
  const { status, body } = await create(world, { dockerImage });
  expect([status, body.error.details[0].path]).toEqual([400, 'dockerImage']);
  expect((await create(world, { dockerImage: ' ghcr.io/acme/bot:v1 ' })).status).toBe(202);
});

it('another autoProvision is named as the platform names it, in the flat style', async () => {
  const world = await startWorld({ errors: { style: 'flat' } });
  for (const answer of [
    await create(world, {}, '?autoProvision=maybe'),
    await create(world, { autoProvision: 'true' }),
  ])
    expect([answer.status, answer.body.error, answer.body.message]).toEqual([
      400,
      'Invalid autoProvision',
      expect.stringContaining('autoProvision'),
    ]);
  const other = await create(world, { autoProvision: 'true', alwaysOn: 1 });
  expect(other.body.error).toContain('Invalid request data');
});

it('lists agents, the newest first, with what they cost', async () => {
  const world = await startWorld();
  await create(world);
  const { id } = await dedicated(world);
  await world.controls.clock.advance('10s');
  const { data, hostingSummary } = (await call(world, 'GET', agentsPath)).body;
  expect(data.map((one: any) => one.executionTier)).toEqual(['dedicated-always', 'shared']);
  expect(data[0]).toEqual(expect.objectContaining({ id, lastHeartbeatAt: expect.any(String), activeJob: null }));
  expect(hostingSummary).toEqual({
    sharedCount: 1,
    dedicatedRunningCount: 1,
    dedicatedIdleCount: 0,
    hasAgents: true,
    hasDedicatedHosting: true,
    hourlyHostingCostUsd: 0.15,
    monthlyHostingCostUsd: 109.5,
    creditBalanceUsd: 999.7,
    hoursRemaining: 6_664,
    lowBalance: false,
    dedicatedRunningHourlyRateUsd: 0.15,
    dedicatedIdleHourlyRateUsd: 0.0025,
    minimumDepositUsd: 0.3,
    lowCreditWarningUsd: 2,
  });
});

it('an agent of another organization is not there', async () => {
  const world = await startWorld();
  const { id, jobId } = await dedicated(world);
  const other = world.controls.organizations.create();
  const stranger = { ...world, apiKey: other.apiKey };
  const tries: [string, string, object?][] = [
    ['GET', ''],
    ['PATCH', '', { agentName: 'mine' }],
    ['DELETE', ''],
    ...['provision', 'suspend', 'resume', 'sleep', 'wake', 'snapshot', 'restore'].map((verb): [string, string] => [
      'POST',
      `/${verb}`,
    ]),
    ['GET', '/backups'],
    ['PATCH', '/environment', { environmentVars: { A: '1' } }],
  ];
  for (const [method, path, body] of tries) {
    const answer = await call(stranger, method, `${agentsPath}/${id}${path}`, body);
    expect([method, path, answer.status, answer.body.error.message]).toEqual([method, path, 404, 'Agent not found']);
  }
  expect((await call(stranger, 'GET', `/api/v1/jobs/${jobId}`)).body.error.message).toBe('Job not found');
  expect((await call(stranger, 'GET', agentsPath)).body.data).toEqual([]);
});

it('a guard deletes only what was expected', async () => {
  const world = await startWorld();
  const { id } = (await create(world)).body.data;
  const { createdAt } = await seen(world, id);
  const remove = (body: object) => call(world, 'DELETE', `${agentsPath}/${id}`, body);
  const right = { expectedAgentName: 'Support', expectedCreatedAt: createdAt, expectedExecutionTier: 'shared' };
  const wrong = await remove({ ...right, expectedAgentName: 'Other' });
  expect([wrong.status, wrong.body.error.details[0].path]).toEqual([409, 'expectedAgentName']);
  expect((await remove({ ...right, expectedExecutionTier: 'custom' })).status).toBe(409);
  for (const part of [{ expectedAgentName: 'Support' }, { ...right, expectedCreatedAt: 'yesterday' }])
    expect((await remove(part)).status).toBe(400);
  expect((await remove(right)).status).toBe(200);
});

it('environment variables are set and removed, and never shown', async () => {
  const world = await startWorld();
  const { id } = (await create(world, { environmentVars: { TOKEN: 'hidden', OLD: '1' } })).body.data;
  const change = (environmentVars: object) =>
    call(world, 'PATCH', `${agentsPath}/${id}/environment`, { environmentVars });
  expect((await change({ OLD: null, GONE: null, NEW: '2' })).body.data).toEqual({
    agentId: id,
    updatedKeys: ['NEW'],
    removedKeys: ['OLD'],
    status: 'running',
    executionTier: 'shared',
    needsRestart: false,
  });
  expect((await change({ PORT: '1', PATH: '/', ELIZA_CLOUD_URL: 'x', ELIZA_CLOUD_API_KEY: 'y' })).status).toBe(200);
  const refused = await change({ database_url: '1', Steward_JWT: 'x' });
  expect([refused.status, refused.body.reservedKeys]).toEqual([400, ['database_url', 'Steward_JWT']]);
  for (const name of reservedVariables)
    expect([name, (await change({ [name.toLowerCase()]: '1' })).status]).toEqual([name, 400]);
  expect((await change({ 'no name': '1' })).status).toBe(400);
  const journal = JSON.stringify(world.controls.requests.list());
  expect(journal).not.toContain('hidden');
  expect((await create(world, { alwaysOn: true, environmentVars: { Database_Url: '1' } })).status).toBe(400);
});

it('a world holds at most 500 hosted agents, and lists them all', async () => {
  const world = await startWorld({ quotas: { enabled: false } });
  const add = (i: number) => world.controls.hostedAgents.create({ name: `Agent ${i}` });
  for (let i = 0; i < 500; i++) add(i);
  expect(() => add(500)).toThrow(/A world holds at most 500 hosted agents/);
  const refused = await create(world, { alwaysOn: true, forceCreate: true });
  expect([refused.status, refused.body.error.message]).toEqual([
    400,
    expect.stringContaining('at most 500 hosted agents'),
  ]);
  const { data, hostingSummary } = (await call(world, 'GET', agentsPath)).body;
  expect([data.length, hostingSummary.sharedCount, data[0].agentName]).toEqual([500, 500, 'Agent 499']);
});
