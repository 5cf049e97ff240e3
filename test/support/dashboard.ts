// The dashboard in a real browser, for tests: what it says on the console and whom it asks is kept.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export interface Dashboard {
  page: Page;
  /** Errors on the console, errors of scripts, and requests to other hosts. */
  troubles: string[];
  close(): Promise<void>;
}

/** Opens a view of the dashboard at an address such as http://127.0.0.1:4747. */
export async function openDashboard(
  browser: Browser,
  url: string,
  view = 'timeline',
  options: BrowserContextOptions = {},
): Promise<Dashboard> {
  const opened = await openPage(browser, url, `/_emulator/#/${view}`, options);
  await opened.page.waitForSelector('nav a', { state: 'attached' });
  return opened;
}

/** Opens a page of the emulator by its path. */
export async function openPage(
  browser: Browser,
  url: string,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Dashboard> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  // For what hangs: a busy machine may be slow.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(message.text());
  });
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('dialog', (dialog) => {
    troubles.push(`a dialog opened: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    // Blobs that the page itself made are of its origin, too.
    const isOwn = [`${url}/`, `blob:${url}/`, 'data:'].some((start) => request.url().startsWith(start));
    if (!isOwn) troubles.push(request.url());
  });
  await page.goto(url + path);
  return { page, troubles, close: () => context.close() };
}

/** The paths of all views, as the navigation has them. */
export function viewsOf(page: Page): Promise<string[]> {
  return page.$$eval('nav a[href^="#"]', (links) =>
    links.map((link) => (link.getAttribute('href') ?? '').replace('#/', '')),
  );
}

/** Goes to a view and waits until it has read its data. */
export async function goTo(page: Page, view: string): Promise<void> {
  await page.evaluate((path) => {
    location.hash = `#/${path}`;
  }, view);
  await page.waitForFunction(
    (path) => document.querySelector('nav a[aria-current]')?.getAttribute('href') === `#/${path}`,
    view.split(/[/?]/)[0],
  );
  await page.waitForFunction(() => !/Reading…/.test(document.querySelector('main')?.textContent ?? ''));
}

/**
 * The elements of the view whose content is wider than they are, and neither scrolls, nor ends in an ellipsis, nor stands
 * in a title.
 */
export function overflowing(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isSeen = (element: any): boolean => {
      const { overflowX, textOverflow, display } = getComputedStyle(element);
      const isInline = display === 'inline' || element.matches('input');
      return isInline || /auto|scroll/.test(overflowX) || textOverflow === 'ellipsis' || element.title !== '';
    };
    return [...document.querySelectorAll('main *')]
      .filter((element) => element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1 && !isSeen(element))
      .map((element) => `${element.outerHTML.slice(0, 100)} ${element.scrollWidth} in ${element.clientWidth}`);
  });
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The violations that axe-core finds in a page: rule, and the first element that breaks it. */
export async function violationsOf(page: Page): Promise<string[]> {
  // Evaluated by the debugger: the page's policy allows no such script.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const found = await (globalThis as any).axe.run(document);
    return found.violations.map(
      ({ id, nodes: [first] }: any) => `${id}: ${first.html.slice(0, 200)} ${first.failureSummary.slice(0, 300)}`,
    );
  });
}
