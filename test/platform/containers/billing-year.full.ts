// The cost of a year of daily billing.

import { expect, it } from 'vitest';
import { deploy, startEmulator } from '../../support/emulator.js';

it('daily billing of a hundred containers for a year takes work that grows with the days, not with their square', async () => {
  const emulator = await startEmulator({
    timing: 'instant',
    billing: { daily: true },
    quotas: { enabled: false },
    credits: { seeded: 1e6 },
    rateLimits: { enabled: false },
  });
  for (let n = 0; n < 100; n++) await deploy(emulator, { name: `n${n}`, project_name: `p${n}` });
  const workOf = async (days: number): Promise<number> => {
    const before = process.cpuUsage();
    await emulator.controls.clock.advance(`${days}d`);
    return process.cpuUsage(before).user / 1_000;
  };
  // Half a second a year is usual, but depends on the machine; a square would make the year cost a hundredfold.
  const few = await workOf(36);
  const year = await workOf(366);
  expect(year / few).toBeLessThan(25);
  expect(year).toBeLessThan(10_000);
  expect(emulator.controls.organizations.list()[0]?.credits).toBeCloseTo(1e6 - 50 - 40_200 * 0.67, 6);
});
