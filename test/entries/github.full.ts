// The recipe for GitHub Actions: its steps, run one after the other as a runner does.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { parse } from 'yaml';
import { freePort, type Outcome } from '../support/command.js';
import { createProject, itWhere, runIn, works } from '../support/project.js';

const it = itWhere(works(['bash', '--version']));
// A port that was free may be taken by another test before it is used: hence the second try.
const options = { retry: 1 };

interface Step {
  name?: string;
  uses?: string;
  run?: string;
  if?: string;
}

interface Workflow {
  on: string[];
  jobs: { test: { 'runs-on': string; env: Record<string, string>; steps: Step[] } };
}

type RanStep = Step & Outcome;

const projects: string[] = [];
afterEach(async () => {
  for (const project of projects.splice(0)) await runIn(project, ['cloudemu', 'stop']);
});

// Steps share a directory, what they write to GITHUB_ENV, and processes that they leave running.
async function runJob(project: string): Promise<RanStep[]> {
  const file = join(project, 'test.yml');
  const text = readFileSync(file, 'utf8').replaceAll('4747', String(await freePort()));
  const { env, steps } = (parse(text) as Workflow).jobs.test;
  projects.push(project);
  const github = join(project, 'github-env');
  writeFileSync(github, '');
  const ran: RanStep[] = [];
  let failed = false;
  for (const step of steps) {
    // What is installed is here already.
    if (step.run === undefined || step.run === 'npm ci') continue;
    if (failed ? !/cancelled|failure/.test(step.if ?? '') : /failure/.test(step.if ?? '')) continue;
    const told = readFileSync(github, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    const variables = Object.fromEntries(told.map((line) => line.split(/=(.*)/s).slice(0, 2)));
    const shell = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run];
    const outcome = await runIn(project, shell, { ...env, ...variables, GITHUB_ENV: github });
    failed ||= outcome.code !== 0;
    ran.push({ ...step, ...outcome });
  }
  return ran;
}

function createShop(client: string): string {
  const project = createProject('recipes/github');
  writeFileSync(join(project, 'client.mjs'), client);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "scripts": { "test": "node client.mjs" } }');
  return project;
}

const list = (query: string): string => `
  const { CLOUD_BASE_URL, CLOUD_API_KEY } = process.env;
  const headers = { authorization: 'Bearer ' + CLOUD_API_KEY };
  const answer = await fetch(CLOUD_BASE_URL + '/api/v1/containers${query}', { headers });
  if (answer.status !== 200) throw new Error('got ' + answer.status);
`;

it('says when, on what, and with which steps', () => {
  const { on, jobs } = parse(readFileSync('test/recipes/github/test.yml', 'utf8')) as Workflow;
  expect(on).toContain('push');
  expect(jobs.test['runs-on']).toBe('ubuntu-latest');
  const steps = jobs.test.steps.map(({ uses, run }) => uses ?? run ?? '');
  expect(steps.slice(0, 3)).toEqual([
    expect.stringMatching(/^actions\/checkout@v\d+$/),
    expect.stringMatching(/^actions\/setup-node@v\d+$/),
    'npm ci',
  ]);
});

it('passes when the client does well', options, async () => {
  const steps = await runJob(createShop(list('')));
  expect(steps.map(({ code, name, run }) => [code, name ?? run])).toEqual([
    [0, 'Start the emulator'],
    [0, 'npm test'],
    [0, 'Judge the client'],
  ]);
});

it('fails when the tests pass but the client does wrong, and shows the requests', options, async () => {
  const steps = await runJob(createShop(list('?pge=2')));
  expect(steps.map(({ code, name, run }) => [code, name ?? run])).toEqual([
    [0, 'Start the emulator'],
    [0, 'npm test'],
    [1, 'Judge the client'],
    [0, 'Show what came to the emulator'],
  ]);
  expect(steps[2]?.stdout).toMatch(/^fail +no-unknown-fields/);
  expect(steps[3]?.stdout).toMatch(/GET .*\/api\/v1\/containers.* 200/);
});
