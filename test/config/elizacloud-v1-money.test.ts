// The profile elizacloud-v1: prices, what deleting pays back, and limits.

import { describe, expect, it } from 'vitest';
import type { EmulatorWorld } from '../../src/index.js';
import { call, deploy, getContainer, image, startWorld } from '../support/emulator.js';

const path = '/api/v1/containers';
const start = (options = {}) => startWorld({ profile: 'elizacloud-v1', ...options });
const body = { name: 'web', project_name: 'web', ecr_image_uri: image };
const balanceOf = async (world: EmulatorWorld) =>
  (await call(world, 'GET', '/api/v1/credits/balance')).body.balance as number;

describe('prices', () => {
  it.each([
    [{}, 15],
    [{ cpu: 256, memory: 512 }, 0.5],
    [{ cpu: 256, memory: 256 }, 0.5],
    [{ cpu: 2048, memory: 2048 }, 17.5],
    [{ cpu: 256, memory: 512, desired_count: 3 }, 0.6],
    [{ cpu: 257, memory: 513 }, 0.51],
  ])('of %j are %d', async (size, price) => {
    const world = await start();
    const answer = await call(world, 'POST', path, { ...body, ...size });
    expect([answer.status, answer.body.creditsDeducted, answer.body.creditsRemaining]).toEqual([
      202,
      price,
      1000 - price,
    ]);
  });

  it('stand in the quota that clients read before they deploy, all as numbers', async () => {
    const world = await start();
    const { data } = (await call(world, 'GET', `${path}/quota`)).body;
    expect(data.quota).toEqual({ current: 0, max: 100, remaining: 100, percentage: 0 });
    expect(data.credits).toEqual({ balance: 1000, canDeploy: true });
    expect(data.pricing).toMatchObject({ imageUpload: 0.25, deployment: 15, totalForNewContainer: 15.25 });
    const { model, daysOfRunway, ...billing } = data.billing;
    expect([model, daysOfRunway]).toEqual(['daily', null]);
    for (const part of [billing, data.pricing, data.limits])
      for (const [name, value] of Object.entries(part)) expect(value, name).toBeTypeOf('number');
  });
});

describe('deleting pays back', () => {
  it.each([
    ['1h', 11, 0],
    ['1h59m', 11, 0],
    ['2h', 7, 0],
    ['23h', 7, 0],
    ['25h', undefined, 1.17],
  ])('%s after the deployment: %s of 15', async (age, refund, day) => {
    const world = await start({ timing: 'instant' });
    const { id } = await deploy(world);
    await world.controls.clock.advance(age);
    const answer = await call(world, 'DELETE', `${path}/${id}`);
    expect([answer.status, answer.body.refundAmount]).toEqual([200, refund]);
    expect(await balanceOf(world)).toBe(985 + (refund ?? 0) - day);
  });

  it('nothing of what rounds down to nothing', async () => {
    const world = await start({ timing: 'instant' });
    const { id } = await deploy(world, { cpu: 256, memory: 512 });
    const answer = await call(world, 'DELETE', `${path}/${id}`);
    expect(answer.body).toEqual({ success: true, message: expect.any(String) });
    expect(await balanceOf(world)).toBe(999.5);
  });

  it('nothing while it still deploys', async () => {
    const world = await start();
    const { id } = await deploy(world);
    expect((await call(world, 'DELETE', `${path}/${id}`)).body.refundAmount).toBeUndefined();
    await world.controls.clock.advance('1h');
    expect(await balanceOf(world)).toBe(985);
  });

  it('the share of the last charge, once, and the ledger says so', async () => {
    const world = await start({ timing: 'instant' });
    const { id } = await deploy(world);
    await deploy(world, { cpu: 2048, memory: 2048 });
    await call(world, 'PATCH', `${path}/${id}`, { desired_count: 2 });
    expect((await call(world, 'DELETE', `${path}/${id}`)).body.refundAmount).toBe(13);
    expect((await call(world, 'DELETE', `${path}/${id}`)).body.refundAmount).toBeUndefined();
    expect(world.controls.ledger().filter(({ type }) => type === 'refund')).toEqual([
      expect.objectContaining({ amount: 13, reason: 'Deployment deleted: 75 % of its charge' }),
    ]);
  });

  it('nothing of what runs, but all of what does not yet, in the profile spec', async () => {
    const world = await startWorld();
    const { id } = await deploy(world);
    await world.controls.clock.advance('1m');
    await call(world, 'DELETE', `${path}/${id}`);
    expect(await balanceOf(world)).toBe(999.5);
    const again = await deploy(world);
    expect((await call(world, 'DELETE', `${path}/${again.id}`)).body.refundAmount).toBe(0.5);
    expect(await balanceOf(world)).toBe(999.5);
  });
});

describe('limits', () => {
  const limitOf = async (world: EmulatorWorld, method: string, url: string, content?: unknown) =>
    (await call(world, method, url, content)).headers.get('x-ratelimit-limit');

  it('let five containers be created in five minutes', async () => {
    const world = await start();
    const create = (i: number) => call(world, 'POST', path, { ...body, name: `n${i}`, project_name: `p${i}` });
    for (let i = 0; i < 5; i++) expect((await create(i)).status).toBe(202);
    const refused = await create(5);
    expect([refused.status, refused.body.retryAfter]).toEqual([429, 300]);
    await world.controls.clock.advance('5m');
    expect((await create(6)).status).toBe(202);
  });

  it('hold for credentials, deleting and regenerating', async () => {
    const world = await start();
    const { id } = await deploy(world);
    const made = await call(world, 'POST', '/api/v1/api-keys', { name: 'CLI' });
    expect(await limitOf(world, 'POST', `${path}/credentials`, {})).toBe('10');
    expect(await limitOf(world, 'DELETE', `${path}/${id}`)).toBe('60');
    expect(await limitOf(world, 'POST', `/api/v1/api-keys/${made.body.apiKey.id}/regenerate`)).toBe('10');
  });

  it('leave polling and reading to the key’s own limit', async () => {
    const world = await start();
    const { id } = await deploy(world);
    for (let i = 0; i < 90; i++) await getContainer(world, id);
    expect(await limitOf(world, 'GET', `${path}/${id}`)).toBe('1000');
  });
});
