// The nightly recipe of docs/drift.md, against a platform that is another emulator: its steps, as a runner runs them.

import { readFileSync } from 'node:fs';
import { afterEach, expect } from 'vitest';
import { parse } from 'yaml';
import type { Emulator } from '../../src/index.js';
import { tempDir } from '../support/command.js';
import { closeStands, type Stand, standIn, startPlatform } from '../support/drift.js';
import { createJob, type Job, type Step } from '../support/github-runner.js';
import { createProject, runIn } from '../support/project.js';
import { itWhere, works } from '../support/tools.js';

const it = itWhere(works(['bash', '--version']) && works(['git', '--version']));
afterEach(closeStands);

interface Workflow {
  on: { schedule: { cron: string }[] };
  permissions: Record<string, string>;
  jobs: { drift: { 'runs-on': string; steps: Step[] } };
}

function recipe(url: string, secret: string): Workflow {
  const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(readFileSync('docs/drift.md', 'utf8')) ?? [];
  // A secret that is not there is an empty text.
  const filled = yaml.replace(/\$\{\{ secrets\.CLOUD_KEY \}\}/g, `'${secret}'`);
  return parse(filled.replace('https://api.example.com', url)) as Workflow;
}

async function git(cwd: string, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runIn(cwd, ['git', ...words]);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** A project whose branch has a place to be pushed to. */
async function checkedOut(): Promise<string> {
  const remote = tempDir();
  await git(remote, 'init', '--bare', '--quiet');
  const project = createProject();
  await git(project, 'init', '--quiet', '--initial-branch', 'main');
  await git(project, 'remote', 'add', 'origin', remote);
  const me = ['-c', 'user.name=me', '-c', 'user.email=me@localhost'];
  await git(project, ...me, 'commit', '--quiet', '--allow-empty', '-m', 'Begin');
  await git(project, 'push', '--quiet', '--set-upstream', 'origin', 'main');
  return project;
}

async function night(project: string, platform: Emulator, stand: Stand, secret = platform.apiKey): Promise<Job> {
  platform.controls.limits.release();
  const job = createJob(project);
  const { steps } = recipe(await standIn(platform, stand), secret).jobs.drift;
  for (const step of steps) if (step.run !== 'npm ci' && step.uses === undefined) await job.step(step);
  return job;
}

const kept = (project: string): Promise<string> => git(project, 'ls-tree', '--name-only', 'origin/main', 'drift/');

it('keeps what each night has seen, and fails when two nights have seen a difference', async () => {
  const platform = await startPlatform('spec', true);
  const project = await checkedOut();
  const renames: Stand = {
    change(answer, { url }) {
      if (url === '/api/v1/credits/balance') answer.body = answer.body.replace('"balance"', '"amount"');
    },
  };
  const first = await night(project, platform, renames);
  expect([first.failed, first.ran.map(({ code }) => code)]).toEqual([false, [0, 0]]);
  expect(await kept(project)).toBe('drift/ledger.json\ndrift/observed.json\n');
  const second = await night(project, platform, renames);
  expect([second.failed, second.ran.map(({ code }) => code)]).toEqual([true, [1, 0]]);
  expect(second.ran[0]?.stdout).toMatch(/^DIFFERS +account\.balance \/balance$/m);
  expect(await git(project, 'log', '--format=%s', 'origin/main')).toBe(
    'What the platform said\nWhat the platform said\nBegin\n',
  );
  const mended = await night(project, platform, {});
  expect(mended.ran.map(({ code }) => code)).toEqual([0, 0]);
  const ledger = await git(project, 'show', 'origin/main:drift/ledger.json');
  expect([JSON.parse(ledger).findings, ledger.includes(platform.apiKey)]).toEqual([{}, false]);
});

it('is red without the secret, and keeps nothing', async () => {
  const platform = await startPlatform('spec', false);
  const project = await checkedOut();
  const job = await night(project, platform, {}, '');
  expect([job.failed, job.ran[0]?.code]).toEqual([true, 2]);
  expect(job.ran[0]?.stderr).toContain('--key-from names the variable CLOUD_KEY, which is not set');
  expect(await kept(project)).toBe('');
});

it('says when it runs, on what, and that it may write', () => {
  const { on, permissions, jobs } = recipe('', '');
  expect([on.schedule[0]?.cron, permissions]).toEqual([
    expect.stringMatching(/^\d+ \d+ \* \* \*$/),
    { contents: 'write' },
  ]);
  const { steps, ...job } = jobs.drift;
  expect([job['runs-on'], steps[0]?.uses]).toEqual([
    'ubuntu-latest',
    expect.stringMatching(/^actions\/checkout@v\d+$/),
  ]);
  expect(steps[1]?.run).toBe('npm ci');
});
