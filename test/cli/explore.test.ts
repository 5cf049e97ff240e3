// `cloudemu explore`: what it says before it tries anything, and what it leaves out. What it finds is in explore.full.ts.

import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createWatch, timeOf } from '../../src/cli/explore/run-limit.js';
import type { RequestListener } from '../../src/tools/journal/hooks.js';
import { itFull } from '../support/campaign.js';
import { run, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';

const it = test.concurrent;
const client = fileURLToPath(new URL('../clients/three-tests.mjs', import.meta.url));
const node = process.execPath;

describe('a command that fails without faults', () => {
  it('ends the exploration with what it printed', async () => {
    const { code, stdout, stderr } = await runHere(['explore', '--', node, '-e', 'throw new Error("broken anyway")']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Without any fault `.*` ends with 1:$/m);
    expect(stderr).toContain('Error: broken anyway');
  });

  it('is told without a colon where it prints nothing', async () => {
    const { stderr } = await runHere(['explore', '--', 'false']);
    expect(stderr).toMatch(/^Without any fault `false` ends with 1, and prints nothing\.$/m);
  });

  itFull.concurrent('ends it also where no request comes', async () => {
    const { code, stderr } = await run(['explore', '--', node, '-e', '']);
    expect(code).toBe(2);
    expect(stderr).toContain('No request came: let the command send its requests to the URL in CLOUD_BASE_URL');
  });
});

it('refuses a budget for nothing', async () => {
  const { code, stderr } = await runHere(['explore', '--budget', '0', '--', 'true']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--budget must be more than 0, got "0"')]);
});

describe('what is not tried', () => {
  itFull.concurrent('is printed when the time is over', async () => {
    const flags = ['--budget', '1ms', '--json'];
    const cwd = tempDir();
    const { code, stdout } = await run(['explore', ...flags, '--', node, client, 'lists-well'], { cwd });
    const report = JSON.parse(stdout);
    // That nothing was found says nothing where little was tried.
    expect(code).toBe(3);
    expect(report).toMatchObject({ worlds: 1, requests: 1, points: 1, tried: 0, finds: [] });
    expect(report.notTried).toContain('lists-well containers.list 1 hang');
    expect(report.notTried).toHaveLength(9);
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

it('each run has the same limit: longer than clients usually wait, three times what it takes without faults', () => {
  const taken = { seconds: 11, gapMs: 1_200 };
  const limit = { idleMs: 32_000, startMs: 33_000, leastMs: 10_000, mostMs: 65_000 };
  expect(timeOf([taken], 1)).toEqual(limit);
  expect(timeOf([taken, { seconds: 1, gapMs: 20_000 }], 8)).toEqual({
    idleMs: 60_000,
    startMs: 60_000,
    leastMs: 60_000,
    mostMs: 33_000 + 2 * 60_000,
  });
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
