// Makes dist/cloudemu: the command, Node, SQLite and all data files in one file (`npm run package -- [--target linux-arm64]`).

import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import Module from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { inject } from 'postject';
import { warmUp } from './code-cache.mjs';
import { findNodes, host, run, targets } from './node-binary.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const { values } = parseArgs({ options: { target: { type: 'string', default: host } } });
const { target } = values;
if (!targets.includes(target)) {
  console.error(`--target must be one of ${targets.join(', ')}, got "${target}"`);
  process.exit(2);
}
const [platform] = target.split('-');
const output = join(
  root,
  'dist',
  `cloudemu${target === host ? '' : `-${target}`}${platform === 'win32' ? '.exe' : ''}`,
);

const folder = mkdtempSync(join(tmpdir(), 'cloudemu-package-'));
try {
  await makeExecutable();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function makeExecutable() {
  const nodes = findNodes(target, folder);
  const base = join(folder, 'node');
  copyFileSync(nodes.node, base);
  chmodSync(base, 0o755);
  strip(base);
  const assets = wrapped(findAssets());
  await build(nodes.preparing, base, assets);
  // The cache fits one build of V8 on one kind of processor, so that it takes a run of the executable itself.
  if (target === host) {
    const cache = join(folder, 'main.cache');
    await warmUp([output], { CLOUDEMU_WRITE_CODE_CACHE: cache });
    await build(nodes.preparing, base, { ...assets, 'dist/main.cache': cache });
  }
  const megabytes = Math.round(statSync(output).size / 1e6);
  console.log(`${output}: ${megabytes} MB, for ${target}`);
  if (platform === 'darwin' && target !== host) console.log('Sign it on a Mac before it runs: codesign --sign - FILE');
}

async function build(preparing, base, assets) {
  const blob = join(folder, 'blob');
  const config = join(folder, 'sea.json');
  writeFileSync(
    config,
    JSON.stringify({
      main: join(root, 'src/build/executable.cjs'),
      output: blob,
      assets,
      disableExperimentalSEAWarning: true,
      // A start makes some megabytes that stay. In a young generation of 16 MB it is over before they are collected: 95 instead
      // of 103 ms of CPU, and 1.43 instead of 1.52 times as long as bare node:http (2026-11-24).
      execArgv: ['--min-semi-space-size=16'],
      // The user's environment may hold options for other Nodes, which are not meant for this one.
      execArgvExtension: 'none',
    }),
  );
  run(preparing, ['--experimental-sea-config', config]);
  rmSync(output, { force: true });
  copyFileSync(base, output);
  if (platform === 'darwin' && target === host) run('codesign', ['--remove-signature', output]);
  await quietly(() =>
    inject(output, 'NODE_SEA_BLOB', readFileSync(blob), {
      sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
      machoSegmentName: 'NODE_SEA',
    }),
  );
  if (platform === 'darwin' && target === host) run('codesign', ['--sign', '-', output]);
}

// By its path in the package, the path of a file.
function findAssets() {
  const assets = { 'package.json': join(root, 'package.json') };
  for (const entry of readdirSync(join(root, 'fixtures'), { recursive: true, withFileTypes: true })) {
    // Sounds are for tests only.
    if (!entry.isFile() || !/\.(json|mp4)$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    assets[file.slice(root.length + 1).replaceAll('\\', '/')] = file;
  }
  for (const name of ['README.md', 'AGENTS.md']) assets[name] = join(root, name);
  for (const name of readdirSync(join(root, 'docs'), { recursive: true }))
    if (/\.(md|txt)$/.test(name)) assets[`docs/${name.replaceAll('\\', '/')}`] = join(root, 'docs', name);
  for (const name of readdirSync(join(root, 'dist/dashboard')))
    assets[`dist/dashboard/${name}`] = join(root, 'dist/dashboard', name);
  addBundle(assets, 'main.cjs');
  addBundle(assets, 'image-worker.cjs');
  const addon = join(root, 'node_modules/better-sqlite3/prebuilds', `${target}.node`);
  if (!existsSync(addon)) throw new Error(`better-sqlite3 has no binary for ${target}: ${addon}`);
  return { ...assets, 'better_sqlite3.node': addon };
}

// They become functions of a module, as Node itself would read them: at each start, that is two more copies of two megabytes.
// The bundle of a thread is read by Node.
function wrapped(assets) {
  const isLoaded = ([name]) => /^dist\/(?!image-worker).*\.cjs$/.test(name);
  const bundles = Object.entries(assets).filter(isLoaded);
  return {
    ...assets,
    ...Object.fromEntries(
      bundles.map(([name, file]) => {
        const copy = join(folder, basename(file));
        writeFileSync(copy, Module.wrap(readFileSync(file, 'latin1')), 'latin1');
        return [name, copy];
      }),
    ),
  };
}

// A bundle, and those that it names: they are loaded on first use, or run in a thread.
function addBundle(assets, name) {
  const file = join(root, 'dist', name);
  if (assets[`dist/${name}`] !== undefined || !existsSync(file)) return;
  assets[`dist/${name}`] = file;
  // Long lines are broken, in texts too.
  const text = readFileSync(file, 'latin1').replaceAll('\\\n', '');
  for (const [, other] of text.matchAll(/["/]([\w-]+\.cjs)"/g)) addBundle(assets, other);
}

// Symbols are a seventh of it. Only before the injection: afterwards stripping destroys what was injected.
function strip(file) {
  if (platform !== 'linux') return;
  try {
    run('strip', [file]);
  } catch {
    console.error('note: no strip that can do it; the executable is larger by its symbols');
  }
}

// The library prints warnings about the sections of Node's binaries, which mean nothing.
async function quietly(act) {
  const { warn, log } = console;
  console.warn = () => {};
  console.log = () => {};
  try {
    await act();
  } finally {
    Object.assign(console, { warn, log });
  }
}
