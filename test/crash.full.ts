// Killing the process at any moment under load: nothing acknowledged is lost, and the ledger adds up.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { tempDir } from './support/command.js';
import { ledgerProblems } from './support/crash.js';

const dir = tempDir();

interface Running {
  child: ChildProcess;
  url: string;
  apiKey: string;
}

async function start(): Promise<Running> {
  const env = {
    ...process.env,
    CLOUDEMU_RATE_LIMITS_ENABLED: 'false',
    CLOUDEMU_QUOTAS_ENABLED: 'false',
    CLOUDEMU_CREDITS_SEEDED: '1000000',
  };
  const child = spawn(
    process.execPath,
    ['dist/cli.cjs', 'start', '--port', '0', '--json', '--quiet', '--data-dir', dir],
    {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [line] = (await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line')) as [string];
  return { child, ...(JSON.parse(line) as { url: string; apiKey: string }) };
}

const acknowledged = new Set<string>();

async function createUntilItDies({ url, apiKey }: Running, prefix: string, onAcknowledged: () => void): Promise<void> {
  for (let i = 0; ; i++) {
    const name = `${prefix}-${i}`;
    try {
      const answer = await fetch(`${url}/api/v1/containers`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}` },
        body: JSON.stringify({ name, project_name: name, ecr_image_uri: 'r/a:fail-exec-format' }),
      });
      if (answer.status === 202) {
        acknowledged.add(((await answer.json()) as { data: { id: string } }).data.id);
        onAcknowledged();
      }
    } catch {
      return;
    }
  }
}

it.each(Array.from({ length: 20 }, (_, run) => run))('kill -9 under load, run %i', async (run) => {
  const emulator = await start();
  // Where in the load it dies differs from run to run: after a number of answers, with others under way.
  let left = 3 + ((run * 37) % 90);
  const load = Array.from({ length: 8 }, (_, worker) =>
    createUntilItDies(emulator, `r${run}w${worker}`, () => {
      if (--left === 0) emulator.child.kill('SIGKILL');
    }),
  );
  await Promise.all(load);
  if (emulator.child.exitCode === null && emulator.child.signalCode === null) await once(emulator.child, 'exit');
  expect(ledgerProblems(join(dir, 'world.db'))).toEqual([]);

  const again = await start();
  const listed = await fetch(`${again.url}/api/v1/containers`, {
    headers: { authorization: `Bearer ${again.apiKey}` },
  });
  const ids = new Set(((await listed.json()) as { data: { id: string }[] }).data.map((container) => container.id));
  expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([]);
  again.child.kill('SIGKILL');
  await once(again.child, 'exit');
});
