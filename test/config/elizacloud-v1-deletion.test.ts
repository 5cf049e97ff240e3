// The profile elizacloud-v1: a deleted container takes a while to go, as profiles.txt tells; what it serves and streams meanwhile.

import { expect, it } from 'vitest';
import { call, deploy, getContainer, startWorld } from '../support/emulator.js';
import { openStream } from '../support/sse.js';

const path = '/api/v1/containers';
// The timing `instant` leaves deletions no time either.
const timing = { pending: 0, building: 0, deploying: 0 };
const start = (options = {}) => startWorld({ profile: 'elizacloud-v1', timing, ...options });

it('a deleted container stops serving at once', async () => {
  const world = await start();
  const { id } = await deploy(world);
  const { url } = await getContainer(world, id);
  expect((await fetch(url)).status).toBe(200);
  await call(world, 'DELETE', `${path}/${id}`);
  expect((await fetch(url)).status).toBe(503);
});

it.each([
  ['virtual', { frozen: true }],
  ['wall', { frozen: false, containers: { deletion: 300 } }],
])(
  'a deleted container ends its log stream when it is gone, by %s time and without another request',
  async (_, options) => {
    const world = await start(options);
    const { id } = await deploy(world);
    const stream = await openStream(`${world.url}${path}/${id}/logs/stream`, {
      authorization: `Bearer ${world.apiKey}`,
    });
    await call(world, 'DELETE', `${path}/${id}`);
    if (options.frozen) await world.controls.clock.advance('30s');
    await stream.ended;
    const statuses = stream.messages.filter(({ data }) => data.type === 'status').map(({ data }) => data.data.status);
    expect(statuses.at(-1)).toBe('deleting');
  },
);
