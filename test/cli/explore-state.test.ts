// An exploration that was ended early, and what it leaves to the next one.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { exploreState } from '../../src/cli/explore/state.js';
import { itFull } from '../support/campaign.js';
import { run, tempDir } from '../support/command.js';

const client = fileURLToPath(new URL('../clients/three-tests.mjs', import.meta.url));

it('the kept state is what was tried without harm, for the same command only, until nothing is left', () => {
  const file = join(tempDir(), 'kept', 'explore.json');
  exploreState(file, ['npm', 'test']).save(['a 1', 'a 2'], false);
  expect([...exploreState(file, ['npm', 'run', 'other']).done]).toEqual([]);
  const next = exploreState(file, ['npm', 'test']);
  expect([...next.done]).toEqual(['a 1', 'a 2']);
  next.save(['a 3'], false);
  expect([...exploreState(file, ['npm', 'test']).done]).toEqual(['a 1', 'a 2', 'a 3']);
  next.save([], true);
  expect(existsSync(file)).toBe(false);
});

it('the kept state is nothing where the file is damaged', () => {
  const file = join(tempDir(), 'explore.json');
  writeFileSync(file, '{"key":');
  expect([...exploreState(file, []).done]).toEqual([]);
});

itFull('the kept state is skipped by the next call', async () => {
  const cwd = tempDir();
  const explore = async (budget: string) => {
    const flags = ['--budget', budget, '--json'];
    const { stdout } = await run(['explore', ...flags, '--', process.execPath, client, 'lists-well'], { cwd });
    return JSON.parse(stdout);
  };
  const first = await explore('1ms');
  expect(first).toMatchObject({ tried: 0, triedBefore: 0 });
  const all = first.notTried as string[];
  const file = join(cwd, '.cloudemu', 'explore.json');
  const kept = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...kept, done: all.slice(0, 3) }));
  const second = await explore('1ms');
  expect(second).toMatchObject({ triedBefore: 3, notTried: all.slice(3) });
});
