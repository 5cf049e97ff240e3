// The setting `contract`: which declaration of an operation is in force in a world.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { leafPaths, readPath, type Tree } from '../../src/core/tree.js';
import { declaredEndpoints, ofContract } from '../../src/platform/surface.js';
import { signSiwe, testWallet } from '../../src/testing.js';
import { call, deploy, startWorld } from '../support/emulator.js';

const path = '/api/v1/containers';
const nobody = '00000000-0000-4000-8000-000000000000';
const lost = ['health', 'metrics', 'logs', 'logs/stream', 'deployments'].map((part) => `${path}/${nobody}/${part}`);

it.each(['v1', 'v2'] as const)('under %s each operation has one declaration for each of its paths', (contract) => {
  const all = ofContract(declaredEndpoints, contract);
  const places = all.map(({ method, path: of }) => `${method} ${of}`);
  expect(places.filter((one, index) => places.indexOf(one) !== index)).toEqual([]);
  // An operation of both contracts has the same method and path in both.
  for (const one of declaredEndpoints.filter((each) => each.contract === 'v2')) {
    const older = declaredEndpoints.filter(({ id, contract: of }) => id === one.id && of === 'v1');
    if (older.length === 0) continue;
    expect(older.map(({ method, path: of }) => `${method} ${of}`)).toContain(`${one.method} ${one.path}`);
  }
});

it('operations that the newer contract has lost are not there under v2', async () => {
  const newer = await startWorld({ contract: 'v2' });
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

it('document and coverage are those of the contract', async () => {
  for (const [contract, has] of [
    ['v1', true],
    ['v2', false],
  ] as const) {
    const world = await startWorld({ contract });
    const { paths } = (await call(world, 'GET', '/openapi.json')).body;
    expect(`${path}/{id}/logs` in paths).toBe(has);
    expect(paths[path].post.operationId).toBe('containers.create');
    const { operations } = world.controls.coverage();
    expect(operations.some(({ operation }) => operation === 'containers.logs')).toBe(has);
  }
});

it('a scenario gives a world a contract of its own', async () => {
  const world = await startWorld();
  const { id } = await deploy(world);
  await world.controls.scenarios.apply({ settings: { contract: 'v2' } });
  expect((await call(world, 'GET', `${path}/${id}/logs`)).body.error.code).toBe('ROUTE_NOT_FOUND');
  const other = await startWorld();
  expect((await call(other, 'GET', `${path}/${nobody}/logs`)).body.error.code).toBe('NOT_FOUND');
});

it('the profile elizacloud-v2 differs from elizacloud where today’s server differs', () => {
  const [older, newer] = ['elizacloud', 'elizacloud-v2'].map((name): Tree => {
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
    contract: 'v2',
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

it('the tested organization keeps its credits under elizacloud-v2, and new accounts have none', async () => {
  const world = await startWorld({ profile: 'elizacloud-v2' });
  expect((await call(world, 'GET', '/api/v1/credits/balance')).body.balance).toBe(1_000);
  const nonce = (await call(world, 'GET', '/api/auth/siwe/nonce')).body;
  const signed = await signSiwe({ ...nonce, wallet: testWallet('newcomer') });
  const { apiKey } = (await call(world, 'POST', '/api/auth/siwe/verify', signed)).body;
  const headers = { authorization: `Bearer ${apiKey}` };
  expect((await call(world, 'GET', '/api/v1/credits/balance', undefined, headers)).body.balance).toBe(0);
});
