// Updates that fail or are deleted while other deployments are under way, and what changing a container costs.

import { expect, it } from 'vitest';
import { paymentHeader } from '../../../src/testing.js';
import { call, deploy, getContainer, startWorld } from '../../support/emulator.js';
import { wallet } from '../../support/payments.js';

const path = '/api/v1/containers';
/** Deployments take 30 s in all, those of a failing image as long. */
const timing = { pending: '10s', building: '10s', deploying: '10s', limit: '60s' };
const failing = { ecr_image_uri: '127.0.0.1:4747/acme/web:fail-stack-rollback' };
const start = () => startWorld({ containers: { timing } });

/** The state of a container in each second of a minute. */
async function watch(world: Awaited<ReturnType<typeof start>>, id: string, seconds: number) {
  const seen: { status: string; error: string | null; next: string | null; at: string }[] = [];
  for (let second = 0; second <= seconds; second++) {
    const data = await getContainer(world, id);
    const at = world.controls.clock.get().now;
    seen.push({ status: data.status, error: data.error_message, next: data.nextTransitionAt, at });
    await world.controls.clock.advance('1s');
  }
  return seen;
}

it('a failed update leaves the deployment that is still under way in sight', async () => {
  const world = await start();
  const { id } = await deploy(world);
  await world.controls.clock.advance('2s');
  // This one fails 23 s after it has begun, while the first one is deploying.
  await deploy(world, { ...failing, environment_vars: { EMULATOR_FAIL: 'image-not-found' } });
  const seen = await watch(world, id, 60);
  expect(seen.map(({ status }) => status)).not.toContain('failed');
  expect(seen.at(-1)?.status).toBe('running');
  const failed = seen.filter(({ error }) => error !== null);
  expect(failed.length).toBeGreaterThan(0);
  expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(['deploying']));
  expect(new Set(failed.map(({ next }) => next))).toEqual(new Set(['2026-01-01T00:00:30.000Z']));
  expect(seen.filter(({ status }) => status === 'running').every(({ error }) => error === null)).toBe(true);
});

it('a container says truly when its status changes next, through updates that fail and succeed', async () => {
  const world = await start();
  const { id } = await deploy(world);
  await world.controls.clock.advance('3s');
  await deploy(world, { environment_vars: { EMULATOR_FAIL: 'image-not-found' } });
  await world.controls.clock.advance('4s');
  await deploy(world, failing);
  const seen = await watch(world, id, 90);
  for (const [index, { status, next, at }] of seen.entries()) {
    const later = seen.slice(index + 1).find((other) => other.status !== status);
    if (later === undefined) expect([at, status, next]).toEqual([at, status, null]);
    else {
      expect(Date.parse(next ?? '')).toBeGreaterThan(Date.parse(at));
      expect(Date.parse(later.at) - Date.parse(next ?? '')).toBeGreaterThanOrEqual(0);
      expect(Date.parse(later.at) - Date.parse(next ?? '')).toBeLessThan(1_000);
    }
  }
});

it('a container shows `failed` where neither the first deployment nor the update has come through', async () => {
  const world = await start();
  const { id } = await deploy(world, failing);
  await world.controls.clock.advance('2s');
  await deploy(world, { environment_vars: { EMULATOR_FAIL: 'image-not-found' } });
  const seen = await watch(world, id, 60);
  const first = seen.findIndex(({ status }) => status === 'failed');
  expect(seen.slice(first).every(({ status, next }) => status === 'failed' && next === null)).toBe(true);
});

it('reads and interventions move on what is still under way after a failed update', async () => {
  for (const progression of ['reads', 'manual'] as const) {
    const world = await startWorld({ containers: { progression } });
    const { id } = await deploy(world);
    await deploy(world);
    world.controls.containers.fail(id);
    const look = async () => {
      if (progression === 'manual') world.controls.containers.skip(id);
      return (await getContainer(world, id)).status;
    };
    expect([await look(), await look(), await look()]).toEqual(['building', 'deploying', 'running']);
  }
});

it('deleting a container stops all that is under way', async () => {
  const world = await start();
  const { id } = await deploy(world);
  await world.controls.clock.advance('2s');
  await deploy(world);
  world.controls.containers.stop(id);
  const seen = await watch(world, id, 60);
  expect(new Set(seen.map(({ status }) => status))).toEqual(new Set(['stopped']));
});

const balanceOf = async (world: Awaited<ReturnType<typeof start>>) =>
  (await call(world, 'GET', '/api/v1/credits/balance')).body.balance;

it('changing a container whose only deployment was refunded is charged, once', async () => {
  const world = await startWorld();
  const before = await balanceOf(world);
  const { id } = await deploy(world, failing);
  await world.controls.clock.advance('10m');
  expect(await balanceOf(world)).toBe(before);
  const good = '127.0.0.1:4747/acme/web:v2';
  const changed = await call(world, 'PATCH', `${path}/${id}`, { ecr_image_uri: good, desired_count: 3 });
  expect(changed.body).toMatchObject({ creditsDeducted: 0.6, creditsRemaining: before - 0.6 });
  const again = await call(world, 'PATCH', `${path}/${id}`, { cpu: 512 });
  expect(again.body).toMatchObject({ creditsDeducted: 0, creditsRemaining: before - 0.6 });
  await world.controls.clock.advance('10m');
  expect((await getContainer(world, id)).status).toBe('running');
});

it('the charge of a change that fails returns, and a change that credits do not cover is refused', async () => {
  const world = await startWorld();
  const { id } = await deploy(world, failing);
  await world.controls.clock.advance('10m');
  const before = await balanceOf(world);
  await call(world, 'PATCH', `${path}/${id}`, { cpu: 512 });
  await world.controls.clock.advance('10m');
  expect(await balanceOf(world)).toBe(before);
  const refund = world.controls.ledger({ operation: 'containers.update' }).find(({ type }) => type === 'refund');
  expect(refund).toMatchObject({ amount: 0.5 });
  const [organization] = world.controls.organizations.list();
  world.controls.organizations.credits(organization?.id ?? '', { set: 0.4 });
  const { status, body } = await call(world, 'PATCH', `${path}/${id}`, { cpu: 512 });
  expect([status, body.error.code, body.requiredCredits]).toEqual([402, 'INSUFFICIENT_CREDITS', 0.5]);
});

it('a payment with USDC is taken for a change that costs, and left alone where it is not needed', async () => {
  const world = await startWorld();
  const { id } = await deploy(world, failing);
  await world.controls.clock.advance('10m');
  const [organization] = world.controls.organizations.list();
  world.controls.organizations.credits(organization?.id ?? '', { set: 0 });
  const refused = await call(world, 'PATCH', `${path}/${id}`, { cpu: 512 });
  const requirement = refused.body.accepts[0];
  const change = async () =>
    call(world, 'PATCH', `${path}/${id}`, { cpu: 512 }, await paymentHeader({ wallet, requirement }));
  const first = await change();
  expect([first.status, first.body.creditsDeducted, first.body.creditsRemaining]).toEqual([200, 0.5, 0]);
  const second = await change();
  expect([second.status, second.body.creditsDeducted]).toEqual([200, 0]);
  expect(second.headers.get('x-emulator-warning')).toContain('the payment was not used');
});

it('a client that sends back the asterisks which hide the values of variables is warned', async () => {
  const world = await startWorld();
  const { id } = await deploy(world, { environment_vars: { TOKEN: 'secret', MODE: 'fast' } });
  const { environment_vars } = await getContainer(world, id);
  const patch = (body: object) => call(world, 'PATCH', `${path}/${id}`, body);
  const warned = await patch({ environment_vars: { ...environment_vars, MODE: 'slow' } });
  expect(warned.status).toBe(200);
  expect(decodeURIComponent(warned.headers.get('x-emulator-warning') ?? '')).toBe(
    'environment_vars.TOKEN: ******** hides a value in responses, and is the value itself from now on; ?reveal=true shows values',
  );
  expect((await patch({ desired_count: 1 })).headers.get('x-emulator-warning')).toBeNull();
  const { body } = await call(world, 'GET', `${path}/${id}?reveal=true`);
  expect(body.data.environment_vars).toEqual({ TOKEN: '********', MODE: 'slow' });
  // A refused update loses nothing.
  const taken = { name: 'web', project_name: 'other', ecr_image_uri: body.data.ecr_image_uri, environment_vars };
  const refused = await call(world, 'POST', path, taken);
  expect(refused.status).toBe(409);
  expect(refused.headers.get('x-emulator-warning')).not.toContain('environment_vars');
});
