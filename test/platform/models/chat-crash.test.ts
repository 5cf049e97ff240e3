// A process that dies while a stream is under way: its reservation returns at the next start.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeEach, expect, it } from 'vitest';
import { createEmulator } from '../../../src/index.js';
import { ledgerProblems } from '../../campaigns/support/crash.js';
import { creditsOf, openChat } from '../../support/chat.js';
import { tempDir } from '../../support/command.js';
import { startEmulator } from '../../support/emulator.js';

let dir: string;
beforeEach(() => {
  dir = tempDir();
});

const slow = { text: 'One two three', delay: '1s', times: 3 };

it('a copy of a running world returns the reserved credits of a stream when it is opened', async () => {
  const first = await startEmulator({ dataDir: join(dir, 'first') });
  first.controls.replies.add(slow);
  const chats = await Promise.all([1, 2, 3].map(() => openChat(first, 'Count')));
  await Promise.all(chats.map((chat) => chat.until(1)));
  expect(creditsOf(first)).toBeLessThan(999.999);
  cpSync(join(dir, 'first'), join(dir, 'copy'), { recursive: true });
  const copy = await createEmulator({ dataDir: join(dir, 'copy') });
  expect(creditsOf(copy)).toBe(1_000);
  const released = copy.controls.ledger().filter(({ reason }) => reason === 'Chat completion: never ended');
  expect(released.map(({ type }) => type)).toEqual(['refund', 'refund', 'refund']);
  await copy.close();
  expect(ledgerProblems(join(dir, 'copy', 'world.db'))).toEqual([]);
});

it('an orderly end settles a stream that is under way, so that nothing is left for the next start', async () => {
  const first = await createEmulator({ dataDir: dir, clock: '2026-01-01T00:00:00Z', frozen: true });
  first.controls.replies.add({ ...slow, delay: '1s', times: 1 });
  const chat = await openChat(first, 'Count');
  await chat.until(1);
  await first.close();
  const again = await createEmulator({ dataDir: dir });
  const [, charge, refund, ...more] = again.controls.ledger();
  expect([charge?.type, refund?.reason, more]).toEqual(['charge', 'Chat completion: not used', []]);
  await again.close();
});

it('the start after kill -9 returns the reserved credits of a stream', async () => {
  const start = async () => {
    const args = ['dist/cli.cjs', 'start', '--port', '0', '--json', '--quiet', '--data-dir', dir];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return { child, ...(JSON.parse(line) as { url: string; apiKey: string }) };
  };
  const { child, url, apiKey } = await start();
  await fetch(`${url}/_emulator/replies`, { method: 'POST', body: JSON.stringify({ ...slow, delay: '1h' }) });
  const headers = { authorization: `Bearer ${apiKey}` };
  const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Count' }], stream: true });
  const streaming = await fetch(`${url}/api/v1/chat/completions`, { method: 'POST', headers, body });
  const balance = async (of: string) =>
    (await (await fetch(`${of}/api/v1/credits/balance`, { headers })).json()) as { balance: number };
  expect((await balance(url)).balance).toBeLessThan(999.99);
  child.kill('SIGKILL');
  await expect(streaming.text()).rejects.toThrow();
  const again = await start();
  expect(await balance(again.url)).toEqual({ balance: 1_000 });
  again.child.kill('SIGKILL');
  await once(again.child, 'exit');
  expect(ledgerProblems(join(dir, 'world.db'))).toEqual([]);
});
