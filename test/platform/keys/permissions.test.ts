// Generated from the registry: what a restricted key may and may not do, on every endpoint.

import { expect, it } from 'vitest';
import type { Endpoint } from '../../../src/http/endpoint.js';
import type { EmulatorWorld } from '../../../src/index.js';
import type { Permission } from '../../../src/platform/keys/permissions.js';
import { endpoints } from '../../../src/platform/surface.js';
import { itFull } from '../../support/campaign.js';
import { call, startWorld } from '../../support/emulator.js';
import { callWith, mint } from '../../support/keys.js';
import { expectAll } from '../../support/matrix.js';
import { isTodays } from '../../support/surface.js';

/** Whether a key with these permissions is refused for what it may do. */
async function isForbidden(world: EmulatorWorld, endpoint: Endpoint, permissions: string[]): Promise<boolean> {
  const { apiKey: value } = world.controls.keys.create({ permissions: permissions as Permission[] });
  const path = endpoint.path.replace(/\{\w+\}/g, 'none');
  const answer = await callWith(
    world,
    value,
    endpoint.method,
    path,
    endpoint.body === undefined ? undefined : endpoint.example,
  );
  return answer.body.error?.code === 'FORBIDDEN';
}

const start = (enforcePermissions = true, profile = 'spec'): Promise<EmulatorWorld> =>
  startWorld({ rateLimits: { enabled: false }, auth: { enforcePermissions }, errors: { style: 'coded' }, profile });
const nameOf = (endpoint: Endpoint): string =>
  `${endpoint.id} (${endpoint.method}, ${endpoint.profiles?.join() ?? 'all'})`;
// A stream without a subject would never end.
const callable = endpoints.filter(
  (endpoint) =>
    endpoint.auth === 'caller' &&
    (endpoint.path.includes('{') || endpoint.responses[200]?.contentTypes?.includes('text/event-stream') !== true),
);
const restricted = callable.filter((endpoint) => typeof endpoint.permission === 'object');
const unrestricted = callable.filter((endpoint) => endpoint.permission === 'unrestricted');
const all = ['chat', 'embeddings', 'images', 'video', 'voice', 'knowledge', 'agents', 'apps'];

it('every endpoint that wants a caller asks for a permission', () => {
  expect(
    endpoints.filter((endpoint) => endpoint.auth === 'caller' && endpoint.permission === undefined).map(nameOf),
    'give these endpoints a `permission`',
  ).toEqual([]);
});

/** Checks whether keys are refused at endpoints: all cells of a server in one world, with a key for each. */
async function expectRefusals(
  cells: readonly [endpoint: Endpoint, permissions: string[], isRefused: boolean][],
  enforcePermissions = true,
): Promise<void> {
  const documented = await start(enforcePermissions);
  const todays = await start(enforcePermissions, 'elizacloud');
  await expectAll(
    cells.map((cell) => [`${nameOf(cell[0])} with ${cell[1].join(', ')}`, cell] as const),
    async ([endpoint, permissions, isRefused]) =>
      expect(await isForbidden(isTodays(endpoint) ? todays : documented, endpoint, permissions)).toBe(isRefused),
  );
}

const needed = restricted.map((endpoint) => ({
  endpoint,
  ...(endpoint.permission as { name: string; level: 'read' | 'write' }),
}));
const allBut = (name: string): string[] => all.filter((other) => other !== name);

it('restricted endpoints let in keys with the permission, at its level, bare, or to write what is read', () =>
  expectRefusals(
    needed.flatMap(({ endpoint, name, level }): [Endpoint, string[], boolean][] => [
      [endpoint, [`${name}:${level}`], false],
      [endpoint, [name], false],
      [endpoint, [`${name}:write`], false],
    ]),
  ));

itFull('restricted endpoints keep out keys that may only read what they would write', () =>
  expectRefusals(needed.map(({ endpoint, name, level }) => [endpoint, [`${name}:read`], level === 'write'])),
);

it('restricted endpoints keep out keys with every other permission', () =>
  expectRefusals(needed.map(({ endpoint, name }) => [endpoint, allBut(name), true])));

it('endpoints for unrestricted keys keep out keys with every permission there is', () =>
  expectRefusals(unrestricted.map((endpoint) => [endpoint, all, true])));

itFull('endpoints for unrestricted keys let in keys without restrictions', () =>
  expectRefusals(unrestricted.map((endpoint) => [endpoint, [], false])),
);

itFull('every endpoint lets every key in when permissions are not enforced', () =>
  expectRefusals(
    [
      ...needed.map(({ endpoint, name }): [Endpoint, string[], boolean] => [endpoint, allBut(name), false]),
      ...unrestricted.map((endpoint): [Endpoint, string[], boolean] => [endpoint, ['chat'], false]),
    ],
    false,
  ),
);

it('the refusal of a restricted key says what is missing', async () => {
  const world = await start();
  const { value } = await mint(world, { permissions: ['chat', 'apps:read'] });
  const answer = await callWith(world, value, 'DELETE', '/api/v1/containers/none');
  expect(answer.body.error.message).toBe(
    'Insufficient permissions: containers.delete needs apps:write, the key has chat, apps:read',
  );
});

it('a request of a key that is kept out does nothing', async () => {
  const world = await start();
  const { value } = await mint(world, { permissions: ['apps:read'] });
  const body = { name: 'a', project_name: 'a', ecr_image_uri: 'r/a:v1' };
  expect((await callWith(world, value, 'POST', '/api/v1/containers', body)).status).toBe(403);
  expect((await call(world, 'GET', '/api/v1/containers')).body.data).toEqual([]);
});

it('a change of permissions applies at once', async () => {
  const world = await start();
  const { id, value } = await mint(world, { permissions: ['chat'] });
  expect((await callWith(world, value, 'GET', '/api/v1/containers')).status).toBe(403);
  await call(world, 'PATCH', `/api/v1/api-keys/${id}`, { permissions: ['apps:read'] });
  expect((await callWith(world, value, 'GET', '/api/v1/containers')).status).toBe(200);
});
