// The whole corpus, and how a client of it is judged.

import { expect } from 'vitest';
import { startEmulator } from '../../../support/emulator.js';
import { backoffCases } from './backoff.js';
import { creatingCases } from './creating.js';
import { type Case, kitFor } from './kit.js';
import { retryAfterCases } from './retry-after.js';
import { watchingCases } from './watching.js';

export const corpus: readonly Case[] = [...retryAfterCases, ...backoffCases, ...watchingCases, ...creatingCases];

/** Runs a client against an emulator of its own, and compares the verdicts with those that are right. */
export async function judge({ settings, client, verdicts }: Case): Promise<void> {
  const emulator = await startEmulator(settings);
  const kit = kitFor(emulator);
  await client(kit);
  kit.close();
  const found = emulator.controls.verdicts().verdicts;
  const about = JSON.stringify(
    found.filter(({ verdict }) => verdict === 'fail' || verdict === 'unclear'),
    null,
    1,
  );
  for (const { rule, verdict } of found) {
    const right = verdicts[rule] ?? ['pass', 'not-exercised'];
    expect([right].flat(), `${rule}: ${about}`).toContain(verdict);
  }
  await emulator.close();
}
