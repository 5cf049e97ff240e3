// What the published SDK of the platform calls is implemented, or answers 501 with its name: never 404 or 405, which would
// say that the path or the method is wrong.

import { ELIZA_CLOUD_PUBLIC_ENDPOINTS as published } from '@elizaos/cloud-sdk';
import { expect, it } from 'vitest';
import { call, startWorld } from '../support/emulator.js';

/** The methods in the published table that its generator adds where the platform takes POST alone. */
const generated = /^(?:GET|PUT|PATCH|DELETE) \/api\/v1\/generate-(?:image|video)$|^GET \/api\/v1\/models\/status$/;
const platformRoutes = Object.keys(published).filter((route) => !generated.test(route));
const filled = (path: string): string => path.replace(/\{\w+\}/g, '01234567-89ab-4cde-8f01-23456789abcd');

it('every route of the published SDK is answered, or is 501 and names itself', async () => {
  const world = await startWorld({ profile: 'elizacloud', rateLimits: { enabled: false } });
  const wrong: unknown[] = [];
  for (const route of platformRoutes) {
    const [method = '', path = ''] = route.split(' ');
    const { status, body, text } = await call(world, method, filled(path), method === 'GET' ? undefined : {});
    const isNamed = status !== 501 || body.details?.method === method;
    if (status === 405 || text.includes('No such endpoint') || !isNamed) wrong.push([route, status]);
  }
  expect(wrong).toEqual([]);
  expect(platformRoutes.length).toBeGreaterThan(450);
});
