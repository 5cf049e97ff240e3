// V8's code cache: the package comes without one, and the first start or import with a Node keeps it for the next.

import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { endCommands, spawnCommand, startCommand, tempDir } from '../support/command.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cacheName = `main-${process.version}.cache`;

afterAll(endCommands);

// A package of the test's own, as it is installed.
function installed(): string {
  const folder = tempDir();
  mkdirSync(join(folder, 'dist'));
  for (const name of readdirSync(join(root, 'dist')))
    if (name.endsWith('.cjs')) copyFileSync(join(root, 'dist', name), join(folder, 'dist', name));
  cpSync(join(root, 'fixtures'), join(folder, 'fixtures'), { recursive: true });
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'dist');
}

const caches = (dist: string): string[] => readdirSync(dist).filter((name) => name.includes('.cache'));

it('the code cache is kept by the first start, and taken by the next', async () => {
  const dist = installed();
  const cli = join(dist, 'cli.cjs');
  expect((await spawnCommand(['start', '--help'], { cli }).ended).code).toBe(0);
  expect(caches(dist)).toEqual([]);
  await (await startCommand(['--ephemeral'], { cli })).end();
  expect(caches(dist)).toEqual([cacheName]);
  const kept = readFileSync(join(dist, cacheName));
  expect(kept.length).toBeGreaterThan(500_000);
  await (await startCommand(['--ephemeral'], { cli })).end();
  expect(readFileSync(join(dist, cacheName)).equals(kept)).toBe(true);
});

it('the code cache is made anew where it does not fit', async () => {
  const dist = installed();
  writeFileSync(join(dist, cacheName), 'of another V8');
  await (await startCommand(['--ephemeral'], { cli: join(dist, 'cli.cjs') })).end();
  expect(caches(dist)).toEqual([cacheName]);
  expect(readFileSync(join(dist, cacheName)).length).toBeGreaterThan(500_000);
});

it('the code cache is kept by the first import of the library, and taken by the next', () => {
  const dist = installed();
  const script = `require(${JSON.stringify(join(dist, 'index.cjs'))}).createEmulator().then((emulator) => emulator.close())`;
  execFileSync(process.execPath, ['-e', script]);
  const name = `emulator-${process.version}.cache`;
  expect(caches(dist)).toEqual([name]);
  const kept = readFileSync(join(dist, name));
  expect(kept.length).toBeGreaterThan(500_000);
  execFileSync(process.execPath, ['-e', script]);
  expect(readFileSync(join(dist, name)).equals(kept)).toBe(true);
});

it("the code cache leaves a test runner's own context the errors of that context", () => {
  const script = `
    const vm = require('node:vm');
    const context = vm.createContext({ process, console, Buffer, URL, setTimeout, clearTimeout, setImmediate, TextEncoder, TextDecoder, AbortController, structuredClone, queueMicrotask, performance });
    const { readFileSync } = require('node:fs');
    const { createRequire, wrap } = require('node:module');
    // Jest does so: each file runs in the context, and requires others there.
    const load = (file) => {
      const loaded = { exports: {} };
      const real = createRequire(file);
      const inside = (name) => (name.startsWith('.') || name.startsWith('/') ? load(real.resolve(name)) : real(name));
      inside.resolve = real.resolve;
      vm.runInContext(wrap(readFileSync(file, 'utf8')), context)(loaded.exports, inside, loaded, file, require('node:path').dirname(file));
      return loaded.exports;
    };
    const { ConfigError } = load(${JSON.stringify(join(root, 'dist/index.cjs'))});
    context.ConfigError = ConfigError;
    console.log(vm.runInContext('ConfigError.prototype instanceof Error', context));
  `;
  expect(String(execFileSync(process.execPath, ['-e', script])).trim()).toBe('true');
});
