// Bodies that are not read before the response: a fault refuses a request as soon as it arrives.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { startEmulator } from '../../support/emulator.js';
import { requestText } from '../../support/faults.js';

const path = '/api/v1/app/agents';
const body = '{"name":"Ada"}';

async function answered(socket: Socket): Promise<void> {
  let text = '';
  while (!text.endsWith('}')) text += String((await once(socket, 'data'))[0]);
}

it.each([
  ['with the request', true],
  ['after the response', false],
])('a fault notices that a client repeats a request whose body comes %s', async (_, atOnce) => {
  const emulator = await startEmulator({ frozen: true });
  const { faults, clock, requests, verdicts } = emulator.controls;
  faults.add({ match: { operation: 'agents.create' }, effect: { status: 503 } });
  const socket = connect(emulator.port, '127.0.0.1');
  const whole = requestText(emulator, { method: 'POST', path, body: JSON.parse(body) });
  for (let i = 0; i < 4; i++) {
    socket.write(atOnce ? whole : whole.slice(0, -body.length));
    await answered(socket);
    if (!atOnce) socket.write(body);
    await clock.advance('2s');
  }
  // Its answer comes after the last body.
  socket.write(requestText(emulator, { path: '/api/v1/credits/balance' }));
  await answered(socket);
  socket.destroy();
  const seen = requests.list({ operation: 'agents.create' }).requests;
  expect(seen.map(({ requestBody }) => requestBody)).toEqual([body, body, body, body]);
  expect(new Set(seen.map(({ requestBodyHash }) => requestBodyHash)).size).toBe(1);
  const backoff = verdicts().verdicts.find(({ rule }) => rule === 'backoff-grows');
  expect(backoff?.verdict).toBe('fail');
});
