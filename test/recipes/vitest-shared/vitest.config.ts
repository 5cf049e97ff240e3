// One emulator for all files: it starts before the first and ends after the last.

import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { globalSetup: 'cloudemu/vitest/setup' } });
