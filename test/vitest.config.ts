// How tests run: `npm test` the usual ones, `npm run test:full` what that leaves out: the long ones (*.full.ts), and those of
// which test/support/campaign.ts draws a part.

import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { leftToOthers } from './support/shard.js';
import { varyingTests } from './support/varying.js';

const full = process.env.CLOUDEMU_TEST_FULL === '1';
// Too long for every run: `npm run test:long`.
const long = process.env.CLOUDEMU_TEST_LONG === '1';
// They explore clients that wait a second or a few, or record them to the millisecond: only with nothing beside them.
const alone = [
  'test/explore-suite/*.full.ts',
  'test/cli/explore.full.ts',
  'test/cli/explore-judged.full.ts',
  'test/tools/incidents/hidden-truth.full.ts',
];
const beside = () => [...varyingTests(), 'test/**/*.full.ts'];

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    ...(full && !long
      ? {
          projects: [
            {
              extends: true,
              test: {
                name: 'full',
                include: beside(),
                exclude: [...configDefaults.exclude, ...alone, ...leftToOthers],
                sequence: { groupOrder: 0 },
              },
            },
            {
              extends: true,
              test: {
                name: 'alone',
                include: alone,
                exclude: [...configDefaults.exclude, ...leftToOthers],
                maxWorkers: 1,
                sequence: { groupOrder: 1 },
              },
            },
          ],
        }
      : { include: [long ? 'test/**/*.long.ts' : 'test/**/*.test.ts'] }),
    // No module of the project holds state, so files can share them: loading them anew took half of the time.
    isolate: false,
    // More than can run: tests wait for processes that they start, and for faults that take time. The long ones start many.
    maxWorkers: availableParallelism() + (full ? 1 : 2),
    setupFiles: ['test/support/setup.ts'],
    // For what hangs: a busy machine may be slow.
    testTimeout: full ? 300_000 : 120_000,
    hookTimeout: full ? 300_000 : 120_000,
    expect: { poll: { timeout: 15_000 } },
    sequence: { shuffle: true },
    // The transformed sources are kept between runs, by their content: three CPU seconds of a run.
    experimental: { fsModuleCache: true },
  },
});
