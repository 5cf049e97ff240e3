// Faults of event streams: lost before they open, broken off after the first events, damaged, slowed down.

import { expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { itFull, sampleOf } from '../../support/campaign.js';
import { call, deploy, startEmulator } from '../../support/emulator.js';
import { eventually } from '../../support/eventually.js';
import { fetched, watch, watchEvents, watchOpen } from '../../support/faults.js';

const rule = (phase: 'before' | 'after' | 'partial', effect: object) =>
  ({ match: { operation: 'containers.streamLogs' }, phase, effect }) as const;

/** An emulator with a container that has some log lines, and the path of its stream. */
async function startWithLogs(): Promise<{ emulator: Emulator; path: string }> {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  await emulator.controls.clock.advance('1m');
  return { emulator, path: `/api/v1/containers/${id}/logs/stream` };
}

const eventsIn = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('data: '));

it.each(sampleOf(['before', 'after'] as const, 2))('a fault loses the whole stream, phase %s', async (phase) => {
  const { emulator, path } = await startWithLogs();
  emulator.controls.faults.add(rule(phase, { network: 'reset' }));
  expect(await watch(emulator, { path })).toEqual({ text: '', end: 'reset' });
  // Nobody is left who would be told of the next line.
  await emulator.controls.clock.advance('1h');
  expect(emulator.controls.faults.list()).toMatchObject([{ hits: 1 }]);
});

it('a fault sends an error in place of a stream', async () => {
  const { emulator, path } = await startWithLogs();
  emulator.controls.faults.add(rule('after', { status: 503 }));
  const answer = await call(emulator, 'GET', path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'application/json; charset=utf-8']);
});

it.each(
  sampleOf(
    [
      ['reset', 'reset'],
      ['close', 'closed'],
      ['truncate', 'closed'],
      ['hang', 'open'],
    ] as const,
    2,
  ),
)('a fault breaks a stream off after the first events: %s', async (network, end) => {
  const { emulator, path } = await startWithLogs();
  const whole = eventsIn((await watchEvents(emulator, path)).text).length;
  emulator.controls.faults.add(rule('partial', { network }));
  const seen = await watchEvents(emulator, path);
  expect(seen.end).toBe(end);
  expect(seen.text).toContain('X-Emulator-Fault: fault_1\r\n');
  expect(seen.text).not.toMatch(/\r\n0\r\n\r\n$/);
  const events = eventsIn(seen.text);
  expect(events.length).toBe(Math.ceil(whole / 2));
  for (const event of events) JSON.parse(event.slice(6));
  if (network === 'close')
    expect(await fetched(emulator, { path })).toMatchObject({ status: 200, error: 'UND_ERR_SOCKET' });
});

it('a fault breaks a stream off after as many events as the rule says, or at its end', async () => {
  const { emulator, path } = await startWithLogs();
  const whole = eventsIn((await watchEvents(emulator, path)).text).length;
  const { faults } = emulator.controls;
  for (const [afterEvents, come] of [
    [1, 1],
    [whole - 1, whole - 1],
  ] as const) {
    faults.add({ ...rule('partial', { network: 'close', afterEvents }), when: { times: 1 } });
    const seen = await watchEvents(emulator, path);
    expect([seen.end, eventsIn(seen.text).length]).toEqual(['closed', come]);
  }
  expect(() => faults.add(rule('partial', { network: 'drip', afterEvents: 2 }))).toThrow(/effect.afterEvents/);
  expect(() => faults.add(rule('after', { network: 'reset', afterEvents: 2 }))).toThrow(/effect.afterEvents/);
});

itFull('a fault hangs a stream for good: neither events nor heartbeats come any more', async () => {
  const { emulator, path } = await startWithLogs();
  emulator.controls.faults.add(rule('partial', { network: 'hang' }));
  const lines = eventsIn((await watchEvents(emulator, path)).text).length;
  const stream = { come: 0, isLater: false };
  const watching = watchOpen(emulator, { path }, (text) => {
    stream.come = eventsIn(text).length;
    return stream.isLater;
  });
  await eventually(() => stream.come === lines);
  await emulator.controls.clock.advance('10m');
  stream.isLater = true;
  expect(eventsIn((await watching).text).length).toBe(lines);
});

it('a fault sends a first event that is no JSON, and the stream goes on', async () => {
  const { emulator, path } = await startWithLogs();
  emulator.controls.faults.add(rule('after', { network: 'malformed' }));
  const [first = '', ...rest] = eventsIn((await watchEvents(emulator, path)).text);
  expect(() => JSON.parse(first.slice(6))).toThrow();
  expect(rest.length).toBeGreaterThan(3);
  for (const event of rest) JSON.parse(event.slice(6));
});

itFull('a fault drips a stream’s first events', async () => {
  const { emulator, path } = await startWithLogs();
  const whole = eventsIn((await watchEvents(emulator, path)).text).length;
  emulator.controls.faults.add(rule('after', { network: 'drip', delay: '1s' }));
  const began = performance.now();
  const seen = await watchEvents(emulator, path);
  expect(performance.now() - began).toBeGreaterThan(1_000);
  expect(eventsIn(seen.text).length).toBe(whole);
  expect(eventsIn((await watch(emulator, { path }, 500)).text).length).toBeLessThan(whole);
});

itFull('a fault of delay opens a stream later', async () => {
  const { emulator, path } = await startWithLogs();
  emulator.controls.faults.add(rule('after', { delay: '700ms' }));
  expect((await watch(emulator, { path }, 200)).text).toBe('');
  expect((await watchEvents(emulator, path)).text).toContain('data: ');
});
