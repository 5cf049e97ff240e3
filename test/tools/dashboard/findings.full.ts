// States and findings in the dashboard, as people use them in a real Chromium: snapshots, worlds, verdicts, coverage,
// assumptions, accounts, scenarios.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { CreateEmulatorOptions, Emulator } from '../../../src/index.js';
import { createEmulator } from '../../../src/index.js';
import { keepReport } from '../../../src/tools/explore/report.js';
import { startChromium } from '../../support/chromium.js';
import { tempDir } from '../../support/command.js';
import { type Dashboard, goTo, openDashboard, viewsOf } from '../../support/dashboard.js';
import { call, deploy } from '../../support/emulator.js';
import { explored } from '../../support/explored.js';

let browser: Browser;
const open: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  browser = await startChromium();
});
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});
afterAll(() => browser?.close());

async function start(options: CreateEmulatorOptions = {}): Promise<Emulator> {
  const emulator = await createEmulator({ seed: 'findings', clock: '2026-01-01T00:00:00Z', frozen: true, ...options });
  open.push(emulator);
  return emulator;
}

async function show(url: string, view: string): Promise<Dashboard> {
  const dashboard = await openDashboard(browser, url, view);
  open.push(dashboard);
  await dashboard.page.getByText('Live', { exact: true }).waitFor();
  return dashboard;
}

const row = (page: Page, text: string | RegExp) => page.getByRole('main').getByRole('option').filter({ hasText: text });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const details = (page: Page) => page.getByRole('complementary', { name: 'Details' });

it('the dashboard takes a snapshot, compares it with now and with another, restores and deletes it', async () => {
  const emulator = await start();
  const { page, troubles } = await show(emulator.url, 'snapshots');
  await page.getByText('No snapshots').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('before');
  await press(page, 'Take a snapshot');
  await row(page, 'before').click();
  await page.getByText('There is no difference').waitFor();
  await deploy(emulator, { name: '<b>shop</b>', project_name: 'shop' });
  await press(page, 'Read again');
  const containers = page.getByRole('region', { name: 'containers', exact: true });
  await containers.getByText('<b>shop</b>').first().waitFor();
  await page.getByRole('region', { name: 'organizations' }).getByText('999.5').waitFor();
  await call(emulator, 'POST', '/_emulator/snapshots', { name: 'after' });
  await page.getByLabel('With').selectOption('after');
  await page.getByText('cloudemu snapshot compare before --with after').waitFor();
  await containers.getByText('<b>shop</b>').first().waitFor();
  await press(page, 'Restore');
  await expect.poll(() => emulator.controls.containers.list().length).toBe(0);
  await press(page, 'Delete');
  await expect.poll(() => emulator.controls.snapshots.list().map(({ name }) => name)).toEqual(['after']);
  expect(troubles).toEqual([]);
});

it('the dashboard gives what is open the room of a narrow window', async () => {
  const emulator = await start();
  await call(emulator, 'GET', '/api/v1/containers');
  const { page, troubles } = await show(emulator.url, 'coverage/containers.list');
  await page.setViewportSize({ width: 390, height: 844 });
  await details(page).getByText('Declared, never met').waitFor();
  expect(await page.locator('main > div.bar').isVisible()).toBe(false);
  // A click waits until nothing lies above the button.
  await page.getByRole('button', { name: 'Close the details' }).click();
  await page.locator('main > div.bar').waitFor();
  expect(troubles).toEqual([]);
});

it('the dashboard goes on from a snapshot in a world of its own', async () => {
  const emulator = await start();
  await deploy(emulator, { name: 'shop', project_name: 'shop' });
  emulator.controls.snapshots.take({ name: 'deployed' });
  const { page, troubles } = await show(emulator.url, 'snapshots/deployed');
  await page.getByLabel('New world', { exact: true }).fill('what-if');
  await page.getByText('cloudemu snapshot restore deployed --world what-if').waitFor();
  await press(page, 'Go on in a new world');
  await page.waitForURL(`${emulator.url}/w/what-if/_emulator/**`);
  await goTo(page, 'containers');
  await row(page, 'shop').waitFor();
  await call(emulator, 'POST', '/w/what-if/_emulator/clock/advance', { by: '1h' });
  await row(page, 'shop').getByText('running').waitFor();
  expect(emulator.controls.containers.list().map(({ status }) => status)).not.toEqual(['running']);
  expect(troubles).toEqual([]);
});

it('the dashboard carries a snapshot from one emulator to another as a file', async () => {
  const first = await start();
  await deploy(first, { name: 'shop', project_name: 'shop' });
  first.controls.snapshots.take({ name: 'carried' });
  const { page } = await show(first.url, 'snapshots/carried');
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Export')]);
  expect(download.suggestedFilename()).toBe('carried.json');
  const second = await start();
  const { page: other } = await show(second.url, 'snapshots');
  await other.getByLabel('File of a snapshot').setInputFiles(await download.path());
  await details(other).getByText('carried').first().waitFor();
  await press(other, 'Restore');
  await expect.poll(() => second.controls.containers.list().map(({ name }) => name)).toEqual(['shop']);
});

it('the dashboard makes a world, enters it, and drops it', async () => {
  const emulator = await start();
  const { page, troubles } = await show(emulator.url, 'worlds');
  await page.getByLabel('Id').fill('blue');
  await page.getByLabel('Ends after').fill('10m');
  await page.getByText('cloudemu world create --id blue --ttl 10m').waitFor();
  await press(page, 'Create a world');
  await row(page, 'blue').waitFor();
  expect(emulator.controls.worlds.list().find(({ id }) => id === 'blue')?.ttlMs).toBe(600_000);
  await press(page, 'Switch to it');
  await page.waitForURL(`${emulator.url}/w/blue/_emulator/**`);
  await page.getByText('Live', { exact: true }).waitFor();
  await goTo(page, 'worlds/blue');
  // The world of which it is called does not matter.
  await page.getByLabel('Copy the command cloudemu world drop blue', { exact: true }).waitFor();
  await page.getByLabel('Copy the command cloudemu world create', { exact: true }).waitFor();
  await press(page, 'Drop');
  await page.waitForURL(`${emulator.url}/_emulator/**`);
  expect(emulator.controls.worlds.list().map(({ id }) => id)).toEqual(['default']);
  expect(troubles.filter((text) => !text.includes('404'))).toEqual([]);
});

it('the dashboard says in every view that the world has gone, and does not claim to read', async () => {
  const emulator = await start();
  const { id, url } = await emulator.createWorld();
  const { page } = await show(url, 'time');
  emulator.controls.worlds.drop(id);
  for (const view of await viewsOf(page)) {
    await goTo(page, view);
    if (['time', 'exploration', 'worlds'].includes(view)) continue;
    await page
      .getByRole('alert')
      .filter({ hasText: `There is no world "${id}"` })
      .first()
      .waitFor();
    expect(await page.getByRole('main').textContent(), view).not.toContain('Reading…');
  }
});

it('the dashboard shows a verdict with its evidence, which leads to the request', async () => {
  const emulator = await start();
  await call(emulator, 'GET', `/api/v1/containers?api_key=${emulator.apiKey}`);
  const { page, troubles } = await show(emulator.url, 'verdicts');
  await row(page, 'Keeps secrets out of URLs').getByText('fail').waitFor();
  await row(page, 'Keeps secrets out of URLs').click();
  await details(page).getByRole('link').first().click();
  await row(page, 'GET /api/v1/containers').waitFor();
  expect(await page.content()).not.toContain(emulator.apiKey);
  expect(troubles).toEqual([]);
});

it('the dashboard counts in the matrix what the client has met, as it meets it', async () => {
  const emulator = await start();
  const { page, troubles } = await show(emulator.url, 'coverage');
  const line = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'containers.get', exact: true }) });
  await line.waitFor();
  expect(await line.locator('td:is(.good, .warning, .bad)').count()).toBe(0);
  await call(emulator, 'GET', '/api/v1/containers/none');
  await expect.poll(() => line.locator('td:is(.good, .warning, .bad)').allTextContents()).toEqual(['1', '1']);
  await page.getByRole('button', { name: 'Met only' }).click();
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  await page.getByRole('link', { name: 'containers.get', exact: true }).click();
  await details(page).getByText('NOT_FOUND 1').waitFor();
  expect(troubles).toEqual([]);
});

it('the dashboard shows what the last exploration found, with its requests and the command that shows it again', async () => {
  const config = { data: { dir: tempDir() } };
  const emulator = await start({ config });
  const { page, troubles } = await show(emulator.url, 'exploration');
  await page.getByText('cloudemu explore -- npm test', { exact: false }).waitFor();
  keepReport(config.data.dir, { at: '2026-01-01T00:00:00.000Z', report: explored });
  await press(page, 'Read again');
  await row(page, 'takes effect, but the response is lost').first().click();
  await details(page).getByText('It spent <1> credits.').waitFor();
  await details(page).getByText(`cloudemu run ${explored.finds[0]?.scenario} -- npm test`).waitFor();
  expect(await details(page).getByText('POST').count()).toBe(2);
  await press(page, 'Close the details');
  expect(await row(page, /./).count()).toBe(2);
  await press(page, 'With the platform’s error (1)');
  expect(await row(page, /./).count()).toBe(3);
  await press(page, 'Matrix');
  const line = page.getByRole('row').filter({ hasText: 'containers.create' });
  expect(await line.getByRole('cell').allTextContents()).toEqual(['ok', 'A']);
  expect(troubles).toEqual([]);
});

it('the dashboard shows what is known of an incident, and its recording over the proof', async () => {
  const scenarios = join(tempDir(), 'scenarios');
  mkdirSync(join(scenarios, 'incidents'), { recursive: true });
  const facts = [{ kind: 'unknown', text: 'Whether <it> took effect', entries: [1] }];
  const one = { caller: 'caller 1', at: '2026-01-01T00:00:00.000Z', ms: 20, came: null };
  const steps = [
    { ...one, entry: 0, method: 'GET', operation: 'containers.list', status: 200 },
    { ...one, entry: 1, method: 'POST', operation: 'containers.create', status: 0, came: '202 instead of no answer' },
  ];
  writeFileSync(join(scenarios, 'incidents', 'double.facts.json'), JSON.stringify({ facts, steps }));
  const emulator = await start({ config: { data: { scenarios } } });
  const { page, troubles } = await show(emulator.url, 'incidents');
  await row(page, 'double').click();
  await details(page).getByText('Whether <it> took effect').waitFor();
  await details(page).getByText('202 instead of no answer').first().waitFor();
  expect(await details(page).getByRole('list', { name: 'Then' }).getByRole('listitem').count()).toBe(2);
  expect(troubles).toEqual([]);
});

it('the dashboard opens the file of a report, and says what is wrong with one that is none', async () => {
  const emulator = await start({ config: { data: { dir: tempDir() } } });
  const { page, troubles } = await show(emulator.url, 'exploration');
  const pick = async (name: string, content: unknown) => {
    const chooser = page.waitForEvent('filechooser');
    await press(page, 'Open a report');
    const buffer = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
    await (await chooser).setFiles({ name, mimeType: 'application/json', buffer });
  };
  await pick('report.json', explored);
  await row(page, 'takes effect, but the response is lost').first().click();
  await details(page).getByText('It spent <1> credits.').waitFor();
  await press(page, 'Show the last run');
  await page.getByText('Nothing was explored in this project').waitFor();
  await pick('explore-report.json', { at: '2026-01-01T10:20:00.000Z', report: explored });
  await page.getByText('2026-01-01 10:20').waitFor();
  const problem = page.getByRole('alert');
  await pick('<b>.txt', 'no JSON');
  await expect.poll(() => problem.textContent()).toMatch(/^<b>\.txt is not JSON: .*`cloudemu explore --json`/);
  await pick('package.json', { name: 'shop' });
  await expect
    .poll(() => problem.textContent())
    .toMatch(/^package\.json is not a report .* name is unknown; command is req/);
  await pick('damaged.json', { ...explored, finds: [{ ...explored.finds[0], grade: 'Z' }] });
  await expect
    .poll(() => problem.textContent())
    .toBe(
      'damaged.json is not a report of an exploration. Invalid request data: finds[0].grade must be one of A, B, C, D, E (got "Z")',
    );
  // The refusals themselves are told by the browser.
  expect(troubles.filter((text) => !text.includes('400 (Bad Request)'))).toEqual([]);
});

it('the dashboard tells which assumptions requests have met', async () => {
  const emulator = await start();
  await deploy(emulator, { name: 'shop', project_name: 'shop' });
  const [met] = emulator.controls.assumptions().filter(({ requests }) => requests > 0);
  expect(met?.lastRequestId).toBe(emulator.controls.requests.list().requests.at(-1)?.requestId);
  const { page, troubles } = await show(emulator.url, 'coverage/assumptions');
  await page.getByRole('button', { name: 'Met by requests' }).click();
  await row(page, met?.text ?? '').click();
  await details(page)
    .getByRole('link', { name: met?.lastRequestId ?? '' })
    .click();
  await row(page, 'POST /api/v1/containers').waitFor();
  expect(troubles).toEqual([]);
});

it('the dashboard mints a key whose value is shown when asked for, and which then works', async () => {
  const emulator = await start();
  const { page, troubles } = await show(emulator.url, 'accounts');
  await page.getByLabel('Name', { exact: true }).fill('<i>Ada</i>');
  await press(page, 'Mint a key');
  await details(page).getByText('<i>Ada</i>').first().waitFor();
  const minted = emulator.controls.keys.list().find(({ name }) => name === '<i>Ada</i>');
  const key = minted?.apiKey ?? '';
  expect(await page.content()).not.toContain(key);
  await press(page, 'Show');
  await details(page).getByText(key).waitFor();
  expect((await call({ ...emulator, fetch: emulator.fetch, apiKey: key }, 'GET', '/api/v1/containers')).status).toBe(
    200,
  );
  await page.getByRole('link', { name: 'sessions', exact: true }).click();
  await press(page, 'Create a session');
  await press(page, 'Revoke');
  await expect.poll(() => emulator.controls.sessions.list().map(({ state }) => state)).toEqual(['revoked']);
  await page.getByRole('link', { name: 'wallets', exact: true }).click();
  await press(page, 'Mint a wallet');
  const wallets = await emulator.controls.wallets.list();
  await details(page)
    .getByText(wallets.at(-1)?.address ?? '')
    .waitFor();
  for (const { privateKey } of wallets) expect(await page.content()).not.toContain(privateKey);
  expect(troubles).toEqual([]);
});

it('the dashboard applies a scenario, whose expectations turn green as requests come, and saves the world', async () => {
  const emulator = await start();
  await emulator.controls.scenarios.apply({
    expect: { requests: [{ operation: 'containers.list', min: 1 }] },
  });
  const { page, troubles } = await show(emulator.url, 'scenarios');
  await page.getByRole('link', { name: 'Show the expectations' }).click();
  const wanted = details(page).getByRole('listitem').filter({ hasText: 'containers.list' });
  await wanted.getByText('not met').waitFor();
  await call(emulator, 'GET', '/api/v1/containers');
  await wanted.getByText('met', { exact: true }).waitFor();
  await page.getByLabel('Name', { exact: true }).fill('mine');
  await press(page, 'Save this world');
  await row(page, 'mine').getByText('memory').waitFor();
  await row(page, 'rough-day').click();
  await press(page, 'Merge');
  await page.getByText('rough-day is added to the world').waitFor();
  await press(page, 'Apply');
  await expect.poll(() => emulator.controls.scenarios.expectations().scenario).toBe('rough-day');
  expect(troubles).toEqual([]);
});
