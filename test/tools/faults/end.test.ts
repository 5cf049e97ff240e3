// Nothing is left behind: requests that wait or hang end with their client or the emulator, and the journal tells.

import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.js';
import { createEmulator, type Emulator } from '../../../src/index.js';
import { networkFaults } from '../../../src/tools/faults/network/kinds.js';
import type { JournalEntry } from '../../../src/tools/journal/journal-entry.js';
import { itFull, sampleOf } from '../../support/campaign.js';
import { call, startEmulator } from '../../support/emulator.js';
import { eventually } from '../../support/eventually.js';
import { create, fetched, requestText, watch, watchSocket } from '../../support/faults.js';
import { runWithControls } from '../../support/run-emulator.js';

const list = '/api/v1/containers';

it.each(
  sampleOf(
    [
      ['hang', { phase: 'before', effect: { network: 'hang' } }],
      ['hang after the handler', { phase: 'after', effect: { network: 'hang' } }],
      ['hang in the middle', { phase: 'partial', effect: { network: 'hang' } }],
      ['a long delay', { phase: 'before', effect: { delay: '10m' } }],
      ['a long delay after the handler', { phase: 'after', effect: { delay: '10m' } }],
      ['a long drip', { phase: 'after', effect: { network: 'drip', delay: '10m' } }],
    ] as const,
    3,
  ),
)('a request that a fault holds ends with the emulator: %s', async (_, rule) => {
  const emulator = await createEmulator();
  emulator.controls.faults.add(rule);
  const waiting = [watch(emulator, create, 10_000), watch(emulator, {}, 10_000)];
  await new Promise((resolve) => setTimeout(resolve, 200));
  const began = performance.now();
  await emulator.close();
  for (const { end } of await Promise.all(waiting)) expect(end).not.toBe('open');
  expect(performance.now() - began).toBeLessThan(5_000);
});

itFull('the emulator is not disturbed by hundreds of clients that leave while a fault holds them', async () => {
  const emulator = await startEmulator();
  emulator.controls.faults.add({ effect: { delay: '5m' }, when: { every: 2 } });
  emulator.controls.faults.add({ effect: { network: 'hang' } });
  const sockets = Array.from({ length: 200 }, () => {
    const socket = connect(emulator.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(requestText(emulator, create));
    return socket;
  });
  await eventually(() => emulator.controls.faults.list().reduce((sum, { hits }) => sum + hits, 0) === 200);
  for (const socket of sockets) socket.destroy();
  emulator.controls.faults.clear();
  expect((await call(emulator, 'GET', list)).body.data).toEqual([]);
  await eventually(() => journal(emulator).length === 201);
});

it('a fault notices that a client has left whose large body nobody needs yet', async () => {
  const emulator = await startEmulator();
  emulator.controls.faults.add({ effect: { delay: '10m' } });
  const socket = connect(emulator.port, '127.0.0.1');
  socket.write(requestText(emulator, { ...create, body: { junk: 'x'.repeat(5_000_000) } }));
  await eventually(() => emulator.controls.faults.get('fault_1').hits === 1);
  await new Promise((resolve) => setTimeout(resolve, 100));
  socket.destroy();
  await eventually(() => journal(emulator).length === 1);
  expect(journal(emulator)).toMatchObject([{ outcome: 'aborted', status: 0 }]);
});

itFull('the emulator survives clients that leave in the middle of whatever a fault sends', async () => {
  const emulator = await startEmulator();
  const acts = ['reset', 'close', 'hang', 'truncate', 'drip'] as const;
  for (const network of acts) {
    emulator.controls.faults.clear();
    emulator.controls.faults.add({ phase: 'partial', effect: { network, delay: '200ms' } });
    await Promise.all([
      watch(emulator, {}, 30),
      watch(emulator, {}, 90),
      watch(emulator, {}, 210),
      watch(emulator, {}, 260),
    ]);
  }
  emulator.controls.faults.clear();
  expect((await call(emulator, 'GET', list)).status).toBe(200);
});

itFull('a fault breaks off also when the body of the request is large and not read by anybody', async () => {
  const emulator = await startEmulator();
  const large = {
    ...create,
    body: { ...create.body, environment_vars: { BIG: 'x'.repeat(30_000) }, junk: 'x'.repeat(3_000_000) },
  };
  for (const [network, end] of [
    ['close', 'closed'],
    ['reset', 'reset'],
  ] as const) {
    emulator.controls.faults.clear();
    emulator.controls.faults.add({ effect: { network } });
    expect(await watch(emulator, large)).toEqual({ text: '', end });
  }
});

it('a connection answers the next request after a forced response to a body that nobody read', async () => {
  const emulator = await startEmulator();
  emulator.controls.faults.add({ match: { method: 'POST' }, effect: { status: 503 } });
  const socket = connect(emulator.port, '127.0.0.1');
  socket.write(
    requestText(emulator, { ...create, body: { junk: 'x'.repeat(300_000) } }) +
      requestText(emulator, { headers: { Connection: 'close' } }),
  );
  const { text } = await watchSocket(socket);
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 503', 'HTTP/1.1 200']);
});

itFull('the log says nothing of faults: what a rule does is no error of the emulator, nor of Node', async () => {
  const errors: unknown[] = [];
  const warnings: Error[] = [];
  // Node's own opinion of its interfaces is no answer to a rule.
  const ofNode = ['DeprecationWarning', 'ExperimentalWarning'];
  const collect = (warning: Error): void => void (ofNode.includes(warning.name) || warnings.push(warning));
  process.on('warning', collect);
  const settings = { server: { port: 0 }, data: { ephemeral: true } };
  const emulator = await runWithControls({
    config: loadConfig({ file: null, settings }).config,
    onError: (error) => errors.push(error),
  });
  const one = { ...emulator } as unknown as Emulator;
  try {
    for (const phase of ['before', 'after', 'partial'] as const)
      for (const network of networkFaults) {
        if (phase === 'before' && !['reset', 'close', 'hang'].includes(network)) continue;
        emulator.controls.faults.clear();
        emulator.controls.faults.add({ phase, effect: { network, delay: 20 } });
        await watch(one, {}, network === 'hang' ? 150 : 5_000);
      }
    // Many requests in a row on one connection.
    emulator.controls.faults.clear();
    emulator.controls.faults.add({ effect: { delay: 20 } });
    const socket = connect(emulator.port, '127.0.0.1');
    socket.write(requestText(one, {}).repeat(30) + requestText(one, { headers: { Connection: 'close' } }));
    expect((await watchSocket(socket)).text.match(/HTTP\/1\.1 200/g)).toHaveLength(31);
  } finally {
    await emulator.close();
    process.off('warning', collect);
  }
  expect(errors).toEqual([]);
  expect(warnings).toEqual([]);
});

it.each(
  sampleOf(
    [
      [{ effect: { status: 503 } }, { status: 503, outcome: 'answered', errorCode: 'SERVICE_UNAVAILABLE' }],
      [{ effect: { network: 'reset' } }, { status: 0, outcome: 'lost', errorCode: null }],
      [
        { phase: 'after', effect: { network: 'close' } },
        { status: 0, outcome: 'lost', errorCode: null },
      ],
      [
        { phase: 'after', effect: { status: 500 } },
        { status: 500, outcome: 'lost', errorCode: 'INTERNAL_ERROR' },
      ],
      [
        { phase: 'after', effect: { network: 'truncate' } },
        { status: 202, outcome: 'lost', errorCode: null },
      ],
      [
        { phase: 'after', effect: { network: 'malformed' } },
        { status: 202, outcome: 'lost', errorCode: null },
      ],
      [
        { phase: 'partial', effect: { network: 'reset' } },
        { status: 202, outcome: 'lost', errorCode: null },
      ],
      [
        { phase: 'after', effect: { network: 'drip', delay: 50 } },
        { status: 202, outcome: 'answered', errorCode: null },
      ],
      [
        { phase: 'after', effect: { delay: 50 } },
        { status: 202, outcome: 'answered', errorCode: null },
      ],
    ] as const,
    4,
  ),
)('the journal records %j', async (rule, expected) => {
  const emulator = await startEmulator();
  emulator.controls.faults.add(rule);
  await fetched(emulator, create);
  await eventually(() => journal(emulator).length === 1);
  expect(journal(emulator)).toMatchObject([{ fault: 'fault_1', operation: 'containers.create', ...expected }]);
});

it.each([
  [{ effect: { network: 'hang' } }, 'lost'],
  [{ phase: 'before', effect: { delay: '1m' } }, 'aborted'],
] as const)('the journal records %j once the client has left', async (rule, outcome) => {
  const emulator = await startEmulator();
  emulator.controls.faults.add(rule);
  const socket = connect(emulator.port, '127.0.0.1');
  socket.write(requestText(emulator, create));
  await eventually(() => emulator.controls.faults.get('fault_1').hits === 1);
  expect(journal(emulator)).toEqual([]);
  socket.destroy();
  await eventually(() => journal(emulator).length === 1);
  expect(journal(emulator)).toMatchObject([
    { fault: 'fault_1', operation: 'containers.create', status: 0, outcome, errorCode: null },
  ]);
});

function journal(emulator: Emulator): JournalEntry[] {
  return emulator.controls.requests.list({ limit: 1_000 }).requests;
}
