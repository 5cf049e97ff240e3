// A machine on which no SQLite loads: a few lines that say what is missing and the command that mends it.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, run, tempDir } from '../support/command.js';

const isNode20 = process.versions.node.startsWith('20.');
const sqlite = isNode20 ? 'better-sqlite3-node20' : 'better-sqlite3';
const machine = `Node ${process.versions.node} (${process.platform}-${process.arch})`;
const why = isNode20
  ? 'Node 20 needs this older build of SQLite, which is downloaded or compiled; Node 22 and later need nothing more.'
  : 'SQLite comes ready for Linux, macOS and Windows on x64 and arm64; elsewhere it is compiled.';

/** The built command where nothing is installed, and then its SQLite package as `install` lays it there. */
function commandWith(install: (directory: string) => void): string {
  const dir = tempDir();
  const root = join(dirname(cli), '..');
  for (const part of ['dist', 'fixtures', 'package.json'])
    cpSync(join(root, part), join(dir, part), { recursive: true });
  install(join(dir, 'node_modules', sqlite));
  return join(dir, 'dist/cli.cjs');
}

describe('without SQLite', () => {
  it.each<[string, string[]]>([
    ['start', ['--ephemeral', '--port', '0']],
    ['run', ['happy-path', '--', 'true']],
  ])('%s names the package that is not installed', async (command, args) => {
    const outcome = await run([command, ...args], { cli: commandWith(() => undefined), cwd: tempDir() });
    const install = isNode20
      ? 'npm install better-sqlite3-node20@npm:better-sqlite3@12.11.1\nIn a clone of cloudemu, run: npm ci --foreground-scripts, which shows why npm left it out.'
      : 'npm install better-sqlite3@13.2.0';
    expect(outcome).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `SQLite does not load on ${machine}: ${sqlite}: the package is not installed.\n${why}\nRun: ${install}\n`,
    });
  });

  it('says when the package has no binary for this machine', async () => {
    const withoutBinary = commandWith((directory) => {
      mkdirSync(join(directory, 'lib'), { recursive: true });
      writeFileSync(join(directory, 'package.json'), '{ "name": "better-sqlite3" }');
      const binding = new URL('../../node_modules/better-sqlite3/lib/binding.js', import.meta.url);
      cpSync(binding, join(directory, 'lib/binding.js'));
    });
    const outcome = await run(['start', '--ephemeral', '--port', '0'], { cli: withoutBinary });
    const command = isNode20
      ? 'npm rebuild better-sqlite3-node20'
      : 'npm explore better-sqlite3 -- npm run build-release';
    expect(outcome).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `SQLite does not load on ${machine}: ${sqlite}: it has no binary for this machine.\n${why}\nRun: ${command}\n`,
    });
  });
});

describe('package-lock.json', () => {
  // npm forgets these when it writes the file anew: put them back by hand.
  const { packages } = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));

  it('keeps the SQLite of Node 20 off every other Node', () => {
    // npm leaves out an optional package whose engines do not fit: the package itself would claim Node 22 and later.
    expect(packages['node_modules/better-sqlite3-node20']).toMatchObject({
      version: '12.11.1',
      optional: true,
      engines: { node: '20.x' },
    });
  });

  it('lets npm 12 build the SQLite of Node 20', () => {
    // npm allows the script of one version (allowScripts in package.json) only where the lock file says whence that comes.
    const { resolved, version } = packages['node_modules/better-sqlite3-node20'];
    expect(resolved).toBe(`https://registry.npmjs.org/better-sqlite3/-/better-sqlite3-${version}.tgz`);
  });

  it('keeps npm 10 and 11 from compiling the SQLite that comes ready', () => {
    // Without it `npm ci` runs node-gyp for every package that has a binding.gyp.
    expect(packages['node_modules/better-sqlite3']).toMatchObject({ version: '13.2.0', gypfile: false });
  });
});
