// Pushes when the process is killed, or the disk is full: nothing is left that is half.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, it, test } from 'vitest';
import type { LocalFetch } from '../../src/core/local-fetch.js';
import { type RunningCommand, startCommand, tempDir } from '../support/command.js';
import { startEmulator } from '../support/emulator.js';
import { eventually } from '../support/eventually.js';
import { digestOf, image, layer, logIn, type Repository } from '../support/oci.js';

function logInTo({ url, apiKey }: RunningCommand): Promise<Repository> {
  const fetchFrom = (path: string, init: RequestInit) => fetch(url + path, init);
  return logIn({ url, apiKey, fetch: fetchFrom as LocalFetch });
}

const nameOf = ({ digest }: { digest: string }): string => digest.slice('sha256:'.length);
const big = layer('0123456789', 8_000_000);

describe('kill -9', () => {
  it('during an upload leaves no half blob, and the next start sweeps', async () => {
    const dir = tempDir();
    const files = (of: string): string[] => readdirSync(join(dir, '.cloudemu/registry', of));
    let emulator = await startCommand([], { cwd: dir });
    let repository = await logInTo(emulator);
    const kept = image({ layers: [layer('kept')] });
    await repository.push('v1', kept);
    const location = await repository.begin();
    const body = new PassThrough();
    body.write(big.bytes.subarray(0, 5_000_000));
    const sending = repository.send('PATCH', location, { body }).catch(() => 'broken');
    await expect
      .poll(async () => Number(String((await repository.send('GET', location)).headers.range).split('-')[1]))
      .toBeGreaterThan(4_000_000);
    // One is being sent as a whole.
    const whole = new PassThrough();
    whole.write(big.bytes.subarray(0, 5_000_000));
    const sendingWhole = repository
      .send('POST', `/blobs/uploads/?digest=${big.digest}`, { body: whole })
      .catch(() => 'broken');
    await eventually(() => files('uploads').length === 2);
    await emulator.end('SIGKILL');
    expect(await Promise.all([sending, sendingWhole])).toEqual(['broken', 'broken']);

    emulator = await startCommand([], { cwd: dir });
    repository = await logInTo(emulator);
    expect(existsSync(join(dir, '.cloudemu/registry/uploads')) ? files('uploads') : []).toEqual([]);
    expect(files('sha256').sort()).toEqual([...kept.blobs, kept].map(nameOf).sort());
    expect((await repository.send('GET', location)).status).toBe(404);
    expect((await repository.send('GET', `/blobs/${big.digest}`)).status).toBe(404);
    expect((await repository.send('GET', '/manifests/v1')).bytes).toEqual(kept.bytes);
    await repository.pushBlob(big);
    expect(digestOf((await repository.send('GET', `/blobs/${big.digest}`)).bytes)).toBe(big.digest);
    await emulator.end();
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    '%s of an emulator in memory removes what was pushed',
    async (signal) => {
      const emulator = await startCommand(['--ephemeral']);
      const own = (): string[] =>
        readdirSync(tmpdir()).filter((name) => name.startsWith(`cloudemu-images-${emulator.child.pid}-`));
      expect(own()).toEqual([]);
      await (await logInTo(emulator)).pushBlob(big);
      expect(own()).toHaveLength(1);
      await emulator.end(signal);
      await eventually(() => own().length === 0);
    },
  );
});

// A file system of its own, which nobody else fills: for that one has to be root, on Linux.
const dataDir = tempDir();
const disk = mounted(join(dataDir, 'registry'));
afterAll(() => {
  if (disk !== undefined) execFileSync('umount', ['--lazy', disk]);
});

function mounted(dir: string): string | undefined {
  mkdirSync(dir);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'cloudemu-test', dir], { stdio: 'ignore' });
    return dir;
  } catch {
    return undefined;
  }
}

test.skipIf(disk === undefined)(
  'a full disk refuses with the reason, keeps what was there, and goes on (needs mount)',
  async () => {
    // A history would keep the deleted blob.
    const repository = await logIn(await startEmulator({ dataDir, data: { history: 'off' } }));
    const files = (of: string): string[] => readdirSync(join(disk ?? '', of));
    const kept = image({ layers: [layer('kept', 100_000)] });
    await repository.push('v1', kept);

    const whole = await repository.send('POST', `/blobs/uploads/?digest=${big.digest}`, { body: big.bytes });
    expect([whole.status, whole.body.errors[0].code]).toEqual([503, 'UNAVAILABLE']);
    expect(whole.body.errors[0].message).toMatch(/no space left.*ENOSPC/);
    expect(files('uploads')).toEqual([]);

    // The bytes that came before it was full are kept, and can be gone on with once there is room.
    const fitting = layer('abcdefgh', 800_000);
    const filler = layer('filler', 500_000);
    await repository.pushBlob(filler);
    const location = await repository.begin();
    await repository.send('PATCH', location, { body: fitting.bytes.subarray(0, 100_000) });
    const refused = await repository.send('PATCH', location, { body: fitting.bytes.subarray(100_000) });
    expect(refused.status).toBe(503);
    const range = String((await repository.send('GET', location)).headers.range);
    const next = Number(range.split('-')[1]) + 1;
    expect(next).toBeGreaterThanOrEqual(100_000);
    await repository.send('DELETE', `/blobs/${filler.digest}`);
    await eventually(() => !files('sha256').includes(nameOf(filler)) && files('uploads').length === 1);
    const rest = await repository.send('PATCH', location, {
      headers: { 'Content-Range': `${next}-799999` },
      body: fitting.bytes.subarray(next),
    });
    expect(rest.status).toBe(202);
    expect((await repository.send('PUT', `${location}?digest=${fitting.digest}`)).status).toBe(201);
    expect(digestOf((await repository.send('GET', `/blobs/${fitting.digest}`)).bytes)).toBe(fitting.digest);
    expect((await repository.send('GET', '/manifests/v1')).bytes).toEqual(kept.bytes);
  },
);
