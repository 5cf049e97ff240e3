// Credits: charged with the effect, never without it, and explained.

import { expect, it } from 'vitest';
import { call, deploy, image, startWorld } from '../../support/emulator.js';

it('a 402 says what is missing in a form that payment clients can read', async () => {
  const world = await startWorld({ credits: { seeded: 0.3 } });
  const answer = await call(world, 'POST', '/api/v1/containers', {
    name: 'a',
    project_name: 'a',
    ecr_image_uri: image,
  });
  expect(answer.status).toBe(402);
  expect(answer.body).toMatchObject({
    success: false,
    error: { code: 'INSUFFICIENT_CREDITS' },
    requiredCredits: 0.5,
    creditsRemaining: 0.3,
    x402Version: 1,
    accepts: [
      {
        scheme: 'exact',
        network: 'base-sepolia',
        maxAmountRequired: '500000',
        resource: `${world.url}/api/v1/containers`,
      },
    ],
  });
});

it('the quota of the balance refuses one container more before credits are asked for', async () => {
  const world = await startWorld({ credits: { seeded: 0.9 } });
  await deploy(world, { name: 'a', project_name: 'a' });
  const second = await call(world, 'POST', '/api/v1/containers', {
    name: 'b',
    project_name: 'b',
    ecr_image_uri: image,
  });
  expect(second.status).toBe(403);
  expect(second.body.error).toMatchObject({ code: 'QUOTA_EXCEEDED', details: { current: 1, max: 1 } });
  const update = await call(world, 'POST', '/api/v1/containers', {
    name: 'a',
    project_name: 'a',
    ecr_image_uri: image,
  });
  expect(update.status).toBe(402);
});

it('the control plane sets a balance, and shows it in the ledger', async () => {
  const world = await startWorld();
  world.controls.organizations.credits(world.organizationId, { set: 0.4 });
  expect((await call(world, 'GET', '/api/v1/credits/balance')).body.balance).toBe(0.4);
  expect(world.controls.ledger().at(-1)).toMatchObject({ type: 'adjustment', amount: -999.6 });
  expect(() => world.controls.organizations.credits(world.organizationId, { add: -1 })).toThrow(/no debt/);
});

it('the control plane adds no more than an organization can have', async () => {
  const { controls, organizationId } = await startWorld();
  controls.organizations.credits(organizationId, { set: 999_999_999.5 });
  controls.organizations.credits(organizationId, { add: 0.5 });
  expect(() => controls.organizations.credits(organizationId, { add: 0.1 })).toThrow(
    'add must leave at most 1000000000 credits: the balance is 1000000000, got 0.1',
  );
});

it('a balance is kept by no cache', async () => {
  const world = await startWorld();
  for (const path of ['/api/v1/credits/balance', '/api/credits/balance']) {
    expect((await call(world, 'GET', path)).headers.get('cache-control')).toBe('no-store');
  }
});
