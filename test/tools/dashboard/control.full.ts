// Changes that people make from the dashboard, in a real Chromium: faults, limits, credits, replies of models, voices and jobs.

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/index.js';
import { startChromium } from '../../support/chromium.js';
import { goTo, openDashboard } from '../../support/dashboard.js';
import { call } from '../../support/emulator.js';
import { base, formOf, sample } from '../../support/voice.js';

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

it('the dashboard checks a fault rule against recent requests, adds it, counts its hits and removes it', async () => {
  const { emulator, page, troubles } = await start('faults');
  await call(emulator, 'GET', '/api/v1/containers');
  await call(emulator, 'GET', '/api/v1/agents');
  await page.getByText('No faults').waitFor();
  await page.locator('main > header').getByRole('button', { name: 'Add a rule' }).click();
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
  await page.getByText('No faults').waitFor();
  expect(emulator.controls.faults.list()).toEqual([]);
  expect(troubles).toEqual([]);
});

it('the dashboard adds a rule for requests with a header, and for the second of them only', async () => {
  const { emulator, page, troubles } = await start('faults');
  await page.locator('main > header').getByRole('button', { name: 'Add a rule' }).click();
  await page.getByLabel('Header', { exact: true }).fill('x-test: nightly');
  await page.getByLabel('Times', { exact: true }).fill('');
  await page.getByLabel('Only the n-th', { exact: true }).fill('2');
  await press(page, 'Add the rule');
  await row(page, 'nightly').waitFor();
  const statuses = [];
  for (const value of ['nightly', 'other', 'nightly', 'nightly'])
    statuses.push((await call(emulator, 'GET', '/api/v1/containers', undefined, { 'x-test': value })).status);
  expect(statuses).toEqual([200, 200, 503, 200]);
  expect(troubles).toEqual([]);
});

it('the dashboard fills in a rule from a request, by the link of its details', async () => {
  const { emulator, page } = await start('timeline');
  await call(emulator, 'GET', '/api/v1/containers');
  await row(page, '/api/v1/containers').click();
  await page.getByRole('link', { name: 'Arm another fault' }).click();
  await expect.poll(() => page.getByLabel('Operation', { exact: true }).inputValue()).toBe('containers.list');
});

it('the dashboard shows how much of each window is used, exhausts it, sets a limit, and releases all', async () => {
  const { emulator, page, troubles } = await start('limits');
  await page.getByText('No window is open').waitFor();
  await call(emulator, 'GET', '/api/v1/containers');
  await row(page, 'all requests').getByRole('meter').waitFor();
  await row(page, 'all requests').click();
  await page.getByLabel('Retry-After in seconds').fill('30');
  await press(page, 'Exhaust');
  await page.getByText('nothing passes before it ends').waitFor();
  const refused = await call(emulator, 'GET', '/api/v1/containers');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
  await press(page, 'Release all');
  await expect.poll(async () => (await call(emulator, 'GET', '/api/v1/containers')).status).toBe(200);
  await page.locator('main > header').getByRole('button', { name: 'Set a limit' }).click();
  await page.getByLabel('Operation', { exact: true }).fill('keys.list');
  await page.getByLabel('Requests', { exact: true }).fill('1');
  await page.getByText('cloudemu limits set --operation keys.list --limit 1').first().waitFor();
  await press(page, 'Set');
  await expect.poll(() => emulator.controls.limits.list().operations).toMatchObject([{ name: 'keys.list', limit: 1 }]);
  await call(emulator, 'GET', '/api/v1/api-keys');
  expect((await call(emulator, 'GET', '/api/v1/api-keys')).status).toBe(429);
  expect(troubles).toEqual([]);
});

it('the dashboard explains each movement of credits, changes a balance, and has a charge refused', async () => {
  const { emulator, page, troubles } = await start('credits');
  await call(emulator, 'POST', '/api/v1/chat/completions', {
    model: 'gpt-5',
    messages: [{ role: 'user', content: 'Hi' }],
  });
  await row(page, 'charge').click();
  await page.getByText('A price was taken for what was asked for.').waitFor();
  await page.getByRole('complementary', { name: 'Details' }).getByText('chat.completions').waitFor();
  await page.keyboard.press('Escape');
  await page
    .getByRole('img', { name: /^Balance: Balance / })
    .locator('canvas')
    .waitFor();
  await page.getByLabel('Set to').fill('7');
  await press(page, 'Set');
  await row(page, 'Set to 7').waitFor();
  await page.getByLabel('Refuse charge number').fill('1');
  await press(page, 'Refuse a charge');
  await page.getByText('Its next charge is refused').waitFor();
  const refused = await call(emulator, 'POST', '/api/v1/chat/completions', {
    model: 'gpt-5',
    messages: [{ role: 'user', content: 'Hi' }],
  });
  expect(refused.status).toBe(402);
  expect(emulator.controls.organizations.list()).toMatchObject([{ credits: 7, failNth: null }]);
  expect(troubles).toEqual([]);
});

it('the dashboard queues the next reply of a model, which the next call gets and the list of calls shows', async () => {
  const { emulator, page, troubles } = await start('models');
  await page.getByText('No model was asked yet').waitFor();
  await page.getByLabel('Text', { exact: true }).fill('Sunny all day');
  await page.getByLabel('Model', { exact: true }).fill('gpt-*');
  await press(page, 'Queue');
  await page
    .getByText('any model')
    .or(page.getByText('gpt-*', { exact: true }))
    .first()
    .waitFor();
  const messages = [{ role: 'user', content: 'Weather?' }];
  await call(emulator, 'POST', '/api/v1/chat/completions', { model: 'gpt-5', messages });
  await row(page, 'Sunny all day').click();
  await page.getByRole('complementary', { name: 'Details' }).getByText('Weather?').first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('None: models reply as they usually do.').waitFor();
  await page.getByLabel('Text', { exact: true }).fill('Rain');
  await press(page, 'Queue');
  await press(page, 'Clear');
  await expect.poll(() => emulator.controls.replies.list()).toEqual([]);
  expect(troubles).toEqual([]);
});

it('the dashboard shows a cloning job moving, fails it, and lets a voice speak', async () => {
  const { emulator, page, troubles } = await start('voices');
  await page.getByText('No jobs').waitFor();
  const response = await emulator.fetch(`${base}/clone`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.apiKey}` },
    body: formOf({ name: 'Ann', cloneType: 'professional', file1: sample() }),
  });
  expect(response.status).toBeLessThan(300);
  await row(page, 'Ann').getByText('pending').waitFor();
  await row(page, 'Ann').click();
  await press(page, 'Jump to the next change');
  await row(page, 'Ann').getByText('processing').waitFor();
  await page.getByLabel('How it fails').selectOption('too-short');
  await press(page, 'Fail');
  await row(page, 'Ann').getByText('failed').waitFor();
  expect(emulator.controls.jobs.list()).toMatchObject([
    { status: 'failed', error: expect.stringContaining('too short') },
  ]);
  await page.keyboard.press('Escape');
  await goTo(page, 'voices/voices');
  await press(page, 'Speak');
  const audio = page.getByLabel('What the voice says');
  await expect
    .poll(() => audio.evaluate((element) => (element as unknown as { duration: number }).duration))
    .toBeGreaterThan(0.3);
  expect(troubles).toEqual([]);
});

it('the dashboard shows what a hosted agent costs and went through, and begins, finishes and fails its jobs', async () => {
  const { emulator, page, troubles } = await start('hosted-agents');
  const { controls } = emulator;
  await page.getByText('No hosted agents').waitFor();
  await call(emulator, 'POST', '/api/v1/eliza/agents', { agentName: 'Support', alwaysOn: true });
  await row(page, 'Support').getByText('provisioning').waitFor();
  await row(page, 'Support').click();
  const details = page.getByRole('complementary', { name: 'Details' });
  await details.getByText('0 credits, deactivated').waitFor();
  await press(page, 'Finish');
  await row(page, 'Support').getByText('running').waitFor();
  await details.getByText('0.15 credits, running').waitFor();
  await page.getByLabel('Failure mode of the next job').selectOption('job-hangs');
  await press(page, 'Suspend');
  await details.getByRole('listitem').filter({ hasText: 'suspend' }).getByText('pending').waitFor();
  await press(page, 'Jump to the next change');
  await details.getByRole('listitem').filter({ hasText: 'suspend' }).getByText('in_progress').waitFor();
  await details.getByRole('link', { name: 'suspend', exact: true }).click();
  await page.getByText('none: it hangs').waitFor();
  await page.getByLabel('Why it fails').fill('The node is lost');
  await press(page, 'Fail');
  await row(page, 'Support')
    .filter({ hasText: 'suspend' })
    .getByText('The node is lost')
    .or(row(page, 'Support').getByText('failed'))
    .first()
    .waitFor();
  await details.getByRole('link', { name: 'Support' }).click();
  await details.getByText('The node is lost').first().waitFor();
  await press(page, 'Provision');
  await press(page, 'Finish');
  await row(page, 'Support').getByText('running').waitFor();
  await press(page, 'Crash');
  await row(page, 'Support').getByText('error').waitFor();
  const { statusHistory } = controls.hostedAgents.get('Support');
  expect(statusHistory.map(({ status }) => status)).toEqual([
    ...['pending', 'provisioning', 'running', 'error', 'provisioning', 'running', 'error'],
  ]);
  expect(await details.getByRole('list', { name: 'Actual' }).getByRole('listitem').count()).toBe(statusHistory.length);
  expect(troubles).toEqual([]);
});

it('the dashboard names the world of the page in every command, whichever world that is', async () => {
  const emulator = await createEmulator({ seed: 'control' });
  open.push(emulator);
  const world = await emulator.createWorld({ id: 'blue' });
  await world.controls.snapshots.take({ name: 'before' });
  const dashboard = await openDashboard(browser, world.url, 'snapshots/before');
  open.push(dashboard);
  const { page } = dashboard;
  await page.getByRole('button', { name: 'Go on in a new world' }).hover();
  const fork = await page.locator('.command code').filter({ hasText: 'world create' }).textContent();
  expect(fork?.split(' && ').map((one) => one.replace('$ ', ''))).toEqual([
    'cloudemu snapshot export before --file before.json --world blue',
    'cloudemu world create --id before-fork',
    'cloudemu snapshot import before.json --world before-fork',
    'cloudemu snapshot restore before --world before-fork',
  ]);
  const titles = await page.$$eval('button[title^="cloudemu "]', (all) =>
    all.map((one) => one.getAttribute('title') ?? ''),
  );
  expect(titles.filter((title) => !title.endsWith(' --world blue') && !title.includes(' && '))).toEqual([]);
});
