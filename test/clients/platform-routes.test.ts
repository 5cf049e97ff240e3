// What clients of the platform call is implemented, or answers 501 with its name: never 404 or 405, which would say that the
// path or the method is wrong.

import { expect, it } from 'vitest';
import { call, startWorld } from '../support/emulator.js';
import { platformRoutes } from '../support/platform-routes.js';

const filled = (path: string): string => path.replace(/\{\w+\}/g, '01234567-89ab-4cde-8f01-23456789abcd');

it('every route that clients call is answered, or is 501 and names itself', async () => {
  const world = await startWorld({ profile: 'elizacloud', rateLimits: { enabled: false } });
  const wrong: unknown[] = [];
  for (const route of platformRoutes) {
    const [method = '', path = ''] = route.split(' ');
    const { status, body, text } = await call(world, method, filled(path), method === 'GET' ? undefined : {});
    const isNamed = status !== 501 || body.details?.method === method;
    if (status === 405 || text.includes('No such endpoint') || !isNamed) wrong.push([route, status]);
  }
  expect(wrong).toEqual([]);
  expect(platformRoutes.length).toBeGreaterThan(650);
});
