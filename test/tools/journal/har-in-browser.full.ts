// Playwright takes the journal as HAR.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startChromium } from '../../support/chromium.js';
import { tempDir } from '../../support/command.js';
import { call, startEmulator } from '../../support/emulator.js';

it('Playwright answers a page from an exported journal', async () => {
  const emulator = await startEmulator();
  await call(emulator, 'GET', '/api/v1/models');
  const file = join(tempDir(), 'tests.har');
  writeFileSync(file, JSON.stringify(emulator.controls.requests.export()));
  const browser = await startChromium();
  try {
    const page = await browser.newPage();
    await page.routeFromHAR(file, { notFound: 'abort' });
    const response = await page.goto(`${emulator.url}/api/v1/models`);
    expect(response?.status()).toBe(200);
    expect(await response?.json()).toMatchObject({ object: 'list' });
    await expect(page.goto(`${emulator.url}/api/v1/user`)).rejects.toThrow(/ERR_/);
  } finally {
    await browser.close();
  }
});
