// What Playwright records of a page in Chromium is read in each of its forms.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readRecording } from '../../../src/tools/incidents/read.js';
import { startChromium } from '../../support/chromium.js';
import { tempDir } from '../../support/command.js';
import { startEmulator } from '../../support/emulator.js';

it.each([
  ['embed', { content: 'embed' }],
  ['attach', { content: 'attach' }],
  ['omit', { content: 'omit' }],
  ['minimal', { mode: 'minimal' }],
] as const)('a HAR with %s', async (name, form) => {
  const emulator = await startEmulator({ frozen: false });
  const path = join(tempDir(), name, 'page.har');
  const browser = await startChromium();
  try {
    const context = await browser.newContext({ recordHar: { path, ...form } });
    const page = await context.newPage();
    await page.goto(`${emulator.url}/api/health`);
    emulator.controls.faults.add({ match: { operation: 'containers.create' }, effect: { network: 'reset' } });
    const statuses = await page.evaluate(async (key) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const balance = await fetch('/api/v1/credits/balance', { headers });
      await balance.text();
      const body = JSON.stringify({ name: 'Shop', project_name: 'shop', ecr_image_uri: 'registry.local/shop:v1' });
      const create = fetch('/api/v1/containers', { method: 'POST', headers, body });
      return [
        balance.status,
        await create.then(
          ({ status }) => status,
          () => 0,
        ),
      ];
    }, emulator.apiKey);
    expect(statuses).toEqual([200, 0]);
    await context.close();
  } finally {
    await browser.close();
  }
  const { format, exchanges } = await readRecording(path);
  expect(format).toMatch(/^HAR of Playwright /);
  const hasBodies = name === 'embed' || name === 'attach';
  expect(exchanges.map(({ method, status }) => [method, status])).toEqual([
    ['GET', 200],
    ['GET', 200],
    ['POST', 0],
  ]);
  const [, balance, lost] = exchanges;
  expect(balance).toMatchObject({
    text: hasBodies || name === 'minimal' ? expect.stringContaining('"balance"') : null,
    headers: { authorization: `Bearer ${emulator.apiKey}` },
  });
  expect(lost?.failure).toBe('net::ERR_CONNECTION_RESET');
  expect(lost?.body).toEqual(name === 'omit' ? null : expect.stringContaining('"project_name":"shop"'));
});
