// The profile elizacloud, the public server as it is today: its own declarations of operations, and its settings.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.js';
import type { Config } from '../../src/config/schema.js';
import { leafPaths, readPath, type Tree } from '../../src/core/tree.js';
import { openDb } from '../../src/db/db.js';
import { declaredEndpoints, ofProfile } from '../../src/platform/surface.js';
import { signSiwe, testWallet } from '../../src/testing.js';
import { overlaid, readOverlay, writeOverlay } from '../../src/world/settings.js';
import { call, startWorld } from '../support/emulator.js';
import { isTodays } from '../support/surface.js';

const path = '/api/v1/containers';
const nobody = '00000000-0000-4000-8000-000000000000';
const lost = ['health', 'metrics', 'logs', 'logs/stream', 'deployments'].map((part) => `${path}/${nobody}/${part}`);

it.each(['spec', 'elizacloud', 'elizacloud-v1'] as const)(
  'under %s each operation has one declaration for each of its paths',
  (profile) => {
    const all = ofProfile(declaredEndpoints, profile);
    const places = all.map(({ method, path: of }) => `${method} ${of}`);
    expect(places.filter((one, index) => places.indexOf(one) !== index)).toEqual([]);
    // What all servers have has the same method and path in each.
    for (const one of declaredEndpoints.filter(isTodays)) {
      const older = declaredEndpoints.filter((each) => each.id === one.id && !isTodays(each));
      if (older.length === 0) continue;
      expect(older.map(({ method, path: of }) => `${method} ${of}`)).toContain(`${one.method} ${one.path}`);
    }
  },
);

it('operations that the documented API has and today’s server has not are not there', async () => {
  const newer = await startWorld({ profile: 'elizacloud', errors: { style: 'coded' } });
  for (const one of [...lost, `${path}/credentials/more`]) {
    const { status, body } = await call(newer, 'GET', one);
    expect([status, body.error.code], one).toEqual([404, 'ROUTE_NOT_FOUND']);
    expect(body.error.details.nearest.join(), one).not.toMatch(/health|metrics|\/logs|deployments|credentials/);
  }
  // `credentials` is where ids stand; a wrong method is no other error than a wrong path.
  for (const [method, one, allowed] of [
    ['POST', `${path}/credentials`, 'GET, HEAD, PATCH, DELETE'],
    ['PUT', path, 'POST, GET, HEAD'],
    ['DELETE', '/api/v1/voice/list', 'GET, HEAD'],
    ['POST', '/openapi.json', 'GET, HEAD'],
  ] as const) {
    const { status, headers, body } = await call(newer, method, one, method === 'DELETE' ? undefined : {});
    expect([status, headers.get('allow'), body.error.code], one).toEqual([404, null, 'ROUTE_NOT_FOUND']);
    expect(body.error.message, one).toContain(`allowed: ${allowed}`);
  }
  const older = await startWorld();
  for (const one of lost) expect((await call(older, 'GET', one)).body.error.code, one).toBe('NOT_FOUND');
  expect((await call(older, 'POST', `${path}/credentials`, {})).status).toBe(200);
});

it('document and coverage are those of the profile', async () => {
  for (const [profile, has] of [
    ['spec', true],
    ['elizacloud', false],
  ] as const) {
    const world = await startWorld({ profile });
    const { paths } = (await call(world, 'GET', '/openapi.json')).body;
    expect(`${path}/{id}/logs` in paths).toBe(has);
    expect(paths[path].post.operationId).toBe('containers.create');
    const { operations } = world.controls.coverage();
    expect(operations.some(({ operation }) => operation === 'containers.logs')).toBe(has);
  }
});

it('a scenario that names the setting contract of former versions is told of the profiles', async () => {
  const world = await startWorld();
  await expect(world.controls.scenarios.apply({ settings: { contract: 'v2' } })).rejects.toMatchObject({
    options: {
      details: [
        {
          path: 'settings.contract',
          message: expect.stringContaining('`--profile elizacloud` has what was contract v2'),
        },
      ],
    },
  });
});

it('a scenario gives a world a profile of its own, with all that the profile chooses', async () => {
  const world = await startWorld();
  expect((await call(world, 'GET', `${path}/${nobody}/logs`)).body.error.code).toBe('NOT_FOUND');
  await world.controls.scenarios.apply({ settings: { profile: 'elizacloud' } });
  expect(world.controls.config()).toMatchObject({
    profile: 'elizacloud',
    keys: { prefix: 'eliza_' },
    env: { baseUrl: expect.arrayContaining(['ELIZA_CLOUD_BASE_URL']) },
  });
  expect((await call(world, 'GET', `${path}/${nobody}/logs`)).body.code).toBe('route_not_found');
  const other = await startWorld();
  expect((await call(other, 'GET', `${path}/${nobody}/logs`)).body.error.code).toBe('NOT_FOUND');
});

it('a profile of a world takes the place of all that the emulator’s own has set', () => {
  const [today, earlier, spec] = (['elizacloud', 'elizacloud-v1', 'spec'] as const).map(
    (profile) => loadConfig({ env: {}, flags: { profile }, file: null }).config,
  );
  expect(overlaid(today as Config, { profile: 'elizacloud-v1' })).toEqual(earlier);
  expect(overlaid(earlier as Config, { profile: 'spec' })).toEqual(spec);
  const own = { ...(earlier as Config), seed: 'mine' };
  expect(overlaid(own, { profile: 'elizacloud', prices: { deploy: 3 } })).toMatchObject({
    seed: 'mine',
    prices: { deploy: 3 },
  });
});

it('a world that holds the setting contract of former versions opens with the profile that has it', () => {
  const db = openDb(':memory:');
  for (const [contract, profile] of [
    ['v1', {}],
    ['v2', { profile: 'elizacloud' }],
  ] as const) {
    writeOverlay(db, { contract, prices: { deploy: 3 } });
    expect(readOverlay(db)).toEqual({ ...profile, prices: { deploy: 3 } });
  }
  db.close();
});

it('the profile elizacloud differs from elizacloud-v1 where today’s server differs', () => {
  const [older, newer] = ['elizacloud-v1', 'elizacloud'].map((name): Tree => {
    const { rateLimits, ...rest } = JSON.parse(readFileSync(`fixtures/profiles/${name}.json`, 'utf8'));
    // The names of operations have dots.
    const limits = Object.entries(rateLimits.operations).map(([id, preset]) => [id.replace('.', ' '), preset]);
    return { ...rest, limits: Object.fromEntries(limits), perAddress: rateLimits.perAddress };
  }) as [Tree, Tree];
  const paths = [...new Set([...leafPaths(older), ...leafPaths(newer)])];
  const differing = paths.flatMap((one) => {
    const [was, is] = [readPath(older, one), readPath(newer, one)];
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [[one, is]];
  });
  expect(Object.fromEntries(differing)).toEqual({
    'containers.deletion': undefined,
    'credits.deletionRefund': undefined,
    'credits.initialFree': 0,
    'hostedAgents.price': 'required',
    'limits.auth cliSessionStart': 'STRICT',
    'limits.containers create': undefined,
    'limits.containers credentials': undefined,
    'limits.containers delete': undefined,
    'limits.keys create': 'STANDARD',
    'limits.keys delete': 'STANDARD',
    'limits.keys list': 'STANDARD',
    'limits.keys regenerate': 'STANDARD',
    'limits.keys update': 'STANDARD',
    'limits.voice tts': 'STRICT',
    perAddress: 600,
    'prices.dailyMemory': 2_048,
  });
});

it('the tested organization keeps its credits under elizacloud, and new accounts have none', async () => {
  const world = await startWorld({ profile: 'elizacloud' });
  expect((await call(world, 'GET', '/api/v1/credits/balance')).body.balance).toBe(1_000);
  const nonce = (await call(world, 'GET', '/api/auth/siwe/nonce')).body;
  const signed = await signSiwe({ ...nonce, wallet: testWallet('newcomer') });
  const { apiKey } = (await call(world, 'POST', '/api/auth/siwe/verify', signed)).body;
  const headers = { authorization: `Bearer ${apiKey}` };
  expect((await call(world, 'GET', '/api/v1/credits/balance', undefined, headers)).body.balance).toBe(0);
});
