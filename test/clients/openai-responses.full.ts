// How many responses are kept: five hundred of them are made.

import { expect, it } from 'vitest';
import { startWorld } from '../support/emulator.js';
import { openaiOf } from '../support/openai.js';

const model = 'gpt-4o-mini';

it('the emulator keeps the last 500 responses, and the chain that leads to them', async () => {
  const world = await startWorld({ rateLimits: { enabled: false } });
  const { responses } = openaiOf(world);
  const first = await responses.create({ model, input: 'ping' });
  const second = await responses.create({ model, input: 'ping', previous_response_id: first.id });
  for (let i = 0; i < 499; i++) await responses.create({ model, input: 'ping' });
  await expect(responses.create({ model, input: 'ping', previous_response_id: second.id })).rejects.toMatchObject({
    status: 400,
  });
  expect(world.controls.requests.list({ status: '5xx' }).total).toBe(0);
});
