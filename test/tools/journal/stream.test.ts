// The live journal: without gap or duplicate, resumable, ending with the emulator, and bounded for slow readers.

import { expect, it } from 'vitest';
import type { JournalRecord } from '../../../src/tools/journal/journal-entry.js';
import { itFull } from '../../support/campaign.js';
import { tempDir } from '../../support/command.js';
import { call, type Platform, startEmulator, startWorld } from '../../support/emulator.js';
import { openStream } from '../../support/sse.js';

const range = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, i) => String(from + i));

const open = (emulator: Platform, query = '', headers: Record<string, string> = {}) =>
  openStream(`${emulator.url}/_emulator/requests/stream${query}`, headers);

async function send(emulator: Platform, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await call(emulator, 'GET', `/api/${i}`);
}

async function take(records: AsyncIterable<JournalRecord>, count: number): Promise<JournalRecord[]> {
  const taken: JournalRecord[] = [];
  for await (const record of records) if (taken.push(record) === count) break;
  return taken;
}

it('the stream of requests sends new records, with their numbers as ids, and no older ones', async () => {
  const emulator = await startWorld();
  await send(emulator, 3);
  const stream = await open(emulator);
  await send(emulator, 2);
  await emulator.controls.reset();
  const messages = await stream.until(3);
  expect(messages.map(({ id }) => id)).toEqual(['4', '5', '6']);
  expect(messages.map(({ data }) => data)).toEqual([
    expect.objectContaining({ kind: 'request', seq: 4, path: '/api/0' }),
    expect.objectContaining({ kind: 'request', seq: 5, path: '/api/1' }),
    expect.objectContaining({ kind: 'marker', seq: 6, event: 'reset' }),
  ]);
  stream.close();
});

it('the stream of requests begins at the given place, with stored and unstored records', async () => {
  const emulator = await startWorld();
  await send(emulator, 5);
  const stream = await open(emulator, '?since=2');
  await send(emulator, 1);
  expect((await stream.until(5)).map(({ id }) => id)).toEqual(range(2, 6));
  stream.close();
  const all = await open(emulator, '?since=1h');
  expect((await all.until(6)).map(({ id }) => id)).toEqual(range(1, 6));
  all.close();
});

itFull(
  'the stream of requests resumes after the last event that the client has, again and again, without gap or duplicate',
  async () => {
    const emulator = await startWorld();
    const seen: string[] = [];
    let finished = false;
    const sending = (async () => {
      await Promise.all(Array.from({ length: 4 }, () => send(emulator, 60)));
      finished = true;
    })();
    let lastId: string | undefined = '0';
    while (!finished || seen.length < 240) {
      const stream = await open(emulator, '', { 'last-event-id': lastId ?? '0' });
      const messages = await stream.until(7 - (seen.length % 3));
      stream.close();
      for (const { id } of messages) seen.push(id ?? '');
      lastId = seen.at(-1);
      if (seen.length >= 235) break;
    }
    await sending;
    const rest = await open(emulator, '', { 'last-event-id': lastId ?? '0' });
    seen.push(...(await rest.until(240 - seen.length)).map(({ id }) => id ?? ''));
    rest.close();
    expect(seen).toEqual(range(1, 240));
  },
);

it('the stream of requests resumes in an emulator that was closed and opened again', async () => {
  const dataDir = tempDir();
  const first = await startEmulator({ dataDir });
  await send(first, 4);
  await first.close();
  const second = await startEmulator({ dataDir });
  await send(second, 2);
  const stream = await open(second, '', { 'last-event-id': '2' });
  expect((await stream.until(4)).map(({ id }) => id)).toEqual(range(3, 6));
  stream.close();
  await second.close();
});

it.each<[string, Record<string, string>, RegExp]>([
  ['', { 'last-event-id': 'one' }, /Last-Event-ID/],
  ['?since=yesterday', {}, /since/],
  ['?since=req_none', {}, /since/],
])('the stream of requests refuses %s %j before it streams', async (query, headers, message) => {
  const emulator = await startWorld();
  const { status, body } = await call(emulator, 'GET', `/_emulator/requests/stream${query}`, undefined, headers);
  expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(body.error.message).toMatch(message);
});

it('the stream of requests treats an id of another journal as the newest one', async () => {
  const emulator = await startWorld();
  await send(emulator, 2);
  const stream = await open(emulator, '', { 'last-event-id': '500' });
  await send(emulator, 1);
  expect((await stream.until(1)).map(({ id }) => id)).toEqual(['3']);
  stream.close();
});

it('the stream of requests ends with the emulator', async () => {
  const emulator = await startWorld();
  const stream = await open(emulator);
  await emulator.close();
  await stream.ended;
  expect(stream.messages).toEqual([]);
});

it('the stream of requests can be read in process until the loop is left, the signal aborts or the emulator ends', async () => {
  const emulator = await startWorld();
  const { requests } = emulator.controls;
  const fromNow = requests.follow();
  await send(emulator, 3);
  expect((await take(fromNow, 3)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect((await take(requests.follow({ since: 2 }), 2)).map(({ seq }) => seq)).toEqual([2, 3]);
  expect((await take(requests.follow({ after: 2 }), 1)).map(({ seq }) => seq)).toEqual([3]);
  const abort = new AbortController();
  const aborted = take(requests.follow({ signal: abort.signal }), 99);
  const ended = take(requests.follow(), 99);
  await send(emulator, 1);
  abort.abort();
  expect(await aborted).toHaveLength(1);
  await emulator.close();
  expect(await ended).toHaveLength(1);
});

itFull(
  'the stream of requests misses nothing of a burst that is larger than the journal, while its reader works',
  async () => {
    const emulator = await startEmulator({ data: { journal: 10 } });
    const records = emulator.controls.requests.follow();
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { seq } of records) {
        // Busy for a while with each, as a test might be.
        if (seen.length % 10 === 0) await call(emulator, 'GET', '/_emulator/clock');
        if (seen.push(seq) === 200) break;
      }
    })();
    await Promise.all(Array.from({ length: 10 }, () => send(emulator, 20)));
    await reading;
    expect(seen).toEqual(range(1, 200).map(Number));
  },
);

itFull('the stream of requests ends for a reader in process that has more than 1 MB unread', async () => {
  const emulator = await startWorld();
  const records = emulator.controls.requests.follow();
  const iterator = records[Symbol.asyncIterator]();
  const first = iterator.next();
  await send(emulator, 1);
  expect((await first).value).toMatchObject({ seq: 1 });
  const body = { name: 'x'.repeat(9_000) };
  for (let i = 0; i < 120; i++) await call(emulator, 'POST', '/api/v1/api-keys', body);
  await expect(iterator.next()).rejects.toThrow(/more than 1 MB behind/);
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
});

itFull(
  'the stream of requests misses no request that comes while it reads a long journal to find its beginning',
  async () => {
    const emulator = await startWorld();
    await Promise.all(Array.from({ length: 8 }, () => send(emulator, 100)));
    await emulator.controls.clock.advance('1h');
    const opening = open(emulator, '?since=10m');
    await call(emulator, 'GET', '/_emulator/health');
    await send(emulator, 10);
    const stream = await opening;
    const ids = (await stream.until(10)).map(({ id }) => id);
    expect(ids).toEqual(range(Number(ids[0]), Number(ids[0]) + 9));
    stream.close();
  },
);
