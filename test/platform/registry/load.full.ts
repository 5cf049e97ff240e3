// A layer of two gigabytes while another client deploys: it is never held in memory. Prints the figures.

import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { LocalFetch } from '../../../src/core/local-fetch.js';
import { unlimited } from '../../campaigns/support/crash.js';
import { type RunningCommand, startCommand, tempDir } from '../../support/command.js';
import { logIn } from '../../support/oci.js';

const megabyte = 1_024 * 1_024;
const megabytes = 2_048;

async function writeLayer(path: string): Promise<void> {
  const file = await open(path, 'w');
  const piece = randomBytes(megabyte);
  for (let n = 0; n < megabytes; n++) {
    piece.writeUInt32LE(n);
    await file.write(piece);
  }
  await file.close();
}

/** Copies a file through Node's own SHA-256. */
async function copyHashing(from: string, to: string): Promise<{ digest: string; ms: number }> {
  const hash = createHash('sha256');
  const startedAt = performance.now();
  const hashing = new Transform({
    transform(piece, _encoding, done) {
      hash.update(piece);
      done(null, piece);
    },
  });
  await pipeline(createReadStream(from), hashing, createWriteStream(to));
  return { digest: `sha256:${hash.digest('hex')}`, ms: performance.now() - startedAt };
}

function rssOf(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}

const quantile = (figures: readonly number[], q: number): number =>
  [...figures].sort((a, b) => a - b)[Math.floor(figures.length * q)] ?? 0;

const inMs = (times: readonly number[], q: number): string => `${quantile(times, q).toFixed(1)} ms`;

/** Another client, which deploys, and looks at its quota between: the times of its requests, and the emulator's memory. */
interface OtherClient {
  ask(): Promise<void>;
  /** The times and the memory since the last call. */
  measured(): { times: number[]; rss: number[] };
}

function createOtherClient({ url, apiKey, child }: RunningCommand): OtherClient {
  const headers = { authorization: `Bearer ${apiKey}` };
  let times: number[] = [];
  let rss: number[] = [];
  let number = 0;
  return {
    async ask() {
      const name = `c${number}`;
      const body = JSON.stringify({ name, project_name: name, ecr_image_uri: 'elsewhere/app:v1' });
      const isNew = number++ % 10 === 0;
      const startedAt = performance.now();
      const init = isNew ? { method: 'POST', headers, body } : { headers };
      const answer = await fetch(`${url}/api/v1/containers${isNew ? '' : '/quota'}`, init);
      await answer.arrayBuffer();
      times.push(performance.now() - startedAt);
      expect(answer.status).toBeLessThan(300);
      rss.push(rssOf(child.pid ?? 0));
      await new Promise((resolve) => setTimeout(resolve, 5));
    },
    measured() {
      const measured = { times, rss };
      times = [];
      rss = [];
      return measured;
    },
  };
}

/** Transfers the layer with curl while another client asks; returns the speed in MB/s. */
async function transfer(args: readonly string[], ask: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  let isOver = false;
  const transferred = promisify(execFile)('curl', ['-sS', '-f', ...args]).finally(() => {
    isOver = true;
  });
  while (!isOver) await ask();
  await transferred;
  return megabytes / ((performance.now() - startedAt) / 1_000);
}

test.skipIf(process.platform !== 'linux')(
  '2 GB are pushed and pulled while another client deploys (needs Linux)',
  async () => {
    const dir = tempDir();
    const file = join(dir, 'layer');
    const copy = join(dir, 'copy');
    await writeLayer(file);
    const { digest, ms: copyMs } = await copyHashing(file, copy);
    rmSync(copy);
    const emulator = await startCommand(['--quiet'], { cwd: dir, env: unlimited });
    const { url, apiKey } = emulator;
    const platform = (path: string, init?: RequestInit) => fetch(url + path, init);
    const repository = await logIn({ url, apiKey, fetch: platform as LocalFetch });
    const { ask, measured } = createOtherClient(emulator);

    // Warm: what a process has anyway after as many requests as come during the transfers of a slow machine.
    for (let n = 0; n < 4_000; n++) await ask();
    const idle = measured();
    const before = Math.max(...idle.rss);
    const figures = [`idle: p99 ${inMs(idle.times, 0.99)}`];

    const target = `${url}${repository.path}/blobs`;
    const own = ['-H', `Authorization: ${repository.authorization}`];
    const commands: [what: string, args: string[]][] = [
      ['push', ['-X', 'POST', '-T', file, '-H', 'Expect:', `${target}/uploads?digest=${digest}`]],
      ['pull', ['-o', '/dev/null', `${target}/${digest}`]],
    ];
    const memory: number[] = [];
    for (const [what, args] of commands) {
      const speed = await transfer([...own, ...args], ask);
      const { times, rss } = measured();
      memory.push(...rss);
      figures.push(
        `${what}: ${speed.toFixed(0)} MB/s, ${times.length} other requests: p50 ${inMs(times, 0.5)}, p99 ${inMs(times, 0.99)}, most ${inMs(times, 1 - Number.EPSILON)}`,
      );
    }
    const [usual, most] = [quantile(memory, 0.5), Math.max(before, ...memory)];
    figures.push(
      `copying through node's sha256: ${(megabytes / (copyMs / 1_000)).toFixed(0)} MB/s`,
      `RSS: ${before.toFixed(0)} MB before, ${usual.toFixed(1)} usually, at most ${most.toFixed(0)} MB`,
    );
    console.info(figures.join('\n'));
    expect(usual - before).toBeLessThan(50);
    // The collector's leavings come and go with the machine's other work; a layer that is held would not.
    expect(most - before).toBeLessThan(megabytes / 20);
    await emulator.end();
  },
);
