// Work with the dashboard, in a real Chromium: people watch, intervene, arm faults, jump in time, with keys alone.

import { rmSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CreateEmulatorOptions, Emulator } from '../../../src/index.js';
import { createEmulator } from '../../../src/index.js';
import { startChromium } from '../../support/chromium.js';
import { tempDir } from '../../support/command.js';
import { type Dashboard, goTo, openDashboard } from '../../support/dashboard.js';
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

async function start(options: CreateEmulatorOptions = {}): Promise<Emulator> {
  const emulator = await createEmulator({ seed: 'work', clock: '2026-01-01T00:00:00Z', frozen: true, ...options });
  open.push(emulator);
  return emulator;
}

async function show(url: string, view?: string): Promise<Dashboard> {
  const dashboard = await openDashboard(browser, url, view);
  open.push(dashboard);
  await dashboard.page.getByText('Live', { exact: true }).waitFor();
  return dashboard;
}

const row = (page: Page, text: string | RegExp) => page.getByRole('option').filter({ hasText: text });

describe('a deployment', () => {
  it('is seen moving, failed by a click, and its log read', async () => {
    const emulator = await start();
    const { page, troubles } = await show(emulator.url, 'containers');
    await page.getByText('No containers').waitFor();
    await deploy(emulator, { name: 'shop', project_name: 'shop' });
    await row(page, 'shop').getByText('pending').waitFor();
    await row(page, 'shop').click();
    await page.getByRole('button', { name: 'Jump to the next change' }).click();
    await row(page, 'shop').getByText('building').waitFor();
    await page.getByRole('button', { name: 'Skip to the next stage' }).click();
    await row(page, 'shop').getByText('deploying').waitFor();
    await page.getByLabel('Failure mode').selectOption('health-path');
    await expect.poll(() => page.locator('.command').first().textContent()).toContain('cloudemu container');
    await page.getByRole('button', { name: 'Fail', exact: true }).click();
    await row(page, 'shop').getByText('failed').waitFor();
    expect(emulator.controls.containers.get('shop').status).toBe('failed');
    await page
      .getByRole('log')
      .getByText(/health/i)
      .first()
      .waitFor();
    expect(troubles).toEqual([]);
  });
});

describe('the timeline', () => {
  it('says what to do in a new world', async () => {
    const emulator = await start();
    const { page, troubles } = await show(emulator.url);
    await page.getByText('Nothing has happened yet').waitFor();
    await call(emulator, 'GET', '/api/v1/containers');
    await row(page, '/api/v1/containers').waitFor();
    expect(troubles).toEqual([]);
  });

  it('shows a request at once, and arms a fault from it that hits the next one', async () => {
    const emulator = await start();
    const { page, troubles } = await show(emulator.url);
    await call(emulator, 'GET', '/api/v1/containers');
    await row(page, 'GET /api/v1/containers').click();
    await page.getByRole('button', { name: 'Fail the next one with 503' }).click();
    await page.getByText('The next containers.list gets 503').waitFor();
    expect((await call(emulator, 'GET', '/api/v1/containers')).status).toBe(503);
    await row(page, '503').click();
    await page.getByText('The fault that fired').waitFor();
    expect((await call(emulator, 'GET', '/api/v1/containers')).status).toBe(200);
    expect(troubles).toEqual([]);
  });

  it('shows the rows that a request changed, before and after', async () => {
    const emulator = await start();
    await deploy(emulator, { name: 'early', project_name: 'early' });
    const { page, troubles } = await show(emulator.url);
    const created = await deploy(emulator, { name: 'shop', project_name: 'shop' });
    await call(emulator, 'DELETE', `/api/v1/containers/${created.id}`);
    const details = page.getByRole('complementary', { name: 'Details' });
    await row(page, 'DELETE /api').click();
    await details.getByRole('region', { name: 'containers', exact: true }).getByText('removed').waitFor();
    await row(page, 'POST /api').last().click();
    const balance = details.getByRole('region', { name: 'organizations' });
    await expect.poll(() => balance.textContent()).toContain('balance999.5 → 999');
    await row(page, 'POST /api').first().click();
    await expect.poll(() => balance.textContent()).toContain('balance1000 → 999.5');
    expect(troubles).toEqual([]);
  });

  it('opens the request that a link names, and marks what else belongs to it', async () => {
    const emulator = await start();
    await deploy(emulator, { name: 'shop', project_name: 'shop' });
    const { page, troubles } = await show(emulator.url, 'credits');
    await row(page, 'Deployment of shop').click();
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.getByRole('link', { name: /^req_/ }).click();
    await details.getByText('POST /api/v1/containers').waitFor();
    await page.locator('.row.related', { hasText: 'Deployment of shop' }).waitFor();
    await page.getByRole('searchbox').fill('');
    await page.locator('.row.related', { hasText: 'Container shop' }).filter({ hasText: 'running' }).waitFor();
    // The first one leaves the field.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect.poll(() => details.count()).toBe(0);
    expect(troubles).toEqual([]);
  });

  it('names the day of what is not of today', async () => {
    const emulator = await start();
    await call(emulator, 'GET', '/api/v1/containers');
    await emulator.controls.clock.advance('1d');
    await call(emulator, 'GET', '/api/v1/agents');
    const { page } = await show(emulator.url);
    await row(page, '/api/v1/agents').getByText('00:00:00', { exact: true }).waitFor();
    await row(page, '/api/v1/containers').getByText('01-01 00:00:00', { exact: true }).waitFor();
  });

  it('shows the future, which comes true when time jumps there', async () => {
    const emulator = await start();
    const { page } = await show(emulator.url);
    await deploy(emulator, { name: 'shop', project_name: 'shop' });
    const ahead = page.locator('.row.ahead', { hasText: 'Container shop' }).filter({ hasText: 'running' });
    await ahead.click();
    await page.getByRole('button', { name: 'Jump to this' }).click();
    await page.locator('.row:not(.ahead)', { hasText: 'Container shop' }).filter({ hasText: 'running' }).waitFor();
    expect(emulator.controls.containers.get('shop').status).toBe('running');
    expect(await ahead.count()).toBe(0);
  });

  it('has a strip of time with the future to the right of now, used with the pointer and with keys', async () => {
    const emulator = await start();
    const { page, troubles } = await show(emulator.url);
    await deploy(emulator, { name: 'shop', project_name: 'shop' });
    const strip = page.getByRole('slider', { name: /Things in time/ });
    const told = (): Promise<string | null> => strip.getAttribute('aria-valuetext');
    const placesOf = (marks: string): Promise<number[]> =>
      page.$$eval(`.plane ${marks}`, (found) => found.map((mark) => Number.parseFloat((mark as any).style.left)));
    await row(page, 'Container shop').first().waitFor();
    await strip.waitFor();
    const [line = 0] = await placesOf('.now');
    expect(Math.max(...(await placesOf('i:not([data-key^="ahead:"])')))).toBeLessThan(line);
    const ahead = await placesOf('i[data-key^="ahead:"]');
    expect(ahead).toHaveLength(3);
    expect(Math.min(...ahead)).toBeGreaterThan(line);
    // The next entry is named, and opens.
    await page.getByRole('region', { name: 'Past and future' }).getByRole('button', { name: 'Container shop' }).click();
    await page.getByRole('button', { name: 'Jump to this' }).click();
    await expect.poll(() => emulator.controls.containers.get('shop').status).toBe('building');
    await page.keyboard.press('Escape');
    // With keys: down to the lane of containers, right past now, Enter.
    await strip.focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(told).toMatch(/^Containers: Container shop .*/);
    for (let i = 0; i < 9 && !/running, in/.test((await told()) ?? ''); i++) await page.keyboard.press('ArrowRight');
    expect(await told()).toMatch(/running, in \d/);
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Details' }).getByText('running').waitFor();
    await page.getByRole('button', { name: 'Jump to this' }).click();
    await expect.poll(() => emulator.controls.containers.get('shop').status).toBe('running');
    // A click on a mark opens what it stands for, in the list too.
    await page.keyboard.press('Escape');
    await page.locator('.row:not(.ahead)', { hasText: 'Container shop' }).filter({ hasText: 'running' }).waitFor();
    await page.locator('.plane i.warning').first().click();
    await page
      .getByRole('complementary', { name: 'Details' })
      .getByText('containers.create', { exact: true })
      .waitFor();
    await expect.poll(() => page.locator('.row.open').count()).toBe(1);
    const span = page.getByTitle('Time in sight');
    const before = await span.textContent();
    await page.getByRole('button', { name: 'Show less time' }).click();
    await expect.poll(() => span.textContent()).not.toBe(before);
    await page.getByRole('button', { name: 'Back to now' }).click();
    expect(troubles).toEqual([]);
  });

  it('filters ten thousand entries as you type, drawing only those in sight', async () => {
    const emulator = await start({ data: { journal: 10_000 }, rateLimits: { enabled: false } });
    for (let i = 0; i < 10_000; i += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, n) => call(emulator, 'GET', `/api/v1/containers/c${i + n}`)));
    }
    const { page } = await show(emulator.url);
    await expect
      .poll(() => row(page, 'now').first().getAttribute('aria-setsize'), { timeout: 60_000 })
      .toMatch(/^10\d{3}$/);
    expect(await page.getByRole('option').count()).toBeLessThan(100);
    await page.keyboard.press('/');
    await page.keyboard.type('containers/c4711');
    await expect.poll(() => row(page, 'containers/c').count()).toBe(1);
  });

  it('holds still while it is paused', async () => {
    const emulator = await start();
    const { page } = await show(emulator.url);
    await call(emulator, 'GET', '/api/v1/containers');
    await row(page, '/api/v1/containers').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await call(emulator, 'GET', '/api/v1/agents');
    await page.getByRole('button', { name: 'Go on (1 new)' }).click();
    await row(page, '/api/v1/agents').waitFor();
    // Space pauses, too; on a button it presses that.
    await page.getByRole('button', { name: 'Only problems' }).press(' ');
    await page.getByRole('button', { name: 'Only problems', pressed: true }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('listbox').press(' ');
    await page.getByRole('button', { name: 'Go on' }).waitFor();
  });
});

it('the dashboard shows a stream piece by piece as it is sent, and its end', async () => {
  const emulator = await start();
  const { page, troubles } = await show(emulator.url, 'models');
  const ask = async (signal?: AbortSignal): Promise<Response> =>
    emulator.fetch('/api/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }], stream: true }),
      ...(signal !== undefined && { signal }),
    });
  emulator.controls.replies.add({ text: 'One two three', firstDelay: '1s', delay: '1s', times: 2 });
  await page.getByText('The clock is frozen, so its delay does not pass').waitFor();
  const whole = (await ask()).text();
  await row(page, 'gpt-4o').getByText('open').waitFor();
  await row(page, 'gpt-4o').click();
  const sent = page.getByRole('log', { name: 'What was sent' });
  for (const [by, text] of [
    ['1s', 'One'],
    ['1s', 'One two'],
    ['1s', 'One two three'],
  ] as const) {
    await emulator.controls.clock.advance(by);
    await expect.poll(() => sent.textContent()).toBe(text);
  }
  await whole;
  await row(page, 'gpt-4o').getByText('complete').waitFor();
  const leave = new AbortController();
  await ask(leave.signal);
  await row(page, 'gpt-4o').first().getByText('open').waitFor();
  leave.abort();
  await row(page, 'gpt-4o').first().getByText('client left').waitFor();
  emulator.controls.faults.add({ match: { operation: 'chat.*' }, effect: { network: 'truncate' } });
  await (await ask()).text().catch(() => '');
  await row(page, 'gpt-4o').first().getByText('broken off').waitFor();
  await goTo(page, 'timeline');
  await row(page, 'chat/completions').first().click();
  await sent.getByText('One two three').waitFor();
  expect(troubles).toEqual([]);
});

it('the dashboard comes back by itself after a restart', async () => {
  const dir = tempDir();
  const first = await start({ dataDir: dir });
  const { port } = first;
  const { page } = await show(first.url);
  await call(first, 'GET', '/api/v1/containers');
  await row(page, '/api/v1/containers').waitFor();
  await first.close();
  await page.getByText('Reconnecting…').waitFor();
  const second = await start({ dataDir: dir, port });
  await page.getByText('Live', { exact: true }).waitFor();
  await call(second, 'GET', '/api/v1/agents');
  await row(page, '/api/v1/agents').waitFor();
  expect(await row(page, '/api/v1/containers').count()).toBe(1);
  rmSync(dir, { recursive: true, force: true });
});

it('the dashboard switches worlds', async () => {
  const emulator = await start();
  await emulator.controls.worlds.create({ id: 'blue' });
  const { page } = await show(emulator.url);
  await page.getByLabel('World').selectOption('blue');
  await page.waitForURL(`${emulator.url}/w/blue/_emulator/**`);
  await page.getByText('Live', { exact: true }).waitFor();
});

it('the dashboard takes the control token once where it is asked for from elsewhere', async () => {
  const emulator = await start({ publicUrl: 'http://cloud.example', controlToken: 'let-me-in' });
  const url = `http://cloud.example:${emulator.port}`;
  const { page, troubles, close } = await openDashboard(browser, url);
  open.push({ close });
  await page.getByLabel('Control token').fill('let-me-in');
  await page.getByRole('button', { name: 'Open the dashboard' }).click();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect.poll(() => emulator.controls.clock.get().frozen).toBe(false);
  expect(await page.evaluate(() => document.cookie)).toBe('');
  await page.reload();
  await page.getByText('Live', { exact: true }).waitFor();
  // The refusal that led to the form is told on the console.
  expect(troubles.filter((text) => !text.includes('401'))).toEqual([]);
});

it('the dashboard is used with keys alone', async () => {
  const emulator = await start();
  await deploy(emulator, { name: 'shop', project_name: 'shop' });
  const { page } = await show(emulator.url);
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await press('?');
  await page.getByRole('dialog').getByText('Next row').first().waitFor();
  await press('Escape');
  await press('/');
  await page.keyboard.type('containers.create');
  await press('Escape', 'j', 'Enter');
  await page.getByRole('complementary', { name: 'Details' }).getByText('POST /api/v1/containers').waitFor();
  await press('Escape');
  await expect.poll(() => page.getByRole('complementary', { name: 'Details' }).count()).toBe(0);
  await press('3');
  // The timeline has such rows, too.
  await page.getByRole('heading', { name: 'Containers' }).waitFor();
  await row(page, 'shop').waitFor();
  await press('j', 'Enter');
  const stop = page.getByRole('button', { name: 'Stop', exact: true });
  await stop.waitFor();
  for (let i = 0; i < 80 && !(await stop.evaluate((button) => button === document.activeElement)); i++)
    await press('Tab');
  await press('Enter');
  await expect.poll(() => emulator.controls.containers.get('shop').status).toBe('stopped');
  await press('2');
  await page.getByRole('heading', { name: 'Time' }).waitFor();
  const before = emulator.controls.clock.get().now;
  await press('a');
  await expect.poll(() => emulator.controls.clock.get().now).not.toBe(before);
  await goTo(page, 'timeline');
});
