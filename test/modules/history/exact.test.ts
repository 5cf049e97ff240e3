// A fork at any point of a history is the world that takes the same steps up to there, and both go on in the same way.

import { afterEach, describe, expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { isFull } from '../../support/campaign.js';
import { closeEmulators, type Platform, startEmulator } from '../../support/emulator.js';
import { randomSteps, rowsOf } from '../../support/random-history.js';

afterEach(closeEmulators);

const each = 10;
const goesOn = 20;
const [histories, length] = isFull ? [300, 200] : [4, 60];

/** The newest point, where there is one. */
const lastPoint = ({ controls }: Platform): number | null => controls.history.list({ limit: 1 }).last;

async function follow(emulator: Emulator, seed: string): Promise<void> {
  const start = { seed, clock: { start: '2026-01-01T00:00:00Z', frozen: true } };
  const source = await emulator.createWorld(start);
  const steps = randomSteps(seed, length);
  const seen: string[] = [];
  const points: (number | null)[] = [];
  for (const step of steps) {
    seen.push(await step(source));
    points.push(lastPoint(source));
  }
  // The same steps once more, without a look back.
  const twin = await emulator.createWorld(start);
  for (const [index, step] of steps.entries()) {
    const what = `${seed}, step ${index + 1}`;
    expect(await step(twin), what).toBe(seen[index]);
    const point = points[index];
    if ((index + 1) % each !== 0 || typeof point !== 'number') continue;
    const fork = await emulator.createWorld({ at: { world: source.id, point } });
    expect(rowsOf(fork), what).toEqual(rowsOf(twin));
    for (let next = index + 1; next <= index + goesOn && next < length; next++)
      expect(await steps[next]?.(fork), `${what}, then ${next + 1}`).toBe(seen[next]);
    fork.close();
  }
  source.close();
  twin.close();
}

describe('a world that is forked from a history', () => {
  it(`is as after the same steps, in ${histories} histories of ${length} steps`, async () => {
    const emulator = await startEmulator();
    for (let number = 1; number <= histories; number++) await follow(emulator, `history ${number}`);
  });
});
