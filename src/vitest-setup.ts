// The fifth entry, `cloudemu/vitest/setup`: one emulator for all files of a run of Vitest, in its main process.

import type { CreateEmulatorOptions } from './index.js';
import { createEmulators, localUrl } from './testing/emulators.js';

/** What Vitest hands to a global setup: the project, the variables of whose workers the setup may add to. */
export interface SetupProject {
  readonly config: { env?: { CLOUDEMU_URL?: string | undefined } };
}

/** A global setup of Vitest; what it returns ends what it has begun. */
export type GlobalSetup = (project: SetupProject) => Promise<(() => Promise<void>) | undefined>;

const emulators = createEmulators((options) => import('./index.js').then((entry) => entry.createEmulator(options)));

/**
 * Creates a `globalSetup` that starts an emulator with these options and sets CLOUDEMU_URL to its URL in all test workers.
 * Projects with the same options share it. If CLOUDEMU_URL names a running emulator already, that one is used as it is.
 *
 * @example
 * // emulator.ts, which vitest.config.ts names: `globalSetup: './emulator.ts'`
 * export const setup = createSetup({ profile: 'elizacloud' });
 */
export function createSetup(options?: CreateEmulatorOptions): GlobalSetup {
  return async ({ config }) => {
    config.env ??= {};
    const { env } = config;
    if ((env.CLOUDEMU_URL ?? process.env.CLOUDEMU_URL ?? '') !== '') return undefined;
    const release = emulators.hold();
    try {
      // Of the project, not of this process: Vitest may start anew in it, and another project may have other options.
      env.CLOUDEMU_URL = localUrl(await emulators.of(options));
    } catch (error) {
      await release();
      throw error;
    }
    return async () => {
      delete env.CLOUDEMU_URL;
      await release();
    };
  };
}

/** The `globalSetup` without options: `test: { globalSetup: 'cloudemu/vitest/setup' }` in vitest.config.ts. */
export const setup: GlobalSetup = createSetup();
