// Playwright starts the emulator, or uses the one that runs at CLOUDEMU_URL already.

import { defineConfig } from '@playwright/test';

// Who sets it means that emulator; what else runs at the usual port may be another directory's.
const isShared = (process.env.CLOUDEMU_URL ?? '') !== '';
if (!isShared) process.env.CLOUDEMU_URL = 'http://127.0.0.1:4747';
const { CLOUDEMU_URL = '' } = process.env;

export default defineConfig({
  fullyParallel: true,
  webServer: {
    command: `npx cloudemu start --ephemeral --quiet --port ${new URL(CLOUDEMU_URL).port} --receipt .cloudemu/receipt.json`,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 10_000 }, // the receipt is written at its end
    url: `${CLOUDEMU_URL}/_emulator/health`,
    reuseExistingServer: isShared,
  },
});
