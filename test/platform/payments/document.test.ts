// Payments in the OpenAPI document.

import { expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';

it('the OpenAPI document names the challenge, the headers that pay, and those that report the settlement', async () => {
  const world = await startWorld();
  const { paths, components } = (await call(world, 'GET', '/openapi.json')).body;
  for (const [path, status] of [
    ['/api/v1/topup/10', 200],
    ['/api/v1/topup/100', 200],
    ['/api/v1/containers', 202],
  ] as const) {
    const { parameters, responses } = paths[path].post;
    const pays = parameters.filter((one: any) => one.in === 'header').map((one: any) => one.name);
    expect(pays).toEqual(['X-PAYMENT', 'PAYMENT-SIGNATURE']);
    expect(Object.keys(responses[status].headers)).toEqual(['X-PAYMENT-RESPONSE', 'PAYMENT-RESPONSE']);
    expect(Object.keys(responses[402].headers)).toEqual(['PAYMENT-REQUIRED']);
    expect(responses[402].description).toContain('PAYMENT_REQUIRED');
    expect(responses[402].content['application/json'].schema.$ref).toBe('#/components/schemas/PaymentRequired');
  }
  expect(components.schemas.PaymentRequired.allOf[1].properties.accepts.type).toBe('array');
  expect(paths['/api/v1/topup/10'].post.security).toEqual([]);
  expect(paths['/api/v1/user'].get.parameters).toEqual([]);
});
