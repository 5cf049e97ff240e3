// The recipe for Playwright, run by Playwright.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/client.js';
import { freePort, startCommand } from '../support/command.js';
import { judgedRun } from '../support/labelled.js';
import { createProject, runIn } from '../support/project.js';

interface Result {
  status: string;
  errors: { message: string }[];
  attachments: { name: string; body?: string }[];
}
interface Report {
  suites: { specs: { title: string; tests: { results: Result[] }[] }[] }[];
}

async function runPlaywright(project: string, url: string) {
  const env = { CLOUDEMU_URL: url, PLAYWRIGHT_JSON_OUTPUT_NAME: 'report.json' };
  const outcome = await runIn(project, ['playwright', 'test', '--reporter=json'], env);
  const { suites } = JSON.parse(readFileSync(join(project, 'report.json'), 'utf8')) as Report;
  const results = suites.flatMap(({ specs }) =>
    specs.flatMap(({ title, tests }) => tests.flatMap((test) => test.results.map((result) => ({ title, ...result })))),
  );
  return { ...outcome, results: Object.fromEntries(results.map((result) => [result.title, result])) };
}

// A port that was free may be taken by another test before it is used: hence the second try.
it('the recipe for Playwright starts an emulator, ends it, and tells what clients did', { retry: 1 }, async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const project = createProject('recipes/playwright');
  const spec = `
    import { expect, test } from './world.js';
    test('asks for what there is not', async ({ request }) => void (await request.get('/api/v1/containers?pge=2')));
    test('fails', async ({ request }) => expect((await request.get('/api/v1/containers')).status()).toBe(500));
  `;
  writeFileSync(join(project, 'wrong.spec.ts'), spec);
  const { code, results } = await runPlaywright(project, url);
  expect(code).toBe(1);
  expect(results['deploys a container that runs']?.status).toBe('passed');
  expect(results['begins with nothing']?.status).toBe('passed');
  const wrong = results['asks for what there is not'];
  expect(wrong?.status).toBe('failed');
  expect(wrong?.errors[0]?.message).toContain('unknown query parameter query.pge');
  const [attached] = results.fails?.attachments.filter(({ name }) => name === 'cloudemu') ?? [];
  const text = Buffer.from(attached?.body ?? '', 'base64').toString();
  expect(text).toMatch(
    /^1 request:\n {2}[\d:.]+ {2}GET \/api\/v1\/containers {2}200\nClock: .*\nSettings: profile spec \(no file\)\nThis world stays for an hour, its clock frozen: http.*\/_emulator\/\nWhen its emulator has ended, `npx cloudemu start --port 0 --data-dir \S+` opens this world again\.\nIts last change is point 1: `npx cloudemu world create --at 1 --side before --of \S+` begins a world before it\.$/,
  );
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});

it('the recipe for Playwright uses a shared emulator and leaves no world there', async () => {
  const shared = await startCommand(['--ephemeral']);
  const { code, results } = await runPlaywright(createProject('recipes/playwright'), shared.url);
  expect([code, Object.values(results).map(({ status }) => status)]).toEqual([0, ['passed', 'passed']]);
  const worlds = await connect({ url: shared.url }).controls.worlds.list();
  expect(worlds.map(({ id }) => id)).toEqual(['default']);
});

it('the recipe for Playwright labels worlds with their tests, which `cloudemu run` judges', async () => {
  const { worlds, failed } = await judgedRun(createProject('recipes/playwright'), 'playwright', 'test');
  expect(worlds.map(([label]) => label)).toEqual([
    'deploy.spec.ts > begins with nothing',
    'deploy.spec.ts > deploys a container that runs',
  ]);
  expect(failed).toEqual([]);
});
