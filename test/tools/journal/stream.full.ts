// The live journal under a long load: nothing missed by those who read, memory bounded by those who do not.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startCommand } from '../../support/command.js';
import { startEmulator } from '../../support/emulator.js';
import { loadWith, openIdle, openStream } from '../../support/sse.js';

const rssOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;

// In a process of its own: what other tests leave in this one would be counted as well.
it('the stream of requests misses nothing in twenty thousand, and stays small', async () => {
  const env = { CLOUDEMU_RATE_LIMITS_ENABLED: 'false' };
  const emulator = await startCommand(['--ephemeral', '--quiet'], { env });
  const idle = await Promise.all(Array.from({ length: 5 }, () => openIdle(emulator)));
  const abort = new AbortController();
  const stream = await fetch(`${emulator.url}/_emulator/requests/stream`, { signal: abort.signal });
  let [next, rest] = [1, ''];
  const reading = (async () => {
    for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) {
      const blocks = (rest + Buffer.from(chunk).toString('latin1')).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const id = /^id: (\d+)$/m.exec(block)?.[1];
        if (id !== undefined) expect(Number(id)).toBe(next++);
      }
      if (next > 20_000) return abort.abort();
    }
  })().catch((error: Error) => {
    if (!abort.signal.aborted) throw error;
  });
  await loadWith(emulator, 3_000);
  const before = rssOf(emulator.pid);
  await loadWith(emulator, 17_000);
  await reading;
  expect(next).toBe(20_001);
  expect(rssOf(emulator.pid) - before).toBeLessThan(200 * 1_024 * 1_024);
  for (const client of idle) {
    const ids = await client.readOn();
    expect(ids).toEqual(ids.map((_, i) => String(i + 1)));
    expect(ids.length).toBeLessThan(20_000);
  }
  const kept: any = await (await fetch(`${emulator.url}/_emulator/requests?limit=10000`)).json();
  expect([kept.requests.length, kept.dropped]).toEqual([1_000, 19_000]);
});

it('the stream of requests resumes after any number of breaks under load', async () => {
  const emulator = await startEmulator({ rateLimits: { enabled: false }, data: { journal: 10_000 } });
  const url = `${emulator.url}/_emulator/requests/stream`;
  const loading = loadWith(emulator, 5_000);
  const seen: number[] = [];
  for (let wanted = 1; seen.length < 5_000; wanted = (wanted * 7 + 3) % 97) {
    const stream = await openStream(url, { 'last-event-id': String(seen.at(-1) ?? 0) });
    const messages = await stream.until(Math.min(wanted + 1, 5_000 - seen.length));
    stream.close();
    seen.push(...messages.map(({ id }) => Number(id)));
  }
  await loading;
  expect(seen).toEqual(Array.from({ length: 5_000 }, (_, i) => i + 1));
});
