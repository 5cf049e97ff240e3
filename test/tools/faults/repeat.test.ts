// Clients that repeat a request by themselves when its connection breaks meet the same fault, counted once.

import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { call, startEmulator } from '../../support/emulator.js';
import {
  create,
  curl,
  fetched,
  hasCurl,
  type RawRequest,
  requestText,
  type Seen,
  watch,
  watchSocket,
} from '../../support/faults.js';

const list = '/api/v1/containers';
const balance = '/api/v1/credits/balance';

/** Sends a request on a connection that has carried an answer before. */
async function watchReused(emulator: Emulator, request: RawRequest): Promise<Seen> {
  const socket = connect(emulator.port, '127.0.0.1');
  socket.write(requestText(emulator, { path: balance }));
  await once(socket, 'data');
  socket.write(requestText(emulator, request));
  return watchSocket(socket);
}

describe.skipIf(!hasCurl && process.env.CLOUDEMU_TEST_FULL !== '1')(
  'curl, which repeats on a fresh connection what a kept one lost',
  () => {
    it.each([
      ['reset', 56],
      ['close', 52],
    ] as const)('%s: fails as if it had not repeated, and one hit is counted', async (network, code) => {
      const emulator = await startEmulator();
      emulator.controls.faults.add({
        match: { operation: 'containers.list' },
        when: { times: 1 },
        effect: { network },
      });
      expect((await curl(emulator, [], [balance, list])).code).toBe(code);
      expect(emulator.controls.faults.list()).toMatchObject([{ seen: 1, hits: 1 }]);
      // The client was told of it once; this is a new request.
      expect((await curl(emulator, [], [balance, list])).code).toBe(0);
    });
  },
);

const browser = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0' };

it('a fault knows the repetition of a browser, also of a POST, by method, URL, caller and length', async () => {
  const emulator = await startEmulator();
  const rule = { match: { operation: 'containers.create' }, when: { times: 1 }, effect: { network: 'reset' } } as const;
  emulator.controls.faults.add(rule);
  const request = { ...create, headers: browser };
  expect(await watchReused(emulator, request)).toEqual({ text: '', end: 'reset' });
  expect(await watch(emulator, request)).toEqual({ text: '', end: 'reset' });
  expect(emulator.controls.faults.list()).toMatchObject([{ seen: 1, hits: 1 }]);
  expect((await watch(emulator, request)).text).toMatch(/ 202 /);
});

it('what a browser sends again by itself after a response was lost takes no effect once more', async () => {
  const emulator = await startEmulator();
  emulator.controls.faults.add({
    match: { operation: 'containers.create' },
    when: { times: 1 },
    phase: 'after',
    effect: { network: 'reset' },
  });
  const request = { ...create, headers: browser };
  expect(await watchReused(emulator, request)).toEqual({ text: '', end: 'reset' });
  expect(await watch(emulator, request)).toEqual({ text: '', end: 'reset' });
  expect(emulator.controls.ledger().filter(({ type }) => type === 'charge')).toHaveLength(1);
  expect(emulator.controls.faults.list()).toMatchObject([{ seen: 1, hits: 1 }]);
  // Its own code knows only of the one that failed.
  expect((await watch(emulator, request)).text).toMatch(/ 202 /);
});

it.each<[string, (emulator: Emulator) => Promise<Seen>]>([
  ['another body', (to) => watch(to, { ...create, headers: browser, body: { ...create.body, name: 'another' } })],
  ['another URL', (to) => watch(to, { ...create, headers: browser, path: `${list}?x=1` })],
  ['another client', (to) => watch(to, { ...create, headers: { 'User-Agent': 'curl/8.0' } })],
])('a fault takes %s for a new request', async (_, send) => {
  const emulator = await startEmulator();
  emulator.controls.faults.add({ when: { nth: 2 }, effect: { network: 'close' } });
  const request = { ...create, headers: browser };
  expect(await watchReused(emulator, request)).toEqual({ text: '', end: 'closed' });
  expect((await send(emulator)).text).toMatch(/ 202 /);
});

it('a fault counts anew what a client sends again that does not repeat by itself: Node’s fetch, and fresh connections', async () => {
  const emulator = await startEmulator();
  const { faults } = emulator.controls;
  faults.add({ match: { operation: 'containers.create' }, when: { times: 1 }, effect: { network: 'reset' } });
  for (let i = 0; i < 3; i++) await call(emulator, 'GET', list);
  expect(await fetched(emulator, create)).toEqual({ error: 'ECONNRESET' });
  expect((await fetched(emulator, create)).status).toBe(202);
  faults.clear();
  faults.add({ match: { operation: 'containers.create' }, when: { times: 1 }, effect: { network: 'reset' } });
  const request = { ...create, headers: browser };
  expect((await watch(emulator, request)).end).toBe('reset');
  expect((await watch(emulator, request)).text).toMatch(/ 202 /);
});
