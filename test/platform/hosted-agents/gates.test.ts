// What a start of a dedicated agent must pass, and the pool of containers that run already.

import { describe, expect, it } from 'vitest';
import { call, type Platform, startWorld } from '../../support/emulator.js';
import { act, agentsPath, running, seen } from '../../support/hosted-agents.js';

const create = (world: Platform, fields: object = {}, headers = {}) =>
  call(world, 'POST', agentsPath, { agentName: 'Ada', alwaysOn: true, ...fields }, headers);
const another = (world: Platform, fields: object = {}, headers = {}) =>
  create(world, { forceCreate: true, ...fields }, headers);
const creditsOf = (world: Platform): number => world.controls.organizations.list()[0]?.credits ?? 0;

describe('the price of a dedicated agent', () => {
  const header = 'x-eliza-dedicated-price';
  const price = 'dedicated-compute-v1:USD:0.150000:0.300000';
  const starts = ['provision', 'resume', 'wake'];
  const said: [string, Record<string, string>][] = [
    ['not at all', {}],
    ['as another one', { [header]: 'dedicated-compute-v1:USD:0.010000:0.020000' }],
  ];

  it.each(said)('must be confirmed where the settings require it: said %s it is 428', async (_, headers) => {
    const world = await startWorld({ profile: 'elizacloud' });
    const refused = await create(world, {}, headers);
    expect([refused.status, refused.body]).toMatchObject([
      428,
      {
        success: false,
        code: 'DEDICATED_PRICE_CONFIRMATION_REQUIRED',
        error: expect.stringContaining('No compute was started'),
        pricing: {
          currency: 'USD',
          hourlyRateUsd: 0.15,
          minimumActivationChargeUsd: 0.3,
          acceptanceHeader: 'X-Eliza-Dedicated-Price',
          acceptanceValue: price,
        },
      },
    ]);
    expect(world.controls.hostedAgents.list()).toEqual([]);
    const { id } = (await create(world, { autoProvision: false }, headers)).body.data;
    for (const verb of starts)
      expect((await call(world, 'POST', `${agentsPath}/${id}/${verb}`, undefined, headers)).status).toBe(428);
    const { pricing } = refused.body;
    const confirmed = { [pricing.acceptanceHeader]: pricing.acceptanceValue };
    expect((await call(world, 'POST', `${agentsPath}/${id}/provision`, undefined, confirmed)).status).toBe(202);
  });

  it('may be left out elsewhere, but not be another one', async () => {
    const world = await startWorld();
    expect((await create(world, {}, { [header]: price })).status).toBe(202);
    expect((await create(world, { forceCreate: true })).status).toBe(202);
    const dear = await startWorld({ hostedAgents: { runningHour: 0.2, firstHours: 3 } });
    const { status, body } = await create(dear, {}, { [header]: price });
    expect([status, body.error.code, body.pricing.acceptanceValue]).toEqual([
      428,
      'PRICE_NOT_CONFIRMED',
      'dedicated-compute-v1:USD:0.200000:0.600000',
    ]);
    expect(dear.controls.hostedAgents.list()).toEqual([]);
  });

  it('is asked for before the credits, and before an agent is handed back', async () => {
    const world = await startWorld({ profile: 'elizacloud', credits: { seeded: 0 } });
    expect((await create(world)).status).toBe(428);
    expect((await create(world, {}, { [header]: price })).status).toBe(402);
    world.controls.organizations.credits(world.organizationId, { set: 10 });
    expect((await create(world, {}, { [header]: price })).status).toBe(202);
    expect((await create(world)).status).toBe(428);
    expect((await create(world, {}, { [header]: price })).body).toMatchObject({ created: false });
  });

  it('matters to starts of dedicated agents only', async () => {
    const world = await startWorld({ profile: 'elizacloud' });
    expect((await create(world, { alwaysOn: false })).status).toBe(201);
    expect((await create(world, { autoProvision: false, forceCreate: true })).status).toBe(201);
  });

  it('may be sent by pages', async () => {
    const world = await startWorld();
    const asked = { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' };
    const { headers } = await call(world, 'OPTIONS', agentsPath, undefined, asked);
    expect(headers.get('access-control-allow-headers')).toContain('X-Eliza-Dedicated-Price');
  });
});

it('an account on hold starts nothing until that is lifted, whatever its balance', async () => {
  const world = await startWorld({ errors: { style: 'flat' } });
  const { id } = await running(world);
  const { organizationId, controls } = world;
  expect(controls.organizations.credits(organizationId, { hold: true })).toMatchObject({ hold: true });
  const refused = await another(world);
  expect([refused.status, refused.body]).toMatchObject([
    402,
    { code: 'billing_hold_active', requiredBalance: 0.3, currentBalance: creditsOf(world) },
  ]);
  expect((await seen(world, id)).status).toBe('running');
  await act(world, id, 'suspend');
  await controls.await({ agent: id, status: 'stopped', advance: true });
  expect((await act(world, id, 'resume')).body.code).toBe('billing_hold_active');
  expect((await create(world, { alwaysOn: false })).status).toBe(201);
  expect(controls.organizations.credits(organizationId, { hold: false })).toMatchObject({ hold: false });
  expect((await act(world, id, 'resume')).status).toBe(202);
});

const digest = `@sha256:${'0a'.repeat(32)}`;

it.each([
  ['ghcr.io/acme/bot:v1', 403, 'agent_image_not_digest_pinned'],
  [`ghcr.io/acme/bot${digest}`, 202, undefined],
  [`ghcr.io/other/bot${digest}`, 403, 'agent_image_not_allowed'],
  ['ghcr.io/acme/bot@sha256:short', 403, 'agent_image_not_digest_pinned'],
])('where images must be allowed and pinned, %s is %i', async (dockerImage, status, code) => {
  const hostedAgents = { allowedImages: ['ghcr.io/acme/*'], requireDigest: true };
  const world = await startWorld({ errors: { style: 'flat' }, hostedAgents });
  const answer = await create(world, { dockerImage });
  expect([answer.status, answer.body.code]).toEqual([status, code]);
});

describe('the warm pool', () => {
  const statuses = async (world: Platform, count: number): Promise<number[]> => {
    const all: number[] = [];
    for (let i = 0; i < count; i++) all.push((await another(world)).status);
    return all;
  };
  const start = (): Promise<Platform> => startWorld({ quotas: { enabled: false }, hostedAgents: { warmPool: 2 } });

  it('gives agents that run at once, and are paid for', async () => {
    const world = await start();
    const before = creditsOf(world);
    const { status, body } = await another(world);
    const path = `${agentsPath}/${body.data.id}`;
    expect([status, body]).toMatchObject([
      201,
      {
        created: true,
        source: 'warm_pool',
        data: {
          agentName: 'Ada',
          status: 'running',
          executionTier: 'dedicated-always',
          bridgeUrl: `${world.url}${path}/bridge`,
          healthUrl: `${world.url}${path}/api/health`,
        },
      },
    ]);
    expect((await call(world, 'GET', `${path}/api/health`)).body).toEqual({ status: 'ok' });
    expect(creditsOf(world)).toBeCloseTo(before - 0.3, 9);
    expect(world.controls.jobs.list()).toEqual([]);
  });

  it('is filled again by the clock, whatever becomes of the agents', async () => {
    const world = await start();
    expect(await statuses(world, 3)).toEqual([201, 201, 202]);
    for (const { id } of world.controls.hostedAgents.list()) await call(world, 'DELETE', `${agentsPath}/${id}`);
    await world.controls.clock.advance('5s');
    expect(await statuses(world, 1)).toEqual([202]);
    await world.controls.clock.advance('5s');
    expect(await statuses(world, 3)).toEqual([201, 201, 202]);
    await world.controls.clock.advance('1h');
    expect(await statuses(world, 3)).toEqual([201, 201, 202]);
  });

  it('goes with snapshots', async () => {
    const world = await start();
    expect(await statuses(world, 1)).toEqual([201]);
    await world.controls.snapshots.take({ name: 'one' });
    expect(await statuses(world, 2)).toEqual([201, 202]);
    await world.controls.snapshots.restore('one');
    expect(await statuses(world, 2)).toEqual([201, 202]);
  });

  it('has nothing for own images, for failures, and for what starts later', async () => {
    const world = await start();
    expect((await another(world, { dockerImage: 'ghcr.io/acme/bot:v1' })).status).toBe(202);
    expect((await another(world, {}, { 'x-emulator-failure': 'provision-no-capacity' })).status).toBe(202);
    expect((await another(world, {}, { 'x-emulator-failure': 'worker-unavailable' })).status).toBe(503);
    expect((await another(world, { autoProvision: false })).body.data.status).toBe('pending');
    world.controls.organizations.credits(world.organizationId, { set: 0.2 });
    expect((await another(world)).status).toBe(402);
    world.controls.organizations.credits(world.organizationId, { set: 10 });
    expect(await statuses(world, 3)).toEqual([201, 201, 202]);
  });
});
