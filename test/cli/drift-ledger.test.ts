// What is said of assumptions: by the project's ledger, by the one that the package brings, and how old it is.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fixturePath } from '../../src/core/files.js';
import { after, ageWarning, emptyLedger, publishedLedger } from '../../src/tools/drift/ledger.js';
import { itFull } from '../support/campaign.js';
import { tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { closeStands, standIn, startPlatform } from '../support/drift.js';

let cwd: string;
beforeEach(() => {
  cwd = tempDir();
  writeFileSync(join(cwd, 'package.json'), '{}');
});
afterEach(closeStands);

const run = (words: string, env: Record<string, string> = {}) => runHere(words.split(' '), { cwd, env });

const old = '2025-01-02T00:00:00.000Z';

it('the package brings a ledger of states and dates, which is empty until somebody has asked the platform', async () => {
  const published: unknown = JSON.parse(readFileSync(fixturePath('ledger.json'), 'utf8'));
  expect(publishedLedger.strict().safeParse(published).data).toEqual({ profile: 'spec', assumptions: {} });
  const { assumptions } = JSON.parse((await run('assumptions --json')).stdout);
  expect(new Set(assumptions.map(({ state }: any) => state))).toEqual(new Set(['untested']));
});

it('the ledger of the project goes before, and says what was asked long ago', async () => {
  mkdirSync(join(cwd, 'drift'));
  const states = { state: 'confirmed', since: old, last: old, asked: 2 };
  const ledger = { ...emptyLedger('spec'), assumptions: { 'quotas.tiers': states } };
  writeFileSync(join(cwd, 'drift/ledger.json'), JSON.stringify(ledger));
  const { assumptions } = JSON.parse((await run('assumptions --json')).stdout);
  const warning = 'last asked on 2025-01-02, more than 30 days ago';
  expect(assumptions.find(({ id }: any) => id === 'quotas.tiers')).toMatchObject({ state: 'confirmed', warning });
  expect(assumptions.filter((one: any) => one.warning !== undefined)).toHaveLength(1);
  const shown = await run('drift show quotas.tiers');
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(warning)]);
});

itFull('a check against what was asked long ago warns, and does not fail; the platform’s version is kept', async () => {
  const platform = await startPlatform('spec', false);
  const url = await standIn(platform, {
    change: (answer, { url: path }) => {
      if (path === '/api/health') answer.body = answer.body.replace('{', '{"version":"2.0.1-beta",');
    },
  });
  await run(`drift run --against ${url} --key-from PLATFORM_KEY`, { PLATFORM_KEY: platform.apiKey });
  expect(JSON.parse(readFileSync(join(cwd, 'drift/ledger.json'), 'utf8')).version).toBe('2.0.1-beta');
  expect((await run('drift show')).stdout).toContain('The platform has the version 2.0.1-beta.');
  const file = join(cwd, 'drift/observed.json');
  const observed = JSON.parse(readFileSync(file, 'utf8'));
  delete observed.questions['platform.health as nobody'];
  expect((await check(observed)).stdout).not.toContain('last asked');
  for (const question of Object.values<any>(observed.questions)) question.last = old;
  const { code, stdout } = await check(observed);
  expect([code, stdout]).toEqual([0, expect.stringContaining('The platform was last asked on 2025-01-02')]);

  function check(content: object) {
    writeFileSync(file, JSON.stringify(content));
    return run('drift check --offline');
  }
});

it('thirty days are not long ago, and the version of the last run that saw one stays', () => {
  const now = Date.parse('2026-11-29T00:00:00Z');
  expect(ageWarning('2026-10-31T00:00:00Z', now)).toBeUndefined();
  expect(ageWarning('2026-10-29T00:00:00Z', now)).toMatch(/^last asked on 2026-10-29/);
  expect(ageWarning(undefined, now)).toBeUndefined();
  const seen = { at: old, profile: 'spec', differences: [], answered: new Set<string>(), touched: new Set<never>() };
  const first = after(emptyLedger('spec'), { ...seen, version: '1' });
  expect([after(first, seen).version, after(first, { ...seen, version: '2' }).version]).toEqual(['1', '2']);
});
