// A HAR of 200 MB is read entry by entry, in less than 400 MB of memory.

import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from '../../support/command.js';

const root = new URL('../../..', import.meta.url).pathname;

function writeHar(file: string, entries: number, bytes: number): void {
  const handle = openSync(file, 'w');
  const text = JSON.stringify({ success: true, data: ['y'.repeat(bytes)] });
  const entry = JSON.stringify({
    startedDateTime: '2026-03-01T10:00:00.000Z',
    time: 12,
    request: { method: 'GET', url: 'https://cloud.example.test/api/v1/containers', headers: [] },
    response: {
      status: 200,
      headers: [{ name: 'content-type', value: 'application/json' }],
      content: { mimeType: 'application/json', text },
    },
  });
  writeSync(handle, '{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[');
  for (let i = 0; i < entries; i++) writeSync(handle, `${i > 0 ? ',' : ''}${entry}`);
  writeSync(handle, ']}}');
  closeSync(handle);
}

it.each([
  [10_000, 20_000],
  [200, 1_000_000],
])('%d entries of %d bytes', async (entries, bytes) => {
  const dir = tempDir();
  const file = join(dir, 'large.har');
  writeHar(file, entries, bytes);
  const { build } = await import('esbuild');
  const bundle = join(dir, 'read.cjs');
  await build({
    stdin: {
      contents: `import { readRecording } from './src/tools/incidents/read.ts';
        readRecording(${JSON.stringify(file)}).then(({ exchanges, limits }) =>
          process.stdout.write(JSON.stringify({
            count: exchanges.length, limits, megabytes: process.resourceUsage().maxRSS / 1024,
          })));`,
      resolveDir: root,
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    outfile: bundle,
    external: ['better-sqlite3'],
    logLevel: 'error',
  });
  const said = JSON.parse(execFileSync(process.execPath, [bundle], { cwd: root, encoding: 'utf8' }));
  rmSync(file);
  expect(said.count).toBe(entries);
  expect(said.limits.join()).toMatch(/The bodies of \d+ requests are left out/);
  expect(said.megabytes).toBeLessThan(400);
});
