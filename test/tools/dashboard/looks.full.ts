// The dashboard at a glance: words in the place of ids, one colour for one meaning, nothing in the way.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type CreateEmulatorOptions, createEmulator, type Emulator } from '../../../src/index.js';
import { statuses } from '../../../src/platform/containers/lifecycle/phases.js';
import { movementTypes } from '../../../src/platform/credits/ledger.js';
import { agentStatuses } from '../../../src/platform/hosted-agents/store.js';
import { allJobStatuses } from '../../../src/platform/jobs/named.js';
import { startChromium } from '../../support/chromium.js';
import { tempDir } from '../../support/command.js';
import { goTo, openDashboard, openPage } from '../../support/dashboard.js';
import { call, deploy } from '../../support/emulator.js';
import { clone } from '../../support/voice.js';

let browser: Browser;
const open: { close(): Promise<unknown> }[] = [];
const narrow = { viewport: { width: 390, height: 844 } };

beforeAll(async () => {
  browser = await startChromium();
});
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});
afterAll(() => browser?.close());

async function start(options: CreateEmulatorOptions = {}): Promise<Emulator> {
  const emulator = await createEmulator({ seed: 'looks', clock: '2026-01-01T00:00:00Z', frozen: true, ...options });
  open.push(emulator);
  return emulator;
}

async function show(emulator: Emulator, view: string, options = {}): Promise<Page> {
  const dashboard = await openDashboard(browser, emulator.url, view, options);
  open.push(dashboard);
  await dashboard.page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
  return dashboard.page;
}

const row = (page: Page, text: string | RegExp) => page.getByRole('main').getByRole('option').filter({ hasText: text });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const ask = (emulator: Emulator, stream = false) =>
  call(emulator, 'POST', '/api/v1/chat/completions', {
    model: 'gpt-5',
    stream,
    messages: [{ role: 'user', content: 'Hi' }],
  });

it('a copy button of the dashboard says that it has copied, and has one message, which covers nothing', async () => {
  const emulator = await start();
  const page = await show(emulator, 'time', { permissions: ['clipboard-write'] });
  const copy = page.getByRole('button', { name: 'Copy the command cloudemu clock advance 1s' });
  await copy.click();
  await page.getByRole('button', { name: 'Copied the command cloudemu clock advance 1s' }).waitFor();
  expect(await page.locator('footer > div > div').count()).toBe(0);
  for (const step of ['1s', '10s', '1m']) await press(page, step);
  await page.locator('footer > div > div', { hasText: 'Time advanced by 1m' }).waitFor();
  expect(await page.locator('footer > div > div').count()).toBe(1);
  const main = await page.locator('main').boundingBox();
  const message = await page.locator('footer > div > div').boundingBox();
  expect((main?.y ?? 0) + (main?.height ?? 0)).toBeLessThanOrEqual(message?.y ?? 0);
});

it('the dashboard marks the speed at which the clock runs', async () => {
  const page = await show(await start(), 'time');
  await page.getByRole('button', { name: 'Freeze', exact: true, pressed: true }).first().waitFor();
  await press(page, '× 60');
  await page.getByRole('button', { name: '× 60', pressed: true }).waitFor();
  expect(await page.getByRole('button', { pressed: true }).count()).toBe(1);
});

it('the dashboard shows in the list and the badge what an intervention has led to as soon as it is answered', async () => {
  const emulator = await start();
  await deploy(emulator, { name: 'shop', project_name: 'shop' });
  await emulator.controls.clock.advance('1h');
  const page = await show(emulator, 'containers');
  await row(page, 'shop').click();
  const readings: string[] = [];
  page.on('request', (request) => readings.push(`${request.method()} ${new URL(request.url()).pathname}`));
  await press(page, 'Fail');
  await row(page, 'shop').getByText('failed').waitFor();
  const after = readings.slice(readings.findIndex((one) => one.startsWith('POST')) + 1);
  expect(after.slice(0, 6)).toContain('GET /_emulator/containers');
  await page
    .getByRole('complementary', { name: 'Details' })
    .locator('.lead .badge', { hasText: 'failed' })
    .first()
    .waitFor();
});

it('the dashboard hides and shows each lane of the timeline, and colours nothing but results', async () => {
  const emulator = await start();
  emulator.controls.faults.add({ match: { operation: 'keys.*' }, when: { times: 1 }, effect: { status: 503 } });
  await call(emulator, 'GET', '/api/v1/api-keys');
  await call(emulator, 'GET', '/api/v1/containers');
  const page = await show(emulator, 'timeline');
  await row(page, '/api/v1/api-keys').waitFor();
  const lane = (name: string) => page.locator('.strip > div > ul li', { hasText: name });
  await press(page, 'Requests');
  await expect.poll(() => row(page, '/api/v1/containers').count()).toBe(0);
  expect(await row(page, '/api/v1/api-keys').count()).toBe(1);
  expect([await lane('Requests').count(), await lane('Faults').count()]).toEqual([0, 1]);
  await press(page, 'Faults');
  await expect.poll(() => row(page, '/api/v1/api-keys').count()).toBe(0);
  await press(page, 'Expiries');
  await expect.poll(() => row(page, 'Rate limit').count()).toBe(0);
  expect(await page.locator('.kind').count()).toBe(0);
  await press(page, 'Requests');
  const colours = await page.evaluate(() => {
    const style = (selector: string, part?: string) => getComputedStyle(document.querySelector(selector) as any, part);
    return [
      style('.strip > header li.bad').color,
      style('.plane i.bad', '::before').backgroundColor,
      style('.row .badge.bad').color,
    ];
  });
  expect(new Set(colours).size).toBe(1);
});

it('the dashboard names containers by their projects, and requests by their operations where there is little room', async () => {
  const emulator = await start();
  const { id } = await deploy(emulator, { name: 'shop', project_name: 'shop' });
  await call(emulator, 'GET', `/api/v1/containers/${id}/logs`);
  const wide = await show(emulator, 'timeline');
  await row(wide, 'GET /api/v1/containers/shop/logs').waitFor();
  const slim = await show(emulator, 'timeline', narrow);
  await row(slim, 'containers.logs shop').waitFor();
  expect(await row(slim, '/api/v1/cont').count()).toBe(0);
});

it('the dashboard’s strip holds what happened before a jump of a day', async () => {
  const emulator = await start();
  for (let i = 0; i < 3; i++) await call(emulator, 'GET', '/api/v1/api-keys');
  await emulator.controls.clock.advance('1d');
  const page = await show(emulator, 'timeline');
  await page.locator('.plane i.good').first().waitFor({ state: 'attached' });
});

it('the dashboard’s timeline has nothing of the past below now', async () => {
  const emulator = await start({ frozen: false });
  const page = await show(emulator, 'timeline');
  await deploy(emulator, { name: 'shop', project_name: 'shop' });
  await page.locator('.row.ahead', { hasText: 'Container shop' }).first().waitFor();
  const wrong = await page.evaluate(async () => {
    const found: string[] = [];
    const end = performance.now() + 3_000;
    while (performance.now() < end) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      for (const time of document.querySelectorAll('.row.now ~ .row time'))
        if (/ ago$/.test(time.textContent ?? '')) found.push(time.textContent ?? '');
    }
    return found;
  });
  expect(wrong).toEqual([]);
});

it('the dashboard offers the voices that there are, and says when a job began and why it failed', async () => {
  const emulator = await start();
  await clone(emulator);
  const [job] = emulator.controls.jobs.list();
  const page = await show(emulator, 'voices');
  await row(page, 'Ada').getByText('00:00:00', { exact: true }).waitFor();
  emulator.controls.jobs.fail(job?.id ?? '', { mode: 'too-short' });
  await row(page, 'Ada').getByText('too short').waitFor();
  await goTo(page, 'voices/voices');
  const voices = emulator.controls.voices.premade().map(({ name }) => name);
  expect(voices).toContain('Sarah');
  await expect
    .poll(() => page.getByLabel('Voice', { exact: true }).locator('option').allTextContents())
    .toEqual(voices);
});

it('the dashboard empties the text of a queued reply, and shows queued ones as people read them', async () => {
  const emulator = await start();
  emulator.controls.replies.add({ toolCalls: [{ name: 'look', arguments: { at: 1 } }], firstDelay: '2s' });
  const page = await show(emulator, 'models');
  await page.getByText('look({"at":1})').waitFor();
  await page.locator('.card', { hasText: 'Before the first chunk' }).getByText('2 s', { exact: true }).waitFor();
  await page.getByLabel('Text', { exact: true }).fill('Sunny');
  await press(page, 'Queue');
  await page.locator('.card', { hasText: 'Sunny' }).waitFor();
  expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('');
  expect(await page.locator('.card details').count()).toBe(0);
});

it('the dashboard names callers in the limits, and says of what a window is', async () => {
  const emulator = await start();
  await call(emulator, 'GET', '/api/v1/containers');
  const unknown = { ...emulator, fetch: emulator.fetch, apiKey: 'ek_test_0000000000000000' };
  await call(unknown, 'GET', '/api/v1/containers');
  const page = await show(emulator, 'limits');
  await row(page, 'Seeded test key').waitFor();
  const head = await page.locator('.list > [aria-hidden]').textContent();
  expect(head).not.toContain('Bucket');
  expect(await page.locator('[role=listbox]').textContent()).not.toMatch(/secret:|key:|address:/);
});

it('the dashboard shows a chat as one movement, and empties no account with one click', async () => {
  const emulator = await start();
  await ask(emulator, true);
  const [, charge, rest] = emulator.controls.ledger();
  expect([charge?.type, rest?.type]).toEqual(['charge', 'refund']);
  const page = await show(emulator, 'credits');
  await row(page, 'Chat completion').waitFor();
  expect(await row(page, 'Chat completion').count()).toBe(1);
  const net = Math.round(((charge?.amount ?? 0) + (rest?.amount ?? 0)) * 1e6) / 1e6;
  expect(await row(page, 'Chat completion').textContent()).toContain(String(net).replace('-', '−'));
  expect(await page.locator('main .card strong').textContent()).toBe(
    String(emulator.controls.organizations.list()[0]?.credits),
  );
  for (const name of ['Set', 'Add'])
    expect(await page.getByRole('button', { name, exact: true }).isDisabled()).toBe(true);
  await row(page, 'Chat completion').click();
  await page.getByText('at first, of which').waitFor();
});

it('the dashboard says of each key what it may do and until when', async () => {
  const emulator = await start();
  emulator.controls.keys.create({ name: 'reader', permissions: ['chat:read'], expiresIn: '2h' });
  const page = await show(emulator, 'accounts');
  await expect.poll(() => row(page, 'reader').textContent()).toMatch(/chat:read.*02:00:00/);
  expect(await row(page, 'Seeded test key').textContent()).toMatch(/all.*never/);
});

it('the dashboard lists the scenarios that an exploration found, with what each is, also on a telephone', async () => {
  const scenarios = tempDir();
  mkdirSync(join(scenarios, 'found'));
  const document = {
    title: 'The first create is lost',
    faults: [{ match: { operation: 'containers.create' }, effect: { status: 502 } }],
  };
  writeFileSync(join(scenarios, 'found', 'deploys-create-1-lost.json'), JSON.stringify(document));
  const emulator = await start({ data: { scenarios } });
  expect(emulator.controls.scenarios.list()).toContainEqual(
    expect.objectContaining({ name: 'deploys-create-1-lost', source: 'found', problems: [] }),
  );
  const page = await show(emulator, 'scenarios', narrow);
  await row(page, 'deploys-create-1-lost').getByText('The first create is lost').waitFor();
  await row(page, 'rough-day').getByText('A deployment fails').waitFor();
  await row(page, 'deploys-create-1-lost').click();
  await press(page, 'Apply');
  await expect.poll(() => emulator.controls.faults.list().length).toBe(1);
});

it('the dashboard cuts nothing of what a fault does and of what a window counts on a telephone', async () => {
  const emulator = await start();
  emulator.controls.faults.add({ match: { operation: 'chat.*' }, phase: 'partial', effect: { network: 'truncate' } });
  await call(emulator, 'GET', '/api/v1/containers?search=nothing');
  const page = await show(emulator, 'faults', narrow);
  const isCut = (text: string) =>
    page
      .getByRole('main')
      .getByText(text)
      .evaluate((element) => element.scrollWidth > element.clientWidth);
  expect(await isCut('network truncate')).toBe(false);
  await goTo(page, 'limits');
  expect(await isCut('all requests')).toBe(false);
});

it('the dashboard calls a world by the test that made it, and reads its requests and verdict when asked to', async () => {
  const emulator = await start();
  const world = await emulator.createWorld({ label: 'checkout > pays once' });
  await call(world, 'GET', `/api/v1/containers?api_key=${world.apiKey}`);
  await call(world, 'GET', '/api/v1/containers');
  const page = await show(emulator, 'timeline');
  const asked: string[] = [];
  page.on('request', (request) => request.url().includes(`/w/${world.id}/`) && asked.push(request.url()));
  await goTo(page, 'worlds');
  const line = row(page, 'checkout > pays once');
  await line.getByText(world.id, { exact: true }).waitFor();
  await line.getByText('not read').waitFor();
  expect(asked).toEqual([]);
  await page.getByRole('button', { name: 'Read the verdicts' }).click();
  await line.getByText('2 requests').waitFor();
  await line.getByText(/^\d fail$/).waitFor();
  await page.getByLabel('World', { exact: true }).selectOption({ label: 'checkout > pays once' });
  await page.waitForURL(`**/w/${world.id}/_emulator/**`);
});

it('the dashboard shows the ids of rules and assumptions, whole reasons, and first what was met', async () => {
  const emulator = await start();
  await call(emulator, 'GET', '/api/v1/api-keys');
  const page = await show(emulator, 'verdicts');
  await row(page, 'no-secret-in-url').waitFor();
  const cut = await page.$$eval('.row .wraps', (texts) =>
    texts.filter((text) => text.scrollHeight > text.clientHeight),
  );
  expect(cut).toEqual([]);
  await goTo(page, 'coverage');
  await expect.poll(() => page.locator('.matrix tbody th').first().textContent()).toBe('keys.list');
  await goTo(page, 'coverage/assumptions');
  const [assumption] = emulator.controls.assumptions();
  await row(page, assumption?.text ?? '')
    .getByText(assumption?.id ?? '', { exact: true })
    .waitFor();
});

const words: Record<string, readonly (string | undefined)[]> = {
  timeline: [...statuses, ...agentStatuses, ...allJobStatuses, 'streaming', 'aborted', '−106.199998', '+100000'],
  time: [...statuses, ...agentStatuses, ...allJobStatuses, '−106.199998'],
  containers: statuses,
  'hosted-agents': agentStatuses,
  'hosted-agents/jobs': allJobStatuses,
  voices: allJobStatuses,
  models: ['complete', 'client left', 'broken off', 'ended'],
  credits: movementTypes,
  'accounts/sessions': ['active', 'expired', 'revoked'],
  faults: ['armed', 'spent', 'expired'],
  verdicts: ['pass', 'fail', 'unclear', 'not exercised'],
};

it.each([1_440, 390])('the dashboard shows each status whole, %i px wide', async (width) => {
  const emulator = await start();
  const { controls } = emulator;
  await deploy(emulator);
  await call(emulator, 'POST', '/api/v1/eliza/agents', { agentName: 'Support', alwaysOn: true });
  await clone(emulator);
  await ask(emulator);
  controls.sessions.create();
  controls.faults.add({ match: { operation: 'keys.*' }, effect: { status: 503 } });
  const page = await show(emulator, 'timeline', { viewport: { width, height: 844 } });
  const cut: string[] = [];
  for (const [view, all] of Object.entries(words)) {
    await goTo(page, view);
    await page.locator('main .row .badge').first().waitFor();
    const found = await page.evaluate((texts) => {
      const badge: any = document.querySelector('main .row .badge');
      return texts.filter((text) => {
        badge.textContent = text;
        const cell = badge.parentElement;
        return [badge, cell].some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
      });
    }, all);
    cut.push(...found.map((text) => `${view}: ${text}`));
  }
  expect(cut).toEqual([]);
});

it('the dashboard says of which organization a container, a hosted agent or a job is', async () => {
  const emulator = await start();
  const { controls } = emulator;
  const { id: organizationId } = controls.organizations.create({ name: 'Other company', credits: 10 });
  const { apiKey } = controls.keys.create({ organizationId });
  const theirs = { authorization: `Bearer ${apiKey}` };
  await deploy(emulator, { name: 'ours', project_name: 'ours' });
  const page = await show(emulator, 'containers');
  await row(page, 'ours').waitFor();
  // As long as all are of one organization, the list need not say so.
  expect(await page.getByText('Example Organization').count()).toBe(0);
  const body = { name: 'theirs', project_name: 'theirs', ecr_image_uri: 'acme/web:v1' };
  await call(emulator, 'POST', '/api/v1/containers', body, theirs);
  await call(emulator, 'POST', '/api/v1/eliza/agents', { agentName: 'ours', alwaysOn: true });
  await call(emulator, 'POST', '/api/v1/eliza/agents', { agentName: 'theirs', alwaysOn: true }, theirs);
  for (const view of ['containers', 'hosted-agents', 'hosted-agents/jobs']) {
    await goTo(page, view);
    await row(page, 'theirs').getByText('Other company').waitFor();
    await row(page, 'ours').getByText('Example Organization').waitFor();
    await row(page, 'theirs').click();
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.getByRole('link', { name: 'Other company' }).waitFor();
  }
});

it('the dashboard writes one amount in one way', async () => {
  const emulator = await start();
  const { controls, organizationId } = emulator;
  controls.organizations.credits(organizationId, { set: 1106.199998 });
  await call(emulator, 'GET', '/api/v1/containers');
  const page = await show(emulator, 'timeline');
  await row(page, '1000 → 1106.199998').getByText('+106.199998').waitFor();
  await goTo(page, 'credits');
  await page.locator('main .card strong').getByText('1106.199998', { exact: true }).waitFor();
  await goTo(page, 'accounts/organizations');
  await row(page, 'Example Organization').getByText('1106.199998', { exact: true }).waitFor();
});

it('the dashboard breaks no id of the reference', async () => {
  const emulator = await start();
  const { page, close } = await openPage(browser, emulator.url, '/_emulator/reference');
  await page.locator('.opblock-summary-operation-id').first().waitFor();
  const broken = await page.$$eval('.opblock-summary-operation-id', (ids) =>
    ids.filter((id) => id.getBoundingClientRect().height > 24).map((id) => id.textContent),
  );
  await close();
  expect(broken).toEqual([]);
});
