// One controls object, many control operations: what can be done in process can be done over HTTP, by the client of `cloudemu/client`
// and by a command, with equal answers.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { commands } from '../../src/cli/command-table.js';
import { connect } from '../../src/client.js';
import type { ControlOperation } from '../../src/control/operation.js';
import type { Controls } from '../../src/controls.js';
import { controlOperations } from '../../src/controls.js';
import { createEmulator, type Emulator } from '../../src/index.js';
import { runHere } from '../support/command-here.js';
import { call, startEmulator } from '../support/emulator.js';
import { type Ground, prepareGround, type Sample, samples } from '../support/operation-samples.js';
import { openStream } from '../support/sse.js';

/** Behind more than one control operation: a scenario is applied by its name, or as a document. */
const manyDoors: Record<string, string[]> = {
  'scenarios.apply': ['control.scenarios.apply', 'control.scenarios.applyDocument'],
};

/** Verbs whose --json tells more than the control operation does. */
const tellMore = ['status', 'expectations --world default'];

const streams = ({ responses }: ControlOperation): boolean =>
  responses[200]?.contentTypes?.includes('text/event-stream') === true;

interface Prepared {
  emulator: Emulator;
  ground: Ground;
}

async function prepare(): Promise<Prepared> {
  const emulator = await startEmulator();
  return { emulator, ground: await prepareGround(emulator) };
}

// What only reads changes nothing, so that all who read can ask the same one.
let readable: Prepared;
beforeAll(async () => {
  const emulator = await createEmulator({ seed: 'test', clock: '2026-01-01T00:00:00Z', frozen: true });
  readable = { emulator, ground: await prepareGround(emulator) };
});
afterAll(() => readable.emulator.close());

/** What `{name}` in a sample stands for, anywhere in it. */
function filled<T>(value: T, ground: Ground): T {
  if (value === '{snapshot}') return ground.snapshot as T;
  if (typeof value === 'string')
    return value.replace(/\{(\w+)\}/g, (all, name: string) => String(ground[name as keyof Ground] ?? all)) as T;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((inner) => filled(inner, ground)) as T;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner, ground)])) as T;
}

function pathOf({ path }: ControlOperation, { params = {}, query = {} }: Sample, ground: Ground): string {
  const inside = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(filled(params[name] ?? '', ground)),
  );
  return inside + (Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(filled(query, ground))}`);
}

// What is wall time, or follows from a port, a connection or wall time, differs between two emulators.
const ofTheWall =
  /^(uptimeMs|takenAt|wall|begunAt|endedAt|durationMs|image|sha256|date|host|x-ratelimit-reset|pid|connection)$/i;

function compared(value: unknown): unknown {
  const text = JSON.stringify(value, (key, inner) => (ofTheWall.test(key) ? typeof inner : inner));
  return JSON.parse(text.replace(/(127\.0\.0\.1|localhost):\d+/g, '$1'));
}

// As the control operations write lists.
function asAnswer(path: string, result: unknown): unknown {
  return Array.isArray(result) ? { [path.slice(path.lastIndexOf('/') + 1)]: result, total: result.length } : result;
}

describe.each(controlOperations.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (id, endpoint) => {
  const known = samples[id] ?? [];

  it('has a sample and a command', () => {
    expect(
      known,
      `say in test/support/operation-samples.ts how ${id} is used in process, over HTTP and by its command`,
    ).not.toEqual([]);
    const alike = Object.values(manyDoors).find((operations) => operations.includes(id)) ?? [id];
    const command = commands.find(({ operation = '' }) => alike.includes(operation));
    expect(command, `give ${id} a command in src/cli/operations`).toBeDefined();
  });

  it.each(known.map((sample) => [sample.line, sample] as const))(
    'answers the same to all: %s',
    async (line, sample) => {
      if (streams(endpoint)) return sameStream(endpoint, sample);
      const four =
        endpoint.method === 'GET'
          ? [readable, readable, readable, readable]
          : await Promise.all([prepare(), prepare(), prepare(), prepare()]);
      const [here, there, remote, command] = four as [Prepared, Prepared, Prepared, Prepared];
      const inProcess = asAnswer(endpoint.path, await sample.act(here.emulator.controls, here.ground));
      const path = pathOf(endpoint, sample, there.ground);
      const overHttp = await call(there.emulator, endpoint.method, path, filled(sample.body, there.ground));
      expect(overHttp.status, overHttp.text).toBeLessThan(300);
      expect(compared(overHttp.body)).toEqual(compared(inProcess));

      const answer = await sample.act(remoteOf(remote.emulator), remote.ground);
      expect(compared(asAnswer(endpoint.path, answer))).toEqual(compared(inProcess));

      const args = line.split(' ').map((word) => filled(word, command.ground));
      const { code, stdout, stderr } = await runHere([...args, '--json', '--url', command.emulator.url]);
      expect([code, stderr]).toEqual([sample.code ?? 0, '']);
      expect(stdout.match(/\n/g)).toHaveLength(1);
      const told = compared(JSON.parse(stdout));
      if (tellMore.includes(line)) expect(told).toMatchObject(compared(overHttp.body) as object);
      else expect(told).toEqual(compared(overHttp.body));
    },
  );
});

// Its methods are those of the controls, each with a promise.
function remoteOf({ url }: Emulator): Controls {
  return connect({ url }).controls as unknown as Controls;
}

async function sameStream(endpoint: ControlOperation, sample: Sample): Promise<void> {
  const [here, there, remote] = await Promise.all([prepare(), prepare(), prepare()]);
  const count = 3;
  const taken = async (items: AsyncIterable<unknown>): Promise<unknown[]> => {
    const told: unknown[] = [];
    for await (const item of items) if (told.push(item) === count) break;
    return told;
  };
  const act = (controls: Controls, ground: Ground) => taken(sample.act(controls, ground) as AsyncIterable<unknown>);
  const stream = await openStream(there.emulator.url + pathOf(endpoint, sample, there.ground), {});
  // A stream without a past tells what happens once the far side listens: when it has answered.
  const opening = vi.spyOn(globalThis, 'fetch');
  const reading = [act(here.emulator.controls, here.ground), act(remoteOf(remote.emulator), remote.ground)];
  await vi.waitUntil(() => opening.mock.results.length > 0, 15_000);
  await opening.mock.results[0]?.value;
  opening.mockRestore();
  for (const { emulator } of [here, there, remote]) await happen(emulator);
  const [inProcess, overClient] = await Promise.all(reading);
  const messages = await stream.until(count);
  expect(compared(messages.slice(0, count).map(({ data }) => data))).toEqual(compared(inProcess));
  expect(compared(overClient)).toEqual(compared(inProcess));
  stream.close();
}

async function happen(emulator: Emulator): Promise<void> {
  emulator.controls.containers.crash('web');
  await emulator.controls.clock.advance('1s');
  await call(emulator, 'GET', '/api/v1/containers');
}
