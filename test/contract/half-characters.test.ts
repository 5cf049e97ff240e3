// Halves of characters: JSON can name them, and cutting a text can leave them; headers and URLs have no place for them.

import { expect, it } from 'vitest';
import { ask } from '../support/chat.js';
import { call, startWorld } from '../support/emulator.js';

it.each(['"\\ud83d": 1', '"bio": "\\ude00 x"'])('halves of characters are no text: %s', async (field) => {
  const world = await startWorld();
  const answer = await call(world, 'POST', '/api/v1/app/agents', `{"name": "x", ${field}}`);
  expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_JSON']);
});

it.each([98, 99, 100])(
  'halves of characters are not left in a warning that is cut after %i characters',
  async (length) => {
    const world = await startWorld();
    const body = { name: 'x', [`${'x'.repeat(length)}😀`]: 1 };
    const answer = await call(world, 'POST', '/api/v1/app/agents', body);
    expect(answer.status).toBe(201);
    expect(decodeURIComponent(answer.headers.get('x-emulator-warning') ?? '')).toContain('unknown field');
    const asked = await ask(world, 'ping', { model: `${'x'.repeat(length)}😀` });
    expect([asked.status, asked.body.choices[0].message.content]).toEqual([200, 'pong']);
  },
);
