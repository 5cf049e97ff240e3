// INITIAL_FREE_CREDITS: the platform's own variable beside the setting's.

import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.js';

const creditsOf = (env: Record<string, string>) => {
  const { config, warnings } = loadConfig({ file: null, env });
  return [config.credits.initialFree, warnings];
};

it.each([
  ['12', 12],
  ['0', 0],
  ['2.5', 2.5],
  [' 3 ', 3],
  ['', 5],
])('INITIAL_FREE_CREDITS of "%s" gives %d', (text, credits) =>
  expect(creditsOf({ INITIAL_FREE_CREDITS: text })).toEqual([credits, []]),
);

it.each(['-1', 'many', '1e3', '99999999999'])(
  'INITIAL_FREE_CREDITS of "%s" is reported and leaves the default',
  (text) => {
    const warning = `INITIAL_FREE_CREDITS is not an amount of credits, got "${text}": new wallets get the default`;
    expect(creditsOf({ INITIAL_FREE_CREDITS: text })).toEqual([5, [warning]]);
  },
);

it('INITIAL_FREE_CREDITS is overridden by the emulator’s own variable', () =>
  expect(creditsOf({ INITIAL_FREE_CREDITS: '1', CLOUDEMU_CREDITS_INITIAL_FREE: '2' })).toEqual([2, []]));
