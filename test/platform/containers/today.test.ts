// Containers of today's server: what is asked, what is refused, and what is answered.

import { describe, expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { call, startWorld } from '../../support/emulator.js';

const path = '/api/v1/containers';
const image = 'ghcr.io/elizaos/app:v1';
const start = (options = {}) => startWorld({ profile: 'elizacloud', rateLimits: { enabled: false }, ...options });
const create = (world: EmulatorWorld, fields: object = {}, headers = {}) =>
  call(world, 'POST', path, { name: 'My app', image, ...fields }, headers);
const get = async (world: EmulatorWorld, id: string) => (await call(world, 'GET', `${path}/${id}`)).body.data;

describe('a container', () => {
  it('is started by the request that creates it, costs nothing at first, and is deleted without a refund', async () => {
    const world = await start();
    const created = await create(world, { environmentVars: { KEY: 'secret' } });
    expect(created.status).toBe(201);
    const { id, load_balancer_url: url } = created.body.data;
    const whole = {
      id,
      name: 'My app',
      project_name: 'my-app',
      description: null,
      load_balancer_url: expect.stringMatching(/^http:/),
      public_hostname: null,
      status: 'deploying',
      image_tag: image,
      desired_count: 1,
      cpu: 1_792,
      memory: 1_792,
      port: 3_000,
      health_check_path: '/health',
      last_deployed_at: null,
      last_health_check: null,
      error_message: null,
      billing_status: 'active',
      last_billed_at: null,
      next_billing_at: null,
      shutdown_warning_sent_at: null,
      scheduled_shutdown_at: null,
      total_billed: '0.00',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    };
    // The answer to the creation leaves out what the client has sent, and what is still to come.
    const leftOut = ['desired_count', 'cpu', 'memory', 'port', 'health_check_path', 'billing_status', 'total_billed'];
    expect(created.body).toEqual({
      success: true,
      data: { ...whole, ...Object.fromEntries(leftOut.map((field) => [field, null])) },
    });
    expect(await get(world, id)).toEqual(whole);
    expect((await fetch(`${url}/health`)).status).toBe(503);
    await world.controls.clock.advance('10s');
    const running = await get(world, id);
    expect(running).toMatchObject({
      status: 'running',
      load_balancer_url: url,
      next_billing_at: '2026-01-02T00:00:00.000Z',
    });
    expect((await fetch(`${running.load_balancer_url}/health`)).status).toBe(200);
    const { body } = await call(world, 'GET', path);
    expect(body).toEqual({ success: true, data: [running] });
    const deleted = await call(world, 'DELETE', `${path}/${id}?purgeVolume=true`);
    expect([deleted.status, deleted.body]).toEqual([200, { success: true, deleted: true }]);
    const gone = await call(world, 'GET', `${path}/${id}`);
    expect([gone.status, gone.body.code]).toEqual([404, 'container_not_found']);
    expect(world.controls.ledger().map(({ type }) => type)).toEqual(['seed']);
  });

  it('is what creating its project again gives, unchanged, whatever image is asked for', async () => {
    const world = await start();
    const data = await get(world, (await create(world)).body.data.id);
    for (const wanted of [`${image}.1`, 'nginx']) {
      const again = await create(world, { image: wanted, name: 'Other', projectName: 'my-app', cpu: 256 });
      expect([again.status, again.body]).toEqual([200, { success: true, data }]);
      expect(again.headers.get('x-emulator-warning')).toContain('nothing is changed');
    }
  });

  it('that is stopped or has failed stays so: creating its project again makes another, and both count', async () => {
    const world = await start();
    const first = (await create(world)).body.data;
    await call(world, 'DELETE', `${path}/${first.id}?mode=stop`);
    const second = (await create(world, { image: 'ghcr.io/elizaos/app:fail-oom-start' })).body.data;
    expect(second.id).not.toBe(first.id);
    await world.controls.clock.advance('10s');
    const third = (await create(world, { image: `${image}.1` })).body.data;
    await world.controls.clock.advance('10s');
    const { data } = (await call(world, 'GET', path)).body;
    expect(data.map(({ id, project_name: of, status }: any) => [id, of, status])).toEqual([
      [third.id, 'my-app', 'running'],
      [second.id, 'my-app', 'failed'],
      [first.id, 'my-app', 'stopped'],
    ]);
    expect(new Set(data.map(({ load_balancer_url: url }: any) => url)).size).toBe(3);
    expect((await call(world, 'GET', `${path}/quota`)).body.quota.current).toBe(3);
    // A project stands for its newest container, in control operations and expectations.
    expect(world.controls.containers.get('my-app').id).toBe(third.id);
    await world.controls.scenarios.apply(
      { expect: { containers: [{ project: 'my-app', status: 'running' }] } },
      { merge: true },
    );
    const { expectations } = world.controls.scenarios.expectations();
    expect(expectations).toContainEqual(expect.objectContaining({ what: 'container my-app', ok: true }));
    expect((await create(world)).body.data.id).toBe(third.id);
  });

  it('that is being deleted does not keep its project from another', async () => {
    const world = await start({ containers: { deletion: '30s' } });
    const { id } = (await create(world)).body.data;
    await call(world, 'DELETE', `${path}/${id}`);
    const anew = await create(world);
    expect([anew.status, anew.body.data.id === id]).toEqual([201, false]);
    const { data } = (await call(world, 'GET', path)).body;
    expect(data.map(({ status }: any) => status)).toEqual(['deploying', 'deleting']);
  });

  it('may have the name of another project’s', async () => {
    const world = await start();
    const ids = [];
    for (const projectName of ['one', 'two']) {
      const { status, body } = await create(world, { projectName });
      expect([status, body.data.name]).toEqual([201, 'My app']);
      ids.push(body.data.id);
    }
    expect(new Set(ids).size).toBe(2);
  });

  it('has the slug of its name as project, of at most 60 characters', async () => {
    const world = await start();
    const { data } = (await create(world, { name: `Ünï ${'x'.repeat(90)}` })).body;
    expect(data.project_name).toMatch(/^n-x+$/);
    expect(data.project_name).toHaveLength(60);
  });

  it('of the older names is refused, and they are ignored beside the newer ones', async () => {
    const world = await start();
    const older = await call(world, 'POST', path, { name: 'a', project_name: 'a', ecr_image_uri: image });
    const ofOthers = 'these names are those of `--profile elizacloud-v1` or `--profile spec`';
    expect([older.status, older.body.error]).toEqual([400, `Invalid request data: image is required; ${ofOthers}`]);
    const { status, body, headers } = await create(world, { project_name: 'other', health_check_path: '/' });
    expect([status, body.data.project_name]).toEqual([201, 'my-app']);
    expect((await get(world, body.data.id)).health_check_path).toBe('/health');
    expect(headers.get('x-emulator-warning')).toContain('project_name');
  });

  it('has the health of its image: it fails by the clock, and says no more than that it has ended', async () => {
    const world = await start();
    const { id, status } = (await create(world, { image: 'ghcr.io/elizaos/app:fail-oom-start' })).body.data;
    expect(status).toBe('deploying');
    await world.controls.clock.advance('10s');
    expect(await get(world, id)).toMatchObject({ status: 'failed', error_message: 'Container is exited' });
    expect(world.controls.containers.get(id)).toMatchObject({
      mode: 'oom-start',
      error: expect.stringContaining('memory'),
    });
  });

  it('runs at once with instant timing, after a minute with realistic timing, and as clients read it with reads', async () => {
    const instant = await start({ timing: 'instant' });
    expect((await create(instant)).body.data).toMatchObject({ status: 'running', load_balancer_url: /^http/ });
    const realistic = await start({ timing: 'realistic' });
    const { id } = (await create(realistic)).body.data;
    await realistic.controls.clock.advance('45s');
    expect((await get(realistic, id)).status).toBe('deploying');
    await realistic.controls.clock.advance('30s');
    expect((await get(realistic, id)).status).toBe('running');
    const reads = await start({ containers: { progression: 'reads', readsPerStage: 2 } });
    const read = (await create(reads)).body.data.id;
    expect((await get(reads, read)).status).toBe('deploying');
    expect((await get(reads, read)).status).toBe('running');
  });
});

it('the command reads logs that clients cannot', async () => {
  const world = await start();
  const { id } = (await create(world)).body.data;
  await world.controls.clock.advance('10s');
  const logs = (headers = {}) => call(world, 'GET', `${path}/${id}/logs`, undefined, headers);
  expect((await logs()).body.code).toBe('route_not_found');
  const read = await logs({ 'x-emulator-aside': '1' });
  expect([read.status, read.body.logs.length > 0]).toEqual([200, true]);
});

describe('an image', () => {
  it.each([
    [{}, 'nginx:1', 'CONTAINER_IMAGE_NOT_ALLOWED'],
    [{}, 'ghcr.io/elizaosx/app', 'CONTAINER_IMAGE_NOT_ALLOWED'],
    [{}, 'ghcr.io/elizaos/app', undefined],
    [{ allowedImages: ['*'] }, 'nginx', undefined],
    [{ allowedImages: [] }, image, 'CONTAINER_IMAGE_NOT_ALLOWED'],
    [{ requireDigest: true }, image, 'CONTAINER_IMAGE_NOT_DIGEST_PINNED'],
    [{ requireDigest: true }, `${image}@sha256:${'a'.repeat(64)}`, undefined],
  ])('under %o, %s is refused with %s', async (containers, wanted, code) => {
    const { status, body } = await create(await start({ containers }), { image: wanted });
    expect([status, body.code]).toEqual([code === undefined ? 201 : 403, code]);
    if (code !== undefined)
      expect(body.error).toBe(
        code === 'CONTAINER_IMAGE_NOT_ALLOWED'
          ? `Image '${wanted}' is not permitted`
          : `Image '${wanted}' must be pinned to a full sha256 digest (e.g. repo@sha256:<64 hex>)`,
      );
  });

  it('that is refused names the setting in a warning', async () => {
    const { headers } = await create(await start(), { image: 'nginx' });
    expect(headers.get('x-emulator-warning')).toContain('containers.allowedImages');
  });

  it('that is not in the emulator’s registry cannot be pulled, where images must be there', async () => {
    const world = await start({ containers: { allowedImages: ['*'] }, registry: { require: 'always' } });
    const { status, body } = await create(world, { image: 'nginx:1' });
    expect([status, body.code, body.error]).toEqual([502, 'container_create_failed', 'Failed to pull nginx:1']);
  });
});

describe('a request that cannot start its container', () => {
  it.each([
    ['no-capacity', 'no_capacity'],
    ['pull-denied', 'container_create_failed'],
    ['stack-rollback', 'container_create_failed'],
  ])('with %s is 502 %s, and leaves a failed container', async (mode, code) => {
    const world = await start();
    const refused = await create(world, {}, { 'x-emulator-failure': mode });
    expect([refused.status, refused.body.code]).toEqual([502, code]);
    const [failed] = (await call(world, 'GET', path)).body.data;
    expect(failed).toMatchObject({ status: 'failed', error_message: refused.body.error, load_balancer_url: null });
    expect((await create(world)).status).toBe(201);
  });

  it('is 400 for variables of the platform, 402 beyond the quota, and creates nothing', async () => {
    const world = await start();
    const variables = { Database_Url: '1', PORT: '1', ELIZA_CLOUD_API_KEY: 'x', STEWARD_JWT: 'x' };
    const reserved = await create(world, { environmentVars: variables });
    expect([reserved.status, reserved.body.code, reserved.body.error]).toEqual([
      400,
      'RESERVED_ENV_KEYS',
      'environmentVars may not set platform-reserved keys: Database_Url, STEWARD_JWT',
    ]);
    const quotaAt = async (credits: number) => {
      world.controls.organizations.credits(world.organizationId, { set: credits });
      return (await call(world, 'GET', `${path}/quota`)).body;
    };
    for (const [credits, max] of [
      [100, 100],
      [99, 25],
      [9, 5],
      [0.5, 1],
    ] as const)
      expect(await quotaAt(credits)).toEqual({ success: true, quota: { allowed: true, current: 0, max } });
    await create(world);
    const full = { allowed: false, current: 1, max: 1, error: 'Container quota exceeded (1/1)' };
    expect(await quotaAt(0.5)).toEqual({ success: true, quota: full });
    const { status, body } = await create(world, { name: 'second' });
    expect([status, body.error, body.quota]).toEqual([402, full.error, full]);
    // The one that is there is no further one.
    expect((await create(world)).status).toBe(200);
    expect((await call(world, 'GET', path)).body.data).toHaveLength(1);
  });
});

describe('a change', () => {
  it('restarts or replaces all variables, which deploys anew; to scale to one instance changes nothing; all are free', async () => {
    const world = await start();
    const { id } = (await create(world, { environmentVars: { A: '1', B: '2' } })).body.data;
    await world.controls.clock.advance('10s');
    const variables = () => world.controls.containers.inspect(id).deployments.length;
    expect(variables()).toBe(1);
    for (const [body, shown] of [
      [{ action: 'restart' }, 'deploying'],
      [{ action: 'setEnv', environmentVars: { C: '3' } }, 'deploying'],
      [{ action: 'scale', desiredCount: 1 }, 'running'],
    ] as const) {
      const { status, body: answer } = await call(world, 'PATCH', `${path}/${id}`, body);
      expect([status, Object.keys(answer)]).toEqual([200, ['success', 'container']]);
      expect(answer.container).toMatchObject({ id, projectName: 'my-app', status: shown, image, metadata: {} });
      await world.controls.clock.advance('10s');
      expect((await get(world, id)).status).toBe('running');
    }
    expect(variables()).toBe(3);
    expect(world.controls.ledger().map(({ type }) => type)).toEqual(['seed']);
  });

  it.each([
    [{}, 'action must be one of restart, setEnv, scale'],
    [{ action: 'nap' }, 'action must be one of restart, setEnv, scale'],
    [{ action: 'setEnv' }, 'environmentVars is required for setEnv'],
    [{ action: 'scale' }, 'desiredCount is required for scale'],
    [{ action: 'scale', desiredCount: 2 }, 'desiredCount must be 1'],
  ])('%o is 400: %s', async (body, problem) => {
    const world = await start();
    const { id } = (await create(world)).body.data;
    const answer = await call(world, 'PATCH', `${path}/${id}`, body);
    expect([answer.status, answer.body.error]).toEqual([400, `Invalid request data: ${problem}`]);
  });

  it.each([
    ['no-capacity', 503, 'no_capacity'],
    ['pull-denied', 502, 'container_create_failed'],
  ])('with %s is %i %s, and what runs goes on', async (mode, expected, code) => {
    const world = await start();
    const { id } = (await create(world)).body.data;
    await world.controls.clock.advance('10s');
    const headers = { 'x-emulator-failure': mode };
    const { status, body } = await call(world, 'PATCH', `${path}/${id}`, { action: 'restart' }, headers);
    expect([status, body.code]).toEqual([expected, code]);
    expect((await get(world, id)).status).toBe('running');
  });

  it('stops it without deleting it, once or twice, and does not start it again', async () => {
    const world = await start();
    const { id } = (await create(world)).body.data;
    await world.controls.clock.advance('10s');
    for (const _ of ['first', 'again']) {
      const { status, body } = await call(world, 'DELETE', `${path}/${id}?mode=stop`);
      expect([status, body.success, body.container.status]).toEqual([200, true, 'stopped']);
    }
    expect((await call(world, 'DELETE', `${path}/${id}?mode=nap`)).status).toBe(400);
    for (const change of [{ action: 'restart' }, { action: 'setEnv', environmentVars: {} }]) {
      const { status, body } = await call(world, 'PATCH', `${path}/${id}`, change);
      expect([status, body.error]).toEqual([409, 'Container runtime slot was released; redeploy is required']);
    }
    await world.controls.clock.advance('10s');
    expect((await get(world, id)).status).toBe('stopped');
    const anew = await create(world);
    expect([anew.status, anew.body.data.id === id]).toEqual([201, false]);
  });

  it('of one that has failed restarts it', async () => {
    const world = await start();
    const { id } = (await create(world)).body.data;
    world.controls.containers.fail(id);
    expect((await get(world, id)).status).toBe('failed');
    expect((await call(world, 'PATCH', `${path}/${id}`, { action: 'restart' })).status).toBe(200);
    await world.controls.clock.advance('10s');
    expect((await get(world, id)).status).toBe('running');
  });
});
