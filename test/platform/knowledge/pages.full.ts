// The texts of the pages beside this file are those that Chromium shows, but for no-break spaces: `innerText` of pages that
// LibreOffice 7.4 and pandoc 2.17 printed, and of pages by hand. CLOUDEMU_TEST_UPDATE=1 writes them.

import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
import { startChromium } from '../../support/chromium.js';
import { byHand, printed } from '../../support/shown-pages.js';
import { itNeeds } from '../../support/tools.js';

let browser: Awaited<ReturnType<typeof startChromium>>;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

itNeeds('chromium').each([
  ['printed.json', printed],
  ['by-hand.json', byHand],
])('Chromium shows what %s says', async (name, read) => {
  const page = await browser.newPage();
  await page.route('**/*', (route) => route.abort());
  const shown: Record<string, string> = {};
  for (const { key, html } of read()) {
    await page.setContent(html, { waitUntil: 'domcontentloaded' });
    shown[key] = (await page.evaluate<string>('document.body.innerText')).replaceAll('\u00a0', ' ');
  }
  const file = new URL(`pages/${name}`, import.meta.url);
  if (process.env.CLOUDEMU_TEST_UPDATE === '1') writeFileSync(file, `${JSON.stringify(shown, null, 2)}\n`);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(shown);
});
