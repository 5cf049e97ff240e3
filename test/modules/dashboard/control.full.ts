// What people change from the dashboard, in a real Chromium: faults, limits, credits, replies of models, voices and jobs.

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/index.js';
import { startChromium } from '../../support/chromium.js';
import { openDashboard } from '../../support/dashboard.js';
import { call } from '../../support/emulator.js';

let browser: Browser;
const open: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  browser = await startChromium();
});
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});
afterAll(() => browser?.close());

async function start(view: string): Promise<{ emulator: Emulator; page: Page; troubles: string[] }> {
  const emulator = await createEmulator({ seed: 'control', clock: '2026-01-01T00:00:00Z', frozen: true });
  open.push(emulator);
  const dashboard = await openDashboard(browser, emulator.url, view);
  open.push(dashboard);
  await dashboard.page.getByText('Live', { exact: true }).waitFor();
  return { emulator, ...dashboard };
}

const row = (page: Page, text: string | RegExp) => page.getByRole('option').filter({ hasText: text });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

it('checks a fault rule against recent requests, adds it, counts its hits and removes it', async () => {
  const { emulator, page, troubles } = await start('faults');
  await call(emulator, 'GET', '/api/v1/containers');
  await call(emulator, 'GET', '/api/v1/agents');
  await page.getByText('No fault rules').waitFor();
  await page.locator('.view-tools').getByRole('button', { name: 'Add a rule' }).click();
  await page.getByLabel('Operation', { exact: true }).fill('containers.*');
  await page.getByLabel('Status', { exact: true }).fill('429');
  await press(page, 'Check it first');
  await page.getByText('It would have matched 1 of the last 2 requests.').waitFor();
  expect(emulator.controls.faults.list()).toEqual([]);
  await press(page, 'Add the rule');
  await row(page, 'containers.*').getByText('never').waitFor();
  await page.getByText('cloudemu faults remove fault_1').first().waitFor();
  expect((await call(emulator, 'GET', '/api/v1/containers')).status).toBe(429);
  await row(page, 'containers.*').getByText('spent').waitFor();
  await page.getByText('Requests on which it fired').waitFor();
  await press(page, 'Remove');
  await page.getByText('No fault rules').waitFor();
  expect(emulator.controls.faults.list()).toEqual([]);
  expect(troubles).toEqual([]);
});

it('fills in a rule from a request, by the link of its details', async () => {
  const { emulator, page } = await start('timeline');
  await call(emulator, 'GET', '/api/v1/containers');
  await row(page, '/api/v1/containers').click();
  await page.getByRole('link', { name: 'Arm another fault' }).click();
  await expect.poll(() => page.getByLabel('Operation', { exact: true }).inputValue()).toBe('containers.list');
});
