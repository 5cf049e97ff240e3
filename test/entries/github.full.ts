// The recipes for GitHub Actions: their steps, run one after the other as a runner does.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { parse } from 'yaml';
import { freePort } from '../support/command.js';
import { createJob, type Job, type Step } from '../support/github-runner.js';
import { createProject, runIn } from '../support/project.js';
import { itWhere, works } from '../support/tools.js';

const it = itWhere(works(['bash', '--version']));
// A port that was free may be taken by another test before it is used: hence the second try.
const options = { retry: 1 };

interface Workflow {
  on: string[];
  jobs: Record<string, { 'runs-on': string; env?: Record<string, string>; steps: Step[] }>;
}

const workflow = (file: string, port: number | string = 4747): Workflow =>
  parse(readFileSync(join('test/recipes/github', file), 'utf8').replaceAll('4747', String(port))) as Workflow;

const projects: string[] = [];
afterEach(async () => {
  for (const project of projects.splice(0)) await runIn(project, ['cloudemu', 'stop']);
});

async function runJob(project: string, { env = {}, steps }: Workflow['jobs'][string]): Promise<Job> {
  const job = createJob(project, env);
  projects.push(project);
  // Node, the packages and the checkout are here already.
  for (const step of steps)
    if (step.run !== 'npm ci' && step.uses?.startsWith('actions/') !== true) await job.step(step);
  return job;
}

function createShop(query: string): string {
  const project = createProject();
  const client = `
    const { CLOUD_BASE_URL, CLOUD_API_KEY } = process.env;
    const headers = { authorization: 'Bearer ' + CLOUD_API_KEY };
    const answer = await fetch(CLOUD_BASE_URL + '/api/v1/containers${query}', { headers });
    if (answer.status !== 200) throw new Error('got ' + answer.status);
  `;
  writeFileSync(join(project, 'client.mjs'), client);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "scripts": { "test": "node client.mjs" } }');
  return project;
}

const codes = ({ ran }: Job) => ran.map(({ code, name }) => [code, name]);

it.each(['test.yml', 'with-action.yml'])('the workflow %s says when, on what, and with which steps', (file) => {
  const { on, jobs } = workflow(file);
  expect(on).toContain('push');
  for (const { steps, ...job } of Object.values(jobs)) {
    expect(job['runs-on']).toBe('ubuntu-latest');
    expect(steps[0]?.uses).toMatch(/^actions\/checkout@v\d+$/);
    expect(steps.map(({ run }) => run)).toContain('npm ci');
  }
});

describe('without the action', () => {
  const jobOf = async () => workflow('test.yml', await freePort()).jobs.test as Workflow['jobs'][string];

  it('passes when the client does well', options, async () => {
    expect(codes(await runJob(createShop(''), await jobOf()))).toEqual([
      [0, 'Start the emulator'],
      [0, 'npm test'],
      [0, 'Judge the client'],
    ]);
  });

  it('fails when the tests pass but the client does wrong, and shows the requests', options, async () => {
    const job = await runJob(createShop('?pge=2'), await jobOf());
    expect(codes(job)).toEqual([
      [0, 'Start the emulator'],
      [0, 'npm test'],
      [1, 'Judge the client'],
      [0, 'Show what came to the emulator'],
    ]);
    expect(job.ran[2]?.stdout).toMatch(/^fail +no-unknown-fields/);
    expect(job.ran[3]?.stdout).toMatch(/GET .*\/api\/v1\/containers.* 200/);
  });
});

describe.each([
  ['in-one-step', 'Run'],
  ['around-several-steps', 'npm test'],
])('with the action, %s', (name, step) => {
  const recipe = workflow('with-action.yml').jobs[name] as Workflow['jobs'][string];

  it.each([
    ['passes when the client does well', '', 0],
    ['fails when the client does wrong', '?pge=2', 1],
  ])('%s', async (_, query, code) => {
    expect(codes(await runJob(createShop(query), recipe))).toEqual([
      [0, 'Start the emulator'],
      [0, step],
      [code, 'Judge the client'],
      [0, 'Keep the journal'],
    ]);
  });
});
