// `cloudemu container logs`: what is there, what comes, a restart of the emulator in between, and the end.

import { expect, test } from 'vitest';
import { freePort, spawnCommand, startCommand, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { type Served, startServed } from '../support/served.js';

const it = test.concurrent;

async function deploy({ url, apiKey, control }: Served): Promise<string> {
  const answer = await fetch(`${url}/api/v1/containers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ name: 'web', project_name: 'web', ecr_image_uri: '127.0.0.1:4747/acme/web:v1' }),
  });
  await advance(control);
  return ((await answer.json()) as { data: { id: string } }).data.id;
}

const advance = (control: string, by = '1m') =>
  fetch(`${control}/clock/advance`, { method: 'POST', body: JSON.stringify({ by }) });

function following(args: string[]) {
  const { child, out, ended } = spawnCommand(args);
  const until = (name: 'stdout' | 'stderr', pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => (pattern.test(out[name]) ? resolve(out[name]) : undefined);
      child[name].on('data', look);
      void ended.then(({ stderr }) => reject(new Error(`ended before ${pattern}: ${stderr}`)));
      look();
    });
  return { child, ended, until };
}

const options = ['--quiet', '--frozen', '--clock', '2030-01-01T00:00:00Z'];

it('container logs prints the last lines, and leaves no trace of it', async () => {
  const emulator = await startServed();
  await deploy(emulator);
  const { code, stdout } = await runHere(['container', 'logs', 'web', '--tail', '2', '--url', emulator.url]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^(2030-01-01T00:0\d:\d\d\.\d{3}Z {2}(info|warn|error) +\S.*\n){2}$/);
  const requests = (await (await fetch(`${emulator.control}/requests`)).json()) as { total: number };
  expect(requests.total).toBe(1);
});

it('container logs with -f goes on, over a restart of the emulator, until Ctrl-C', async () => {
  const dir = tempDir();
  const port = String(await freePort());
  const begin = () => startCommand(['--data-dir', dir, '--port', port, ...options]);
  let emulator = await begin();
  await deploy(emulator);
  const { child, ended, until } = following(['container', 'logs', 'web', '-f', '--data-dir', dir]);
  const seen = (await until('stdout', /\n/)).length;
  await emulator.end();
  await until('stderr', /^The emulator is no longer reachable: waiting until it is back\. Press Ctrl-C to stop\.$/m);
  emulator = await begin();
  await until('stderr', /^It is back\.$/m);
  await advance(emulator.control, '10m');
  const stdout = await until('stdout', /2030-01-01T00:1\d/);
  expect(stdout.length).toBeGreaterThan(seen);
  const lines = stdout.trimEnd().split('\n');
  expect(new Set(lines).size).toBe(lines.length);
  child.kill('SIGINT');
  expect((await ended).code).toBe(130);
});

it('container logs with -f ends when the container is deleted', async () => {
  const emulator = await startServed();
  const id = await deploy(emulator);
  const { ended, until } = following(['container', 'logs', 'web', '-f', '--json', '--url', emulator.url]);
  const [first = ''] = (await until('stdout', /\n/)).split('\n');
  expect(JSON.parse(first)).toMatchObject({ type: 'status', data: { status: 'pending' } });
  await fetch(`${emulator.url}/api/v1/containers/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${emulator.apiKey}` },
  });
  expect(await ended).toMatchObject({ code: 0, stderr: 'The container was deleted: its log has ended.\n' });
});
