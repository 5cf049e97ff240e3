// The documents: complete, and what they say of operations; openapi.full.ts has a public validator read them.

import { expect, it } from 'vitest';
import { assumptions } from '../../src/http/assumptions.js';
import { pathsOf } from '../../src/http/routes.js';
import { sampleOf } from '../support/campaign.js';
import { call, startWorld } from '../support/emulator.js';
import { newer, surface } from '../support/surface.js';

it('the document holds every path of every endpoint, under unique operation ids', async () => {
  const world = await startWorld();
  const { body } = await call(world, 'GET', '/openapi.json');
  const ids = [];
  for (const endpoint of surface) {
    for (const path of pathsOf(endpoint)) ids.push(body.paths[path][endpoint.method.toLowerCase()].operationId);
  }
  expect(new Set(ids).size).toBe(ids.length);
});

it('the document holds every assumption that an endpoint names, and every one is named', () => {
  const everywhere = [
    'errors.envelope',
    'errors.402',
    'keys.form',
    'auth.order',
    'wallet.headers',
    'auth.permissions',
    'auth.roles',
    'limits.bucket',
    'limits.headers',
    'inputs',
    'bodies',
    'guesses',
    'cors',
    'routes.notImplemented',
  ];
  const named = new Set([...[...surface, ...newer].flatMap((endpoint) => endpoint.assumptions ?? []), ...everywhere]);
  expect([...named].sort()).toEqual(Object.keys(assumptions).sort());
});

it('the document says what an operation takes and costs under the settings', async () => {
  const world = await startWorld({
    config: { prices: { image: 0.25 }, rateLimits: { multiplier: 2, operations: { 'embeddings.create': 'none' } } },
  });
  const { paths } = (await call(world, 'GET', '/openapi.json')).body;
  expect(paths['/api/v1/images/generations'].post).toMatchObject({
    'x-permission': 'images:write',
    'x-rate-limit': {
      enforced: true,
      all: { limit: 2_000, windowMs: 60_000 },
      own: { name: 'images', preset: 'STANDARD', limit: 120, windowMs: 60_000 },
    },
    'x-price': { currency: 'credits', settings: { 'prices.image': 0.25 } },
  });
  expect(paths['/api/v1/embeddings'].post['x-rate-limit']).not.toHaveProperty('own');
  expect(paths['/api/v1/topup/10'].post['x-price']).toEqual({ currency: 'USDC', amount: 10 });
  expect(paths['/api/v1/user'].get).not.toHaveProperty('x-price');
  const unpriced = surface.filter(
    ({ price, priceSettings }) => (price === undefined) !== (priceSettings === undefined),
  );
  expect(unpriced.map(({ id }) => id)).toEqual([]);
});

// Generators name the type of such a field after its object and its field, in camel case.
it.each(sampleOf(['spec', 'elizacloud-v1', 'elizacloud']))(
  'no object of the documents of %s has two unnamed types of one name',
  async (profile) => {
    const world = await startWorld({ profile });
    for (const path of ['/openapi.json', '/_emulator/openapi.json'])
      expect(twinsIn((await call(world, 'GET', path)).body, path)).toEqual([]);
  },
);

function twinsIn(value: unknown, place: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { properties = {} } = value as { properties?: Record<string, any> };
  const names = Object.entries(properties).flatMap(([name, { $ref, type, enum: words, anyOf }]) => {
    const isPlain = $ref !== undefined || (typeof type === 'string' && type !== 'object' && words === undefined);
    return isPlain && anyOf === undefined ? [] : [name.toLowerCase().replace(/[^a-z0-9]/g, '')];
  });
  const twins = names.filter((name, index) => names.indexOf(name) < index).map((name) => `${place}: ${name}`);
  return [...twins, ...Object.entries(value).flatMap(([key, inner]) => twinsIn(inner, `${place}/${key}`))];
}
