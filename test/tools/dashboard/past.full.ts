// The history in the dashboard, as people use it in a real Chromium: the handle on the past, worlds that begin at a request,
// why it failed, and sending it again.

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/index.js';
import { startChromium } from '../../support/chromium.js';
import { type Dashboard, goTo, openDashboard, overflowing, violationsOf } from '../../support/dashboard.js';
import { call, deploy } from '../../support/emulator.js';

let browser: Browser;
const open: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  browser = await startChromium();
});
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});
afterAll(() => browser?.close());

/** An emulator whose second container is refused, because the balance does not suffice any more. */
async function start(): Promise<Emulator> {
  const emulator = await createEmulator({
    seed: 'past',
    clock: '2026-01-01T00:00:00Z',
    frozen: true,
    quotas: { enabled: false },
  });
  open.push(emulator);
  await emulator.controls.organizations.credits(emulator.organizationId, { set: 0.9 });
  await deploy(emulator, { name: 'shop', project_name: 'shop' });
  await call(emulator, 'POST', '/api/v1/containers', {
    name: 'more',
    project_name: 'more',
    ecr_image_uri: 'registry.local/acme/web:v1',
  });
  return emulator;
}

async function show(url: string, view: string): Promise<Dashboard> {
  const dashboard = await openDashboard(browser, url, view);
  open.push(dashboard);
  await isLive(dashboard.page);
  return dashboard;
}

const isLive = (page: Page) => page.locator('header [role=status].good').waitFor();
const row = (page: Page, text: string | RegExp) => page.getByRole('main').getByRole('option').filter({ hasText: text });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const section = (page: Page, title: string | RegExp) =>
  page.locator('main section', { has: page.getByRole('heading', { name: title }) });
const handle = (page: Page) => page.getByRole('slider', { name: 'Show every view as of a point' });
// A page that leaves the world of a point may still be reading while that one is dropped.
const others = (troubles: readonly string[]) => troubles.filter((text) => !text.includes('404'));
/** Goes a point back or on, once the page knows which points there are. */
async function step(page: Page, key: '[' | ']'): Promise<void> {
  await handle(page).waitFor();
  await page.keyboard.press(key);
}
const worldOf = (page: Page): string => /\/w\/([^/]+)\//.exec(page.url())?.[1] ?? '';
const worldsOf = (emulator: Emulator): string[] => emulator.controls.worlds.list().map(({ id }) => id);

it('the dashboard shows every view as of a point, goes from point to point, and back to now', async () => {
  const emulator = await start();
  const points = emulator.controls.history.list().points;
  const created = points.find(({ summary }) => summary.includes('container shop: created'))?.point ?? 0;
  expect(created).toBeGreaterThan(1);
  const { page, troubles } = await show(emulator.url, 'containers');
  await row(page, 'shop').waitFor();
  await goTo(page, 'timeline');
  const last = points.at(-1)?.point ?? 0;
  for (let point = last; point > created - 1; point--) {
    await step(page, '[');
    await page.waitForURL(new RegExp(`point=${point - 1}#`));
    await isLive(page);
  }
  const here = page.getByRole('region', { name: 'Point of the history' });
  await here.getByText(`as it was after point ${created - 1}`).waitFor();
  await goTo(page, 'containers');
  expect(await row(page, 'shop').count()).toBe(0);
  await goTo(page, 'credits');
  await page.getByRole('main').getByText('0.9').first().waitFor();
  await step(page, ']');
  await page.waitForURL(new RegExp(`point=${created}#`));
  await isLive(page);
  await goTo(page, 'containers');
  await row(page, 'shop').waitFor();
  // The worlds of the points that were left are gone.
  expect(worldsOf(emulator)).toEqual(['default', worldOf(page)]);
  expect(await violationsOf(page)).toEqual([]);
  await press(page, 'Back to now');
  await page.waitForURL(`${emulator.url}/_emulator/**`);
  await row(page, 'shop').waitFor();
  expect(worldsOf(emulator)).toEqual(['default']);
  expect(others(troubles)).toEqual([]);
});

it('the dashboard’s timeline shows all that had happened by a point, and says what the point is', async () => {
  const emulator = await start();
  const { controls } = emulator;
  controls.faults.add({ match: { operation: 'containers.list' }, when: { times: 1 }, effect: { status: 503 } });
  await call(emulator, 'GET', '/api/v1/containers');
  await controls.clock.advance('10m');
  const { point, requestId } = controls.history.list({ kind: 'clock' }).points.at(-1) ?? {};
  expect([typeof point, requestId]).toEqual(['number', null]);
  const { page, troubles } = await show(emulator.url, 'timeline');
  await row(page, 'advanced by 10m').waitFor();
  const shown = async (): Promise<string[]> =>
    (await page.getByRole('main').getByRole('option').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
  const all = await shown();
  await call(emulator, 'DELETE', `/api/v1/containers/${controls.containers.list()[0]?.id}`);
  await row(page, 'DELETE').waitFor();
  const last = controls.history.list().last;
  await handle(page).fill(String(point));
  await page.waitForURL(new RegExp(`point=${point}#`));
  await isLive(page);
  await page.getByText(`as it was after point ${point} of ${last}: clock now 2026-01-01T00:00:00.000Z`).waitFor();
  await row(page, '503').waitFor();
  expect(await row(page, 'DELETE').count()).toBe(0);
  expect(await shown()).toEqual(all);
  // What a request was, the world of the history knows.
  await row(page, '503').click();
  await section(page, 'Response').waitFor();
  await page
    .getByText(/cloudemu.* history show \d+ --state$/)
    .first()
    .waitFor();
  expect(others(troubles)).toEqual([]);
});

it('the dashboard shows hosted agents and jobs as of a point', async () => {
  const emulator = await start();
  const { controls } = emulator;
  controls.organizations.credits(emulator.organizationId, { set: 100 });
  await call(emulator, 'POST', '/api/v1/eliza/agents', { agentName: 'Support', alwaysOn: true });
  controls.jobs.finish(controls.jobs.list()[0]?.id ?? '');
  const last = controls.history.list().points.at(-1)?.point ?? 0;
  const { page, troubles } = await show(emulator.url, 'hosted-agents');
  await row(page, 'Support').getByText('running').waitFor();
  await goTo(page, 'timeline');
  await handle(page).waitFor();
  await step(page, '[');
  await page.waitForURL(new RegExp(`point=${last - 1}#`));
  await isLive(page);
  await goTo(page, 'hosted-agents');
  await row(page, 'Support').getByText('provisioning').waitFor();
  await goTo(page, 'hosted-agents/jobs');
  await row(page, 'Support').getByText('pending').waitFor();
  await press(page, 'Back to now');
  await page.waitForURL(`${emulator.url}/_emulator/**`);
  await row(page, 'Support').getByText('completed').waitFor();
  expect(others(troubles)).toEqual([]);
});

it.each([1_440, 390])('the dashboard begins a world where the handle was dragged to, %i px wide', async (width) => {
  const emulator = await start();
  const { page, troubles } = await show(emulator.url, 'timeline');
  await page.setViewportSize({ width, height: 844 });
  await handle(page).waitFor();
  const box = await handle(page).boundingBox();
  if (box === null) throw new Error('the handle is not to be seen');
  const middle = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width - 8, middle);
  await page.mouse.down();
  await page.mouse.move(box.x + 2, middle, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL(/point=1#/);
  await isLive(page);
  await page.getByText('as it was after point 1').waitFor();
  expect(await overflowing(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  const past = worldOf(page);
  await press(page, 'Begin a world here');
  await page.waitForURL((url) => !url.search.includes('point='));
  await isLive(page);
  expect(worldsOf(emulator)).toEqual(['default', worldOf(page)]);
  expect(worldOf(page)).not.toBe(past);
  expect(others(troubles)).toEqual([]);
});

it('the dashboard says why a request failed, and begins a world before it', async () => {
  const emulator = await start();
  const { page, troubles } = await show(emulator.url, 'timeline');
  await row(page, '402').first().click();
  await section(page, 'Why')
    .getByText(/before it, the answer is/)
    .waitFor();
  await press(page, 'Fork before');
  await page.waitForURL(/\/w\/[^/]+\/_emulator\//);
  await isLive(page);
  expect(worldsOf(emulator)).toContain(worldOf(page));
  await goTo(page, 'containers');
  await row(page, 'shop').waitFor();
  expect(troubles).toEqual([]);
});

it('the dashboard sends a request again with another body, and shows both answers beside each other', async () => {
  const emulator = await start();
  const { page, troubles } = await show(emulator.url, 'timeline');
  await row(page, /POST.*202/)
    .first()
    .click();
  const again = section(page, 'Send it again');
  const body = again.getByLabel('Body', { exact: true });
  await body.waitFor();
  const sent = JSON.parse(await body.inputValue());
  await body.fill(JSON.stringify({ ...sent, port: 'eighty' }));
  await press(page, 'Send it changed');
  const [before, after] = [
    again.getByRole('region', { name: 'As it was' }),
    again.getByRole('region', { name: 'Sent again' }),
  ];
  await before.getByText('202').first().waitFor();
  await after.getByText('400').first().waitFor();
  await after.getByText('VALIDATION_ERROR').first().waitFor();
  // In the world itself nothing has happened.
  expect(emulator.controls.containers.list().map(({ name }) => name)).toEqual(['shop']);
  await again.getByRole('link', { name: /Go on in its world/ }).click();
  await page.waitForURL(/\/w\/[^/]+\/_emulator\//);
  await isLive(page);
  expect(troubles).toEqual([]);
});
