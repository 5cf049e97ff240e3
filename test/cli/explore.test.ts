// `cloudemu explore`: what it says before it tries anything, and what it leaves out. What it finds is in explore.full.ts.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { fittingJobs } from '../../src/cli/explore/jobs.js';
import { createPace, inParallel } from '../../src/cli/explore/pace.js';
import { createWatch } from '../../src/cli/explore/run-limit.js';
import type { RequestListener } from '../../src/modules/journal/hooks.js';
import { itFull } from '../support/campaign.js';
import { run, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';

const it = test.concurrent;
const client = fileURLToPath(new URL('../clients/three-tests.mjs', import.meta.url));
const node = process.execPath;

describe('a command that fails without faults', () => {
  it('ends the exploration with what it printed', async () => {
    const { code, stdout, stderr } = await run(['explore', '--', node, '-e', 'throw new Error("broken anyway")']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Without any fault `.*` ends with 1:$/m);
    expect(stderr).toContain('Error: broken anyway');
  });

  itFull.concurrent('ends it also where no request comes', async () => {
    const { code, stderr } = await run(['explore', '--', node, '-e', '']);
    expect(code).toBe(2);
    expect(stderr).toContain('No request came: let the command send its requests to the URL in CLOUD_BASE_URL');
  });
});

describe('what is not tried', () => {
  it('is printed when the time is over, and again where somebody asks for the last report', async () => {
    const flags = ['--budget', '0', '--json'];
    const cwd = tempDir();
    const { code, stdout } = await run(['explore', ...flags, '--', node, client, 'lists-well'], { cwd });
    const report = JSON.parse(stdout);
    // That nothing was found says nothing where little was tried.
    expect(code).toBe(3);
    expect(report).toMatchObject({ worlds: 1, requests: 1, points: 1, tried: 0, finds: [] });
    expect(report.notTried).toContain('lists-well containers.list 1 hang');
    expect(report.notTried).toHaveLength(9);
    const last = JSON.parse((await run(['exploration', '--json'], { cwd })).stdout);
    expect(last).toEqual({ at: expect.stringMatching(/^\d{4}-.*Z$/), report });
    // One that was kept elsewhere is checked and shown where no emulator runs.
    writeFileSync(join(cwd, 'kept.json'), stdout);
    const kept = JSON.parse((await run(['exploration', 'check', 'kept.json', '--json'], { cwd })).stdout);
    expect(kept).toEqual({ at: null, report });
  });
});

itFull('explore tries as many faults as it is asked to, which the seed draws', async () => {
  const cwd = tempDir();
  const sampled = async (seed: string): Promise<any> => {
    const flags = ['--sample', '2', '--seed', seed, '--json'];
    const { code, stdout } = await run(['explore', ...flags, '--', node, client, 'lists-well'], { cwd });
    return { code, ...JSON.parse(stdout) };
  };
  const one = await sampled('one');
  expect([one.code, one.tried, one.notTried]).toEqual([0, 2, []]);
  const faultsOf = ({ matrix }: any): string[] => Object.keys(matrix[0].faults);
  expect(faultsOf(await sampled('two'))).not.toEqual(faultsOf(one));
});

it.each([
  ['--sample', '0', '--sample must be a number of faults from 1 to 1,000,000, got "0"'],
  ['--jobs', 'many', '--jobs must be a number of runs from 1 to 64, got "many"'],
  ['--repeat', '3', '--repeat means nothing without --agent: leave it out'],
  ['--agent --depth', '2', '--depth means nothing with --agent: leave it out'],
  ['--agent --sample', '5', '--sample means nothing with --agent: leave it out'],
  ['--agent --repeat', 'often', '--repeat must be a number of runs from 1 to 1,000, got "often"'],
  [
    '--agent --compare',
    'none.json',
    '--compare must be a report that `explore --agent --json` has printed, got none.json',
  ],
])('explore refuses %s %s', async (flag, value, message) => {
  const { code, stderr } = await runHere(['explore', ...flag.split(' '), value, '--', node, client]);
  expect([code, stderr]).toEqual([2, `${message}\n`]);
});

it('explore starts more runs of a command that waits, and one a core of one that computes', () => {
  expect(fittingJobs(2, 4_000, 4_000)).toBe(2);
  expect(fittingJobs(2, 1_000, 4_000, 1e9)).toBe(8);
  expect(fittingJobs(2, 10, 4_000, 16e9)).toBe(24);
  expect(fittingJobs(2, 10, 4_000, 6e9)).toBe(20);
  expect(fittingJobs(2, 10, 4_000, 1e9)).toBe(12);
  expect(fittingJobs(16, 10, 4_000, 1e9)).toBe(16);
  expect(fittingJobs(2, 0, 0, 16e9)).toBe(24);
});

it('explore refuses a budget that is no duration', async () => {
  const { code, stderr } = await runHere(['explore', '--budget', 'soon', '--', node, client]);
  expect([code, stderr]).toEqual([2, '--budget must be a duration such as "5m", "90s" or milliseconds, got "soon"\n']);
});

it('explore refuses a scenario that does not exist before it runs anything', async () => {
  const { code, stderr } = await runHere(['explore', '--scenario', 'none-of-these', '--', node, client]);
  expect([code, stderr]).toEqual([
    2,
    'scenario: There is no scenario "none-of-these" (`cloudemu scenario list` shows them)\n',
  ]);
});

it('explore makes more runs at a time, and fewer again, as it sees how busy they keep the cores', async () => {
  let jobs = 1;
  let open = 0;
  let left = 30;
  const seen: number[] = [];
  await inParallel(
    () => jobs,
    async () => {
      if (left-- <= 0) return false;
      seen.push(++open);
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      open--;
      jobs = left > 20 ? 1 : left > 10 ? 4 : 2;
      return true;
    },
  );
  expect(seen).toHaveLength(30);
  expect(Math.max(...seen.slice(0, 9))).toBe(1);
  expect(Math.max(...seen.slice(10, 20))).toBe(4);
  expect(Math.max(...seen.slice(-5))).toBe(2);
});

it('a run gets three times the longest wait of a run without faults, and a finding is tried again for longer than clients usually wait', () => {
  const pace = createPace([{ seconds: 11, gapMs: 1_200 }], 5_000);
  expect(pace.limit(1, false)).toEqual({ idleMs: 5_000, startMs: 33_000, leastMs: 5_000, mostMs: 4 * 33_000 });
  expect(pace.limit(10, true)).toEqual({
    idleMs: 32_000,
    startMs: 99_000,
    leastMs: 10_000,
    mostMs: 10 * 99_000,
  });
  for (const gapMs of [4_000, 20_000, 3_000]) pace.note({ seconds: 30, gapMs });
  expect(pace.limit(1, false)).toMatchObject({ idleMs: 60_000, mostMs: 4 * 90_000 });
  expect(pace.limit(1, true)).toMatchObject({ idleMs: 180_000, leastMs: 120_000 });
  for (let i = 0; i < 6; i++) pace.note({ seconds: 1, gapMs: 10 });
  expect([pace.limit(1, false).idleMs, pace.longestMs()]).toEqual([5_000, 1_000]);
});

it('the longest wait of a run is the longest time without a request or output, from its start to its end', async () => {
  const watch = createWatch(undefined);
  await new Promise((resolve) => setTimeout(resolve, 60));
  watch.output();
  const first = watch.longestGapMs();
  watch.output();
  expect(first).toBeGreaterThanOrEqual(55);
  expect(watch.longestGapMs()).toBe(first);
  await new Promise((resolve) => setTimeout(resolve, Math.ceil(first) + 30));
  expect(watch.longestGapMs()).toBeGreaterThan(first);
});

it('a run is ended when it does not get on, but not before its first request because others start beside it', async () => {
  const watch = createWatch({ idleMs: 100, startMs: 60_000, mostMs: 90_000, mostRequests: 5, leastMs: 1 });
  const { moreMs = () => 0 } = watch.limit;
  watch.output();
  await new Promise((resolve) => setTimeout(resolve, 130));
  expect(moreMs()).toBeGreaterThan(0);
  watch.request({} as Parameters<RequestListener>[0], 'one');
  expect(moreMs()).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 130));
  expect(moreMs()).toBeLessThanOrEqual(0);
});
