// A platform that is an emulator with one other setting: what differs lies at the assumption that the setting is of.

import { afterEach, expect, it } from 'vitest';
import type { CreateEmulatorOptions } from '../../../src/index.js';
import { judged } from '../../../src/tools/drift/judge.js';
import { askBoth, startPlatform } from '../../support/drift.js';
import { closeEmulators } from '../../support/emulator.js';

afterEach(closeEmulators);

const settings: [string, CreateEmulatorOptions][] = [
  ['errors.envelope', { errors: { style: 'flat' } }],
  ['limits.headers', { rateLimits: { resetFormat: 'unix' } }],
  ['limits.bucket', { rateLimits: { multiplier: 2 } }],
  ['money', { credits: { perDollar: 50 } }],
  ['hostedAgents.billing', { hostedAgents: { runningHour: 0.5 } }],
];

it.each(settings)('%s', async (assumption, options) => {
  const platform = await startPlatform('spec', true, 'platform', options);
  const { questions, ours, theirs, documented } = await askBoth(platform, 'spec');
  const { differences } = judged(questions, ours, theirs, documented);
  const laid = differences.map((one) => one.assumption);
  expect(laid).toContain(assumption);
  // The limits that are documented rest on no assumption, and prices of hosted agents are shown by billing, too.
  const elsewhere = differences.filter((one) => one.assumption !== assumption && one.assumption !== null);
  expect(elsewhere.length, JSON.stringify(elsewhere)).toBeLessThanOrEqual(laid.length / 2);
});

it('a counter that is as large as an instant is none', async () => {
  const platform = await startPlatform('spec', true, 'platform', { containers: { timing: 'instant' } });
  const { questions, ours, theirs, documented } = await askBoth(platform, 'spec');
  expect(judged(questions, ours, theirs, documented).differences).toEqual([]);
});
