// `cloudemu explore --agent` on scripted agents: it finds each planted mistake, and none in those that are sound.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { run, tempDir } from '../support/command.js';

const client = fileURLToPath(new URL('../clients/agents.mjs', import.meta.url));

it('an agent that pays again or gives up is told from a sound one, and two reports are compared', async () => {
  const cwd = tempDir();
  const explore = async (...more: string[]) => {
    const tasks = 'sound-container,sound-key,pays-again-container,gives-up-key,cleans-up-key';
    const flags = ['--agent', '--repeat', '1', ...more];
    return run(['explore', ...flags, '--', process.execPath, client, tasks], { cwd });
  };
  const { code, stdout } = await explore('--json');
  const report = JSON.parse(stdout);
  const mistakesOf = (label: string): string[] => {
    const own = report.tried.filter((one: any) => one.label === label);
    expect(own.length).toBeGreaterThan(0);
    return [...new Set<string>(own.flatMap((one: any) => one.mistakes.map(({ kind }: any) => kind)))];
  };
  expect([mistakesOf('sound-container'), mistakesOf('sound-key')]).toEqual([[], []]);
  expect(mistakesOf('pays-again-container')).toContain('spent');
  expect(mistakesOf('gives-up-key')).toContain('gave up');
  expect(mistakesOf('cleans-up-key')).toContain('destroyed key');
  expect(report).toMatchObject({ agent: true, repeat: 1, withoutFaults: { runs: 1, failed: 0 } });
  expect(code).toBe(1);
  // The same agent again: nothing is surely worse.
  writeFileSync(join(cwd, 'before.json'), stdout);
  const again = await explore('--compare', 'before.json', '--runs', '6');
  expect(again.stdout).toMatch(/^A {2}pays-again-container: spent, at containers\.create$/m);
  expect(again.code).toBe(0);
});
