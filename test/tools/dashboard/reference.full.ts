// The reference in a real Chromium: both documents, an operation tried, what it takes and costs, no barrier of ours.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/index.js';
import { startChromium } from '../../support/chromium.js';
import { openPage, violationsOf } from '../../support/dashboard.js';
import { call } from '../../support/emulator.js';

let emulator: Emulator;
let browser: Browser;

beforeAll(async () => {
  emulator = await createEmulator({ seed: 'reference', clock: '2026-01-01T00:00:00Z', frozen: true });
  await emulator.controls.worlds.create({ id: 'blue' });
  browser = await startChromium();
});

afterAll(async () => {
  await browser?.close();
  await emulator?.close();
});

/** Opens an operation by its id; what it shows. Of many operations only those in sight are there. */
async function openOperation(page: Page, id: string): Promise<string> {
  const [group = ''] = id.split('.');
  await page.locator('.operation-filter-input').fill(group);
  const block = operationBlock(page, id);
  await block.locator('.opblock-summary-control').click();
  await block.locator('.opblock-body .responses-wrapper').waitFor();
  return block.innerText();
}

const operationBlock = (page: Page, id: string) =>
  page.locator('.opblock', { has: page.locator('.opblock-summary-operation-id', { hasText: new RegExp(`^${id}$`) }) });

const idsOf = (document: any): string[] =>
  Object.values(document.paths).flatMap((item: any) => Object.values(item).map(({ operationId }: any) => operationId));

/** The operations that somebody sees who goes through the page to its end. */
async function seenIn(page: Page): Promise<Set<string>> {
  await page.locator('.opblock').first().waitFor();
  const seen = new Set<string>();
  for (let isAtEnd = false; !isAtEnd; ) {
    for (const id of await page.locator('.opblock-summary-operation-id').allInnerTexts()) seen.add(id);
    isAtEnd = await page.evaluate(() => innerHeight + scrollY >= document.documentElement.scrollHeight - 1);
    await page.evaluate(async () => {
      scrollBy(0, innerHeight / 2);
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    });
  }
  return seen;
}

it.each([
  ['', '/openapi.json'],
  ['?document=control', '/_emulator/openapi.json'],
])('the reference shows every operation of a document%s', async (query, path) => {
  const { page, troubles, close } = await openPage(browser, emulator.url, `/_emulator/reference${query}`);
  const { body } = await call(emulator, 'GET', path);
  const seen = await seenIn(page);
  await close();
  expect([...seen].toSorted()).toEqual(idsOf(body).toSorted());
  expect(troubles).toEqual([]);
});

it('the reference says of an operation what it takes, costs and returns, and what is assumed', async () => {
  const { page, troubles, close } = await openPage(browser, emulator.url, '/_emulator/reference');
  const { body } = await call(emulator, 'GET', '/openapi.json');
  const [assumption] = body.paths['/api/v1/chat/completions'].post['x-assumptions'];
  const text = await openOperation(page, 'chat.completions');
  await close();
  for (const part of [
    '"chat:write"',
    '"all":{"limit":1000,"windowMs":60000}',
    '"prices.inputTokens":0.0005',
    'PAYMENT_REQUIRED: ',
    'RATE_LIMITED: ',
    assumption.text,
  ])
    expect(text).toContain(part);
  expect(troubles).toEqual([]);
});

it('the reference tries an operation in its world with the test key', async () => {
  const { page, troubles, close } = await openPage(browser, emulator.url, '/w/blue/_emulator/reference');
  const { apiKey } = (await emulator.controls.worlds.list()).find(({ id }) => id === 'blue') ?? { apiKey: '' };
  await openOperation(page, 'containers.list');
  const block = operationBlock(page, 'containers.list');
  await block.locator('button.execute').click();
  const answer = block.locator('.live-responses-table .response');
  await answer.waitFor();
  expect(await answer.locator('.response-col_status').innerText()).toMatch(/^200/);
  expect(await block.locator('.request-url').innerText()).toContain(`${emulator.url}/w/blue/api/v1/containers`);
  expect(await block.locator('.curl').innerText()).toContain(`Bearer ${apiKey}`);
  await close();
  expect(troubles).toEqual([]);
});

it('the reference tries an operation of the control plane', async () => {
  const { page, troubles, close } = await openPage(browser, emulator.url, '/_emulator/reference?document=control');
  await openOperation(page, 'control.clock.freeze');
  const block = operationBlock(page, 'control.clock.freeze');
  await block.locator('button.execute').click();
  const answer = block.locator('.live-responses-table .response');
  await answer.waitFor();
  expect(await answer.locator('.response-col_status').innerText()).toMatch(/^200/);
  await close();
  expect(troubles).toEqual([]);
});

it.each(['light', 'dark'] as const)('the reference has no barrier, %s', async (colorScheme) => {
  const { page, close } = await openPage(browser, emulator.url, '/_emulator/reference', { colorScheme });
  await openOperation(page, 'containers.create');
  await openOperation(page, 'containers.list');
  await operationBlock(page, 'containers.list').locator('button.execute').click();
  await operationBlock(page, 'containers.list').locator('.live-responses-table .response').waitFor();
  const found = await violationsOf(page);
  await close();
  expect(found).toEqual([]);
});

it('the bar of the reference has the look of the dashboard, and changes between dark and light with it', async () => {
  const { page, close } = await openPage(browser, emulator.url, '/_emulator/reference', { colorScheme: 'light' });
  await page.locator('.opblock').first().waitFor();
  const look = () =>
    page.evaluate(() =>
      ['backgroundColor', 'color', 'fontFamily'].map((name: any) => getComputedStyle(document.documentElement)[name]),
    );
  const light = await look();
  await page.getByRole('button', { name: 'Switch dark or light' }).click();
  const dark = await look();
  expect(dark).not.toEqual(light);
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  expect(await look()).toEqual(dark);
  await close();
});
