// `cloudemu requests follow`: a line for each thing, until Ctrl-C.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { cli, spawnCommand, startCommand, tempDir } from '../support/command.js';
import { type Served, startServed } from '../support/served.js';

const it = test.concurrent;
const sh = promisify(execFile);

/** Follows, and resolves when stdout matches. */
function following(emulator: Served, ...args: string[]) {
  const { child, out, ended } = spawnCommand([...args, '--url', emulator.url]);
  const until = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => (pattern.test(out.stdout) ? resolve(out.stdout) : undefined);
      child.stdout.on('data', look);
      void ended.then(({ stderr }) => reject(new Error(`ended before ${pattern}: ${stderr}`)));
      look();
    });
  return { child, ended, until };
}

const ask = (emulator: Served) => fetch(`${emulator.url}/api/v1/containers?x=1`);

it('requests follow prints requests as they come, and ends with code 130 on Ctrl-C', async () => {
  const emulator = await startServed();
  await ask(emulator);
  const { child, ended, until } = following(emulator, 'requests', 'follow', '--since', '0');
  await until(/^.*\n/);
  await ask(emulator);
  await fetch(`${emulator.control}/reset`, { method: 'POST' });
  const stdout = await until(/reset/);
  const request = '2030-01-01T00:00:00.000Z  request  401  GET /api/v1/containers  containers.list  \\d+ms';
  expect(stdout).toMatch(
    new RegExp(`^${request}\n${request}\n2030-01-01T00:00:00.000Z  marker  event=reset subject=-\n$`),
  );
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 130, stderr: 'Interrupted.\n' });
});

it('the command requests follow ends when nobody reads any more', async () => {
  const emulator = await startServed();
  for (let i = 0; i < 5; i++) await ask(emulator);
  const script = `'${process.execPath}' '${cli}' requests follow --since 0 --json --url ${emulator.url} | head -n 1`;
  const reading = sh('bash', ['-o', 'pipefail', '-c', script], { cwd: tempDir(), timeout: 20_000 });
  let isOver = false;
  void reading.finally(() => (isOver = true)).catch(() => {});
  while (!isOver) {
    await ask(emulator);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { stdout } = await reading;
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'request', seq: 1 });
});

it('the command requests follow says when the emulator ends', async () => {
  const emulator = await startCommand(['--ephemeral', '--quiet']);
  await ask(emulator);
  const { ended, until } = following(emulator, 'requests', 'follow', '--since', '0');
  await until(/GET/);
  await emulator.end();
  expect(await ended).toMatchObject({ code: 1, stderr: 'The emulator has ended the stream.\n' });
});
