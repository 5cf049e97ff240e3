// `cloudemu start --detach`: it returns when the emulator is ready, and `stop` ends what it left running.

import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunInfo } from '../../src/cli/run-file.js';
import { itFull, sampleOf } from '../support/campaign.js';
import { run, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { eventually } from '../support/eventually.js';

it('start --detach leaves an emulator running that answers at once and writes a private log, until stop ends it', async () => {
  const cwd = tempDir();
  const token = 'a-token-that-nobody-sees';
  const { code, stdout, stderr } = await run(['start', '--detach', '--port', '0', '--json', '--control-token', token], {
    cwd,
  });
  expect([code, stderr]).toEqual([0, '']);
  const { health, url, apiKey, log, pid } = JSON.parse(stdout) as RunInfo & { log: string };
  expect((await fetch(health)).status).toBe(200);
  await fetch(`${url}/api/v1/containers`, { headers: { authorization: `Bearer ${apiKey}` } });
  const config = (await (await fetch(`${url}/_emulator/config`)).json()) as any;
  expect(config.server.controlToken).toMatch(/^\*+$/);
  if (process.platform === 'linux') expect(readFileSync(`/proc/${pid}/cmdline`, 'latin1')).not.toContain(token);
  await eventually(() => /GET \/api\/v1\/containers 200/.test(readFileSync(log, 'utf8')));
  expect(statSync(log).mode & 0o777).toBe(0o600);
  const stopped = await runHere(['stop'], { cwd });
  expect([stopped.code, stopped.stdout]).toEqual([0, `Stopped the emulator at ${url} (pid ${pid}).\n`]);
  await expect(fetch(health)).rejects.toThrow();
});

it.each(
  sampleOf<[string, string[]]>(
    [
      ['.cloudemu', []],
      ['state', ['--data-dir', 'state']],
    ],
    2,
  ),
)('stop finds the emulator whose data in %s were removed, as git clean does', async (dir, named) => {
  const cwd = tempDir();
  const { pid, url } = JSON.parse(
    (await run(['start', '--detach', '--port', '0', '--json', ...named], { cwd })).stdout,
  ) as RunInfo;
  rmSync(join(cwd, dir), { recursive: true });
  const { code, stdout } = await runHere(['stop', ...named], { cwd });
  expect([code, stdout]).toEqual([0, `Stopped the emulator at ${url} (pid ${pid}).\n`]);
  await expect(fetch(url)).rejects.toThrow();
});

itFull('stop --url ends the emulator of another directory, which stop alone leaves', async () => {
  const { pid, url } = JSON.parse(
    (await run(['start', '--detach', '--port', '0', '--json', '--ephemeral'], { cwd: tempDir() })).stdout,
  ) as RunInfo;
  const elsewhere = tempDir();
  expect(await runHere(['stop'], { cwd: elsewhere })).toMatchObject({ code: 1 });
  expect((await fetch(`${url}/_emulator/health`)).status).toBe(200);
  const { code, stdout } = await runHere(['stop', '--url', url], { cwd: elsewhere });
  expect([code, stdout]).toEqual([0, `Stopped the emulator at ${url} (pid ${pid}).\n`]);
  await expect(fetch(url)).rejects.toThrow();
});
