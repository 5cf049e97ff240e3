// `cloudemu start` when it cannot: one line that says why and what to do, exit code 2, no stack trace.

import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSqlite } from '../../src/db/sqlite.js';
import { type RunningCommand, startCommand, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';

const it = test.concurrent;

const oneLine = /^[^\n]+\n$/;

let shared: Promise<RunningCommand> | undefined;

/** An emulator that stands in the way. */
function aHolder(): Promise<RunningCommand> {
  shared ??= startCommand();
  return shared;
}

describe('a taken port', () => {
  it('is reported in one line, with its holder where the system names it', async () => {
    // The holder ends what it does not understand; whether one that never answers is an emulator takes five seconds.
    const server = createServer((socket) => void socket.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const { code, stdout, stderr } = await runHere(['start', '--port', String(port), '--ephemeral']);
    server.close();
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      new RegExp(
        `^Port ${port} is taken( by .+ \\(pid ${process.pid}\\))?\\. Choose another with --port, or --port 0 for a free one\\.\\n$`,
      ),
    );
  });

  it('is told to be another emulator’s', async () => {
    const { port } = await aHolder();
    const { code, stderr } = await runHere(['start', '--port', String(port), '--ephemeral']);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`^Port ${port} is taken by another cloudemu(: node \\(pid \\d+\\))?\\. `));
    expect(stderr).toMatch(oneLine);
  });
});

it.each(['its port', 'its data'])(
  'a start in the directory of one that runs, with %s, names it, with what to do',
  async (what) => {
    const { dir, url, pid, port } = await aHolder();
    const words = what === 'its port' ? ['--port', String(port), '--ephemeral'] : ['--port', '0'];
    expect(await runHere(['start', ...words], { cwd: dir })).toEqual({
      code: 2,
      stdout: '',
      stderr: `An emulator is already running here: ${url} (pid ${pid}). Use it, stop it with \`cloudemu stop\`, or start another with --ephemeral --port 0.\n`,
    });
  },
);

describe('a data directory', () => {
  it('in use by one that no run file names, of another seed, or emptied is refused, and left as it is', async () => {
    const { dir, end } = await startCommand(['--seed', 'a']);
    const refused = async (...flags: string[]): Promise<string> => {
      const { code, stderr } = await runHere(['start', '--port', '0', ...flags], { cwd: dir });
      expect([code, stderr]).toEqual([2, expect.stringMatching(oneLine)]);
      return stderr;
    };
    rmSync(join(dir, '.cloudemu/run.json'));
    expect(await refused()).toContain(`${dir}/.cloudemu is in use by another cloudemu.`);
    await end();
    expect(await refused('--seed', 'b')).toMatch(
      /was created with another seed\. Leave --seed out, choose another --data-dir/,
    );
    const file = join(dir, '.cloudemu/world.db');
    truncateSync(file);
    expect(await refused()).toBe(
      `${file} cannot be used: it is empty: what it held is gone. Put a copy of it back, or delete it to begin a new world.\n`,
    );
    expect(statSync(file).size).toBe(0);
    rmSync(file);
    await startCommand([], { cwd: dir });
  });

  // Node's own recursive mkdir would not return.
  test.skipIf(process.platform !== 'linux')('in /proc is refused', async () => {
    const dir = '/proc/cloudemu/data';
    const { code, stderr } = await runHere(['start', '--port', '0', '--data-dir', dir]);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `The data directory ${dir} cannot be used: no directory can be made there. Choose another --data-dir, or --ephemeral.\n`,
    );
  });

  test.skipIf(process.getuid?.() === 0)('that cannot be written is refused', async () => {
    const cwd = tempDir();
    mkdirSync(join(cwd, 'data'), { mode: 0o500 });
    const { code, stderr } = await runHere(['start', '--port', '0', '--data-dir', 'data'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/cannot be used: this user may not write there\. Choose another --data-dir/);
  });

  it('with a file that is no database is refused', async () => {
    const cwd = tempDir();
    mkdirSync(join(cwd, '.cloudemu'));
    writeFileSync(join(cwd, '.cloudemu/world.db'), 'this is surely not a database, and long enough to be seen as none');
    const { code, stderr } = await runHere(['start', '--port', '0'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/world\.db cannot be used: .*file is not a database\..* or put a copy of the file back\.$/m);
    expect(stderr).toMatch(oneLine);
  });

  it('with a database of another program is refused, and left as it is', async () => {
    const cwd = tempDir();
    mkdirSync(join(cwd, '.cloudemu'));
    const file = join(cwd, '.cloudemu/world.db');
    const other = openSqlite(file);
    other.exec('CREATE TABLE theirs (x)');
    other.close();
    const before = readFileSync(file);
    const { code, stderr } = await runHere(['start', '--port', '0'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/world\.db cannot be used: it does not hold a world\. Choose another --data-dir/);
    expect(readFileSync(file)).toEqual(before);
  });

  it('with a folder where the database should be is refused', async () => {
    const cwd = tempDir();
    mkdirSync(join(cwd, '.cloudemu/world.db'), { recursive: true });
    const { code, stderr } = await runHere(['start', '--port', '0'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/world\.db is no regular file, and cloudemu keeps its data in such files\. Delete it/);
    expect(stderr).toMatch(oneLine);
  });
});
