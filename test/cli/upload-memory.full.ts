// Uploads of 25 MB, and of more, in a process of its own: its memory stays flat, and nothing of them stays behind.

import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { expect, it, vi } from 'vitest';
import { startCommand } from '../support/command.js';
import { sample } from '../support/voice.js';

const mega = 1_024 * 1_024;
const boundary = 'b0undary';

function* form(megabytes: number): Iterable<Buffer> {
  const piece = Buffer.alloc(mega);
  yield Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="audio"; filename="a.wav"\r\n\r\n`);
  yield sample();
  yield piece.subarray(0, mega - sample().length);
  for (let i = 1; i < megabytes; i++) yield piece;
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

function upload(port: number, apiKey: string, megabytes: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const req = request({
      host: '127.0.0.1',
      port,
      path: '/api/v1/voice/stt',
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
    });
    req.on('response', (res) => res.resume().on('end', () => resolve(res.statusCode ?? 0)));
    req.on('error', reject);
    void (async () => {
      for (const piece of form(megabytes))
        if (!req.write(piece)) await new Promise((drained) => req.once('drain', drained));
      req.end();
    })();
  });
}

/** The most memory that a process has had, in bytes. */
const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;

const leftBehind = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('cloudemu-upload-'));

it.skipIf(process.platform !== 'linux')('the process takes a gigabyte of uploads in a flat memory', async () => {
  const command = await startCommand(['--seed', '42'], { env: { CLOUDEMU_CREDITS_SEEDED: '100000' } });
  const { port, apiKey } = command;
  expect(await upload(port, apiKey, 25)).toBe(200);
  const peak = peakOf(command.pid);
  for (let round = 0; round < 10; round++) {
    const sizes = [25, 26, 25, 40];
    const statuses = await Promise.all(sizes.map((size) => upload(port, apiKey, size)));
    expect(statuses).toEqual([200, 413, 200, 413]);
  }
  expect(peakOf(command.pid) - peak).toBeLessThan(160 * mega);
  await vi.waitFor(() => expect(leftBehind()).toEqual([]), 15_000);
});
