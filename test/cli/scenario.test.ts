// Scenarios on the command line: `start --scenario`, and the commands of the group.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Emulator } from '../../src/index.js';
import { scenarioJsonSchema } from '../../src/tools/scenarios/json-schema.js';
import { spawnCommand, startCommand, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { startEmulator } from '../support/emulator.js';

describe('start --scenario', () => {
  const containersOf = async ({ control }: { control: string }): Promise<number> =>
    ((await (await fetch(`${control}/containers`)).json()) as { total: number }).total;

  it('lets a new world begin with it, and says so', async () => {
    const { child, out, ended } = spawnCommand(['start', '--port', '0', '--ephemeral', '--scenario', 'quota-reached']);
    await new Promise<void>((resolve) => child.stdout.on('data', () => out.stdout.includes('Ctrl-C') && resolve()));
    child.kill('SIGTERM');
    await ended;
    expect(out.stdout).toMatch(/\n {2}Scenario +quota-reached\n/);
  });

  it('leaves a world alone that is there already', async () => {
    const cwd = tempDir();
    const first = await startCommand(['--quiet', '--scenario', 'quota-reached'], { cwd });
    expect(await containersOf(first)).toBe(5);
    await first.end();
    const second = await startCommand(['--quiet', '--scenario', 'crowded-account'], { cwd });
    await second.said(
      /^note: the world in .* keeps its data; --scenario is for a new one \(`cloudemu scenario apply crowded-account` resets the world to it\)\n/,
    );
    expect(await containersOf(second)).toBe(5);
    const third = await runHere(['scenario', 'apply', 'crowded-account'], { cwd });
    expect([third.code, third.stdout]).toEqual([
      0,
      expect.stringMatching(/^Started crowded-account: An account with a history\. The time is 20\S+Z\.\n$/),
    ]);
    expect(await containersOf(second)).toBe(10);
    await second.end();
    const other = await startCommand(['--quiet', '--profile', 'elizacloud'], { cwd });
    await other.said(
      /^note: the world in .* keeps keys and data of another profile; `cloudemu reset` begins it anew with elizacloud\n/,
    );
  });

  it('of a wrong one is refused before anything is written', async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, 'wrong.json'), '{"containers": [{"mode": "crash-lop"}]}');
    const { code, stdout, stderr } = await runHere(['start', '--port', '0', '--scenario', './wrong.json'], { cwd });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^--scenario: containers\[0\].mode must be a failure mode.*; did you mean "crash-loop"\?\n$/,
    );
    expect(existsSync(join(cwd, '.cloudemu/world.db'))).toBe(false);
  });
});

describe('the commands', () => {
  let emulator: Emulator;
  let dir: string;
  const cloudemu = (...args: string[]) => runHere([...args, '--url', emulator.url]);
  beforeEach(async () => {
    dir = tempDir();
    emulator = await startEmulator({ data: { scenarios: dir } });
  });

  it('list what there is, with what is wrong', async () => {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'mine.json'), '{"title": "My own", "containers": [{"mode": "none"}]}');
    const { stdout } = await cloudemu('scenario');
    expect(stdout).toMatch(/^name +title +problems +source\n/);
    expect(stdout).toMatch(
      /\nrough-day +A deployment fails, a response is lost, and requests are refused +- +shipped\n/,
    );
    expect(stdout).toMatch(/\nmine +- +containers\[0\].mode must be a failure mode.* own\n/);
  });

  it('show one as it is written', async () => {
    const { stdout } = await cloudemu('scenario', 'show', 'rough-day');
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync('fixtures/scenarios/rough-day.json', 'utf8')));
  });

  it('apply by name, from a file, from text, and add to what is there', async () => {
    expect((await cloudemu('scenario', 'apply', 'quota-reached')).stdout).toBe(
      'Started quota-reached: The quota of containers is used up. The time is 2026-01-01T00:00:00.000Z, and the clock is frozen.\n',
    );
    const file = join(dir, 'rule.json');
    writeFileSync(file, '{"title": "Slow", "faults": [{"effect": {"delay": "1ms"}}]}');
    expect((await cloudemu('scenario', 'apply', file, '--merge')).stdout).toBe(`Added ${file}: Slow.\n`);
    expect(emulator.controls.containers.list()).toHaveLength(5);
    expect(emulator.controls.faults.list()).toHaveLength(1);
    expect((await cloudemu('scenario', 'apply', '{}', '--json')).stdout).toContain('"merged":false');
    expect(emulator.controls.containers.list()).toHaveLength(0);
  });

  it('refuse a document that is written in YAML', async () => {
    const yaml = join(dir, 'slow.yaml');
    writeFileSync(yaml, 'title: Slow\n');
    expect(await cloudemu('scenario', 'apply', yaml)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/slow\.yaml must be written in JSON, not in YAML/),
    });
  });

  it('save the present state', async () => {
    const { stdout } = await cloudemu('scenario', 'save', 'now', '--title', 'Now');
    expect(stdout).toBe(`Wrote ${join(dir, 'now.json')}.\n`);
    expect(JSON.parse(readFileSync(join(dir, 'now.json'), 'utf8'))).toMatchObject({ title: 'Now' });
    expect((await cloudemu('scenario', 'apply', 'now')).code).toBe(0);
    emulator = await startEmulator();
    expect((await cloudemu('scenario', 'save', 'now')).stdout).toMatch(
      /^Saved now in memory: it is gone with the emulator/,
    );
  });

  it('have `verdicts` tell in every world whether it came as expected, with an exit code', async () => {
    await cloudemu('scenario', 'apply', '{"title": "T", "expect": {"requests": [{"operation": "agents.list"}]}}');
    const failed = await cloudemu('verdicts', '--fail-on', 'fail');
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(
      /^Scenario T\nfail {2}requests of agents\.list {2}0, expected at least 1\n {4}there was no such request\n/m,
    );
    expect((await cloudemu('verdicts')).code).toBe(0);
    const { baseUrl, apiKey } = await emulator.controls.worlds.create({ id: 'blue' });
    await fetch(`${baseUrl}/api/my-agents/characters`, { headers: { 'x-api-key': apiKey } });
    await emulator.fetch('/api/my-agents/characters', { headers: { 'x-api-key': emulator.apiKey } });
    const met = await cloudemu('verdicts', '--fail-on', 'fail', '--json');
    expect(met.code).toBe(0);
    expect(JSON.parse(met.stdout).expectations).toMatchObject([
      { what: 'requests of agents.list', ok: true, world: 'default', scenario: 'T' },
    ]);
    const there = await cloudemu('verdicts', '--world', 'gone');
    expect([there.code, there.stderr]).toEqual([1, expect.stringContaining('gone')]);
  });
});

it('the schema for editors is what is committed', async () => {
  const { stdout } = await runHere(['scenario', 'schema']);
  expect(JSON.parse(stdout)).toEqual(scenarioJsonSchema());
  const how =
    'regenerate it: node src/build/build.mjs --quick && node dist/cli.cjs scenario schema > fixtures/scenario.schema.json';
  expect(stdout === readFileSync('fixtures/scenario.schema.json', 'utf8'), how).toBe(true);
});
