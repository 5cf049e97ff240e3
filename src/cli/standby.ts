// A temporary emulator, for commands whose output depends on the settings only.

import { operationIds, runEmulator } from '../app/emulator.js';
import { loadConfig } from '../config/load.js';
import type { Target } from './target.js';

/** Lets an emulator with the settings of the working directory answer: in memory, on a free port, and gone afterwards. */
export async function withStandby<T>(use: (target: Target) => Promise<T>): Promise<T> {
  const { config } = loadConfig({
    env: process.env,
    flags: { ephemeral: true, port: 0, host: '127.0.0.1', quiet: true },
    operations: operationIds,
  });
  const emulator = await runEmulator({
    config: { ...config, scenario: null, server: { ...config.server, publicUrl: null } },
  });
  try {
    const { url } = emulator;
    const from = 'started for this question';
    return await use({ url, local: url, from, run: undefined, token: undefined, isNamed: true });
  } finally {
    await emulator.close();
  }
}
