// The recipe for Jest, run by Jest.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/client.js';
import { startCommand } from '../support/command.js';
import { judgedRun } from '../support/labelled.js';
import { createProject, runIn } from '../support/project.js';

interface Report {
  testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[];
}

async function runJest(project: string, env: Record<string, string> = {}, more: readonly string[] = []) {
  // Its own limit of 5 s is short for a busy machine.
  const args = ['--ci', '--json', '--outputFile=report.json', '--testTimeout=60000', ...more];
  const outcome = await runIn(project, ['jest', ...args], env);
  const { testResults } = JSON.parse(readFileSync(join(project, 'report.json'), 'utf8')) as Report;
  return { ...outcome, results: testResults.flatMap(({ assertionResults }) => assertionResults) };
}

it('the recipe for Jest starts an emulator of its own, in which a client that does wrong fails its test', async () => {
  const project = createProject('recipes/jest');
  const spec = `test('asks for what there is not', () => world.fetch('/api/v1/containers?pge=2', {
    headers: { authorization: 'Bearer ' + world.apiKey },
  }));`;
  writeFileSync(join(project, 'wrong.spec.js'), spec);
  const { code, results } = await runJest(project);
  expect(code).toBe(1);
  expect(results.filter(({ status }) => status === 'passed')).toHaveLength(3);
  const [wrong, ...others] = results.filter(({ status }) => status === 'failed');
  expect(others).toEqual([]);
  expect(wrong?.title).toBe('asks for what there is not');
  expect(wrong?.failureMessages.join('')).toContain('unknown query parameter query.pge');
  expect(wrong?.failureMessages.join('')).toMatch(/--data-dir \.cloudemu\/failed\/\S+` opens this world again/);
});

it('the recipe for Jest uses a shared emulator and leaves no world there', async () => {
  const shared = await startCommand(['--ephemeral']);
  const { code, results } = await runJest(createProject('recipes/jest'), { CLOUDEMU_URL: shared.url });
  expect([code, results.map(({ status }) => status)]).toEqual([0, ['passed', 'passed', 'passed']]);
  const worlds = await connect({ url: shared.url }).controls.worlds.list();
  expect(worlds.map(({ id }) => id)).toEqual(['default']);
});

it('the recipe for Jest labels worlds with their tests, which `cloudemu run` judges', async () => {
  const project = createProject('recipes/jest');
  const list = `world.fetch('/api/v1/containers', { headers: { 'x-api-key': world.apiKey } })`;
  writeFileSync(
    join(project, 'deploy.spec.js'),
    `for (const times of [2, 1]) test('lists', async () => { for (let i = 0; i < times; i++) await ${list}; });`,
  );
  const { worlds, failed } = await judgedRun(project, 'jest', '--ci', '--testTimeout=60000');
  expect(worlds.map(([label, , requests]) => [label, requests])).toEqual([
    ['deploy.spec.js > lists', 2],
    ['deploy.spec.js > lists (2)', 1],
  ]);
  expect(failed).toEqual([]);
});

it('the recipe for Jest labels the world of a retry as that of the first attempt', async () => {
  const project = createProject('recipes/jest');
  writeFileSync(
    join(project, 'again.spec.js'),
    `jest.retryTimes(1);
     let attempt = 0;
     const list = () => world.fetch('/api/v1/containers', { headers: { 'x-api-key': world.apiKey } });
     test('lists', async () => { await list(); expect(++attempt).toBe(2); });
     test('lists', list);`,
  );
  const { worlds } = await judgedRun(project, 'jest', '--ci', '--testTimeout=60000', 'again');
  const labels = worlds.map(([label]) => label).sort();
  expect(labels).toEqual(['again.spec.js > lists', 'again.spec.js > lists', 'again.spec.js > lists (2)']);
});

it.each([
  ['when a test says so', undefined],
  ['for all tests', {}],
  ['for all tests, legacy ones', { legacyFakeTimers: true }],
])('the recipe for Jest answers under fake timers, faked %s', async (_, forAll) => {
  const fakeTimers = { enableGlobally: true, ...forAll };
  const more = forAll === undefined ? [] : ['--config', JSON.stringify({ fakeTimers })];
  const env = forAll === undefined ? {} : { FAKED_FOR_ALL: '1' };
  const { code, results, stderr } = await runJest(createProject('entries/timers'), env, more);
  expect([code, results.filter(({ status }) => status !== 'passed')], stderr).toEqual([0, []]);
  expect(results).toHaveLength(forAll === undefined ? 8 : 6);
});
