// Every view of the dashboard in a real Chromium: no error, no foreign request, no markup of a client, no barrier.

import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/index.js';
import { type ExploreReport, keepReport } from '../../../src/tools/explore/report.js';
import { startChromium } from '../../support/chromium.js';
import { tempDir } from '../../support/command.js';
import { goTo, openDashboard, overflowing, viewsOf, violationsOf } from '../../support/dashboard.js';
import { call, deploy } from '../../support/emulator.js';
import { explored } from '../../support/explored.js';

const hostile = `<img src=x onerror="alert('markup')"><script>alert('script')</script>`;

const hostileReport: ExploreReport = {
  ...explored,
  finds: explored.finds.map((find) => ({
    ...find,
    what: hostile,
    label: '<b>test</b>',
    tests: ['<b>test</b>'],
    output: [hostile],
  })),
};

let emulator: Emulator;
let browser: Browser;

beforeAll(async () => {
  const data = { dir: tempDir() };
  keepReport(data.dir, { at: '2026-01-01T00:00:00.000Z', report: hostileReport });
  emulator = await createEmulator({ seed: 'views', clock: '2026-01-01T00:00:00Z', frozen: true, config: { data } });
  await fill(emulator);
  browser = await startChromium();
});

afterAll(async () => {
  await browser?.close();
  await emulator?.close();
});

/** Names and texts that a client can set, wherever it can. */
async function fill(world: Emulator): Promise<void> {
  const { controls } = world;
  await deploy(world, { name: hostile, project_name: '<b>shop</b>', environment_vars: { TOKEN: hostile } });
  await deploy(world, { name: 'worker', project_name: 'worker', ecr_image_uri: 'acme/worker:fail-oom-start' });
  await call(world, 'POST', '/api/v1/agents', { name: hostile, bio: hostile });
  await call(world, 'POST', '/api/v1/api-keys', { name: hostile, description: hostile });
  await call(world, 'GET', `/api/v1/containers/${encodeURIComponent(hostile)}?q=${encodeURIComponent(hostile)}`);
  await call(world, 'POST', '/api/v1/chat/completions', { model: hostile, messages: [] }, { 'x-note': '<b>note</b>' });
  await call(world, 'POST', '/api/v1/chat/completions', {
    model: 'gpt-5',
    messages: [{ role: 'user', content: hostile }],
  });
  await call(world, 'POST', '/api/v1/eliza/agents', { agentName: '<b>shared</b>' });
  await call(world, 'POST', '/api/v1/eliza/agents', {
    agentName: `${hostile} fail-provision-no-capacity`,
    alwaysOn: true,
  });
  const { id } = controls.hostedAgents.create({ name: hostile, tier: 'dedicated-always' });
  controls.jobs.create({ type: 'agent_snapshot', agent: id, failure: 'job-hangs' });
  controls.jobs.fail(id, { error: hostile });
  controls.hostedAgents.set(id, { status: 'error', error: hostile });
  controls.jobs.create({ type: 'agent_provision', agent: id });
  controls.organizations.create({ name: hostile });
  controls.keys.create({ name: hostile, expiresIn: '1h' });
  controls.users.create({ name: hostile });
  controls.sessions.create({ expiresIn: '2h' });
  controls.replies.add({ text: hostile });
  controls.faults.add({ match: { operation: 'keys.*', headers: { 'x-note': hostile } }, effect: { status: 503 } });
  controls.snapshots.take({ name: 'before' });
  await controls.worlds.create({ id: 'blue' });
  await controls.clock.advance('5s');
}

it('the dashboard paints while it still waits for its data', async () => {
  const page = await browser.newPage();
  const held: string[] = [];
  await page.route(
    (url) => !/^\/_emulator\/(assets\/.*)?$/.test(url.pathname),
    (route) => void held.push(new URL(route.request().url()).pathname),
  );
  await page.goto(`${emulator.url}/_emulator/`);
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
  expect(held).toContain('/_emulator/clock');
  expect(await page.innerText('nav')).toContain('Containers');
  await page.close();
});

it('the dashboard is less than 100 KB of code and styles when compressed', () => {
  const folder = new URL('../../../dist/dashboard/', import.meta.url);
  const own = readdirSync(folder).filter((name) => !name.startsWith('reference'));
  const sizes = own.map((name) => gzipSync(readFileSync(new URL(name, folder))).length);
  expect(sizes.length).toBeGreaterThan(2);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000);
});

describe.each([
  ['light', 1440],
  ['dark', 1440],
  ['light', 390],
  ['dark', 390],
] as const)('every view, %s, %i px wide', (colorScheme, width) => {
  it('shows texts as texts, asks nobody else, and has no barrier', async () => {
    const options = { colorScheme, viewport: { width, height: 844 } };
    const { page, troubles, close } = await openDashboard(browser, emulator.url, 'timeline', options);
    const found: string[] = [];
    for (const view of await viewsOf(page)) {
      await goTo(page, view);
      const note = async (where: string): Promise<void> => {
        found.push(...(await violationsOf(page)).map((violation) => `${where}: ${violation}`));
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        if (isWide) found.push(`${where}: is wider than the window`);
        found.push(...(await overflowing(page)).map((element) => `${where}: overflows: ${element}`));
        if ((await page.locator('main img[src="x"], main b, main script').count()) > 0) found.push(`${where}: markup`);
        if ((await page.locator('main h1').count()) === 0) found.push(`${where}: has no heading`);
      };
      await note(view);
      const add = page.locator('main > header button.primary');
      if ((await add.count()) > 0) {
        await add.click();
        await page.getByRole('complementary', { name: 'Details' }).waitFor();
        await note(`${view}, new`);
        await page.getByRole('button', { name: 'Close the details' }).click();
      }
      const rows = page.locator('main [role=option]:not(.now)');
      if ((await rows.count()) === 0) continue;
      await rows.first().click();
      await page.waitForFunction(() => !/Reading…/.test(document.querySelector('main')?.textContent ?? ''));
      await note(`${view}, open`);
    }
    await close();
    expect([...found, ...troubles]).toEqual([]);
  });
});
