// `cloudemu drift run --write`: settings with which the emulator says what the platform said.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { alternativesTo } from '../../src/tools/drift/overlay.js';
import { itFull } from '../support/campaign.js';
import { tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { closeStands, standIn, startPlatform } from '../support/drift.js';

afterEach(closeStands);

itFull('writes the settings of refuted assumptions, and with them nothing differs', async () => {
  const platform = await startPlatform('spec', true, 'platform', {
    rateLimits: { presets: { STANDARD: { limit: 30 } } },
  });
  const url = await standIn(platform, {
    // No setting of the emulator says so.
    change: (answer, { url: path }) => {
      if (path === '/api/v1/credits/balance') answer.body = answer.body.replace('"balance"', '"amount"');
    },
  });
  const cwd = tempDir();
  writeFileSync(join(cwd, 'package.json'), '{}');
  const drift = async (...flags: string[]) => {
    platform.controls.limits.release();
    const words = ['drift', 'run', '--against', url, '--key-from', 'PLATFORM_KEY', ...flags];
    return runHere(words, { cwd, env: { PLATFORM_KEY: platform.apiKey } });
  };
  await drift('--write');
  expect(existsSync(join(cwd, 'drift/overlay.json'))).toBe(false);
  const { code, stdout } = await drift('--write');
  expect(code).toBe(1);
  expect(stdout).toContain('SETTING  rateLimits.presets.STANDARD.limit = 30');
  expect(stdout).toContain('cloudemu start --config drift/overlay.json');
  expect(JSON.parse(readFileSync(join(cwd, 'drift/overlay.json'), 'utf8'))).toEqual({
    profile: 'spec',
    rateLimits: { presets: { STANDARD: { limit: 30 } } },
  });
  const after = await drift('--config', 'drift/overlay.json', '--json');
  expect(JSON.parse(after.stdout).findings.map(({ finding }: any) => finding)).toEqual([
    'account.balance /amount',
    'account.balance /balance',
  ]);
});

it.each([
  ['=30', '=60', 'limits.*', [{ path: 'limits.each', value: 30 }]],
  [
    '=3',
    '=25 or =5',
    'quotas.*',
    [
      { path: 'quotas.tiers', value: [1, 3, 25] },
      { path: 'quotas.tiers', value: [1, 5, 3] },
    ],
  ],
  [
    '"b"',
    '"a"',
    'errors.style',
    [
      { path: 'errors.style', value: 'b' },
      { path: 'errors.style', value: 'c' },
    ],
  ],
  ['403', '401', 'keys.inactive', [{ path: 'keys.inactive', value: 403 }]],
  ['nothing', 'int', 'strict.inputs', [{ path: 'strict.inputs', value: true }]],
  ['int', 'text', 'quotas.tiers', []],
])('where the platform says %s and the emulator %s, %s may be otherwise', (theirs, ours, setting, expected) => {
  const settings = {
    limits: { each: 60, all: 1000 },
    quotas: { tiers: [1, 5, 25] },
    errors: { style: 'a' },
    keys: { inactive: 401 },
    strict: { inputs: false },
  };
  const wordsOf = (path: string): string[] => (path === 'errors.style' ? ['a', 'b', 'c'] : []);
  expect(alternativesTo({ platform: theirs, emulator: ours }, setting, settings, wordsOf)).toEqual(expected);
});
