// The action at the top of the repository: its steps are run as GitHub would run them.

import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { tempDir } from '../support/command.js';
import { action, createJob, type Job } from '../support/github-runner.js';
import { createProject, runIn } from '../support/project.js';
import { itWhere, works } from '../support/tools.js';

const it = itWhere(works(['bash', '--version']));

const jobs: Job[] = [];
afterEach(async () => {
  // A test that failed has left this running.
  for (const { temp } of jobs.splice(0)) {
    const command = join(temp, 'cloudemu/bin/cloudemu');
    if (existsSync(command)) await runIn(temp, [command, 'stop', '--data-dir', join(temp, 'cloudemu/data')]);
  }
});

function jobIn(project: string): Job {
  const job = createJob(project);
  jobs.push(job);
  return job;
}

/** A project with cloudemu installed, whose client lists containers with a query. */
function createShop(query = ''): string {
  const project = createProject();
  const client = `
    const { CLOUD_BASE_URL, CLOUD_API_KEY, CLOUDEMU_URL } = process.env;
    if (CLOUDEMU_URL !== CLOUD_BASE_URL) throw new Error('CLOUDEMU_URL is ' + CLOUDEMU_URL);
    const headers = { authorization: 'Bearer ' + CLOUD_API_KEY };
    const answer = await fetch(CLOUD_BASE_URL + '/api/v1/containers${query}', { headers });
    if (answer.status !== 200) throw new Error('got ' + answer.status);
    console.log('listed');
  `;
  writeFileSync(join(project, 'client.mjs'), client);
  return project;
}

const use = (given: Record<string, string>) => ({ uses: 'OWNER/cloudemu@main', with: given });
const codes = ({ ran }: Job) => ran.map(({ name, code }) => [code, name]);

const well = [
  [0, 'Start the emulator'],
  [0, 'Run'],
  [0, 'Judge the client'],
  [0, 'Keep the journal'],
];

it('the action can be run by GitHub: every input is described, and every step names its shell', () => {
  const { inputs, runs } = action();
  expect(runs.using).toBe('composite');
  for (const [name, input] of Object.entries(inputs))
    expect(input, name).toMatchObject({ description: expect.any(String) });
  for (const step of runs.steps) expect('shell' in step, step.name).toBe(step.run !== undefined);
});

describe('with a command', () => {
  it('runs it against an emulator, judges the client, and keeps the journal', async () => {
    const job = jobIn(createShop());
    await job.step(use({ run: 'node client.mjs' }));
    expect(codes(job)).toEqual(well);
    expect(job.ran[1]?.stdout).toBe('listed\n');
    expect(job.summary()).toMatch(/^### cloudemu: The client did well\n\n````text\n[\s\S]*\n````\n$/);
    const [, , , kept] = job.ran;
    const report = kept?.given?.path ?? '';
    expect(kept?.given).toEqual({ name: 'cloudemu', path: report });
    const { requests } = JSON.parse(readFileSync(join(report, 'journal.json'), 'utf8'));
    expect(requests).toMatchObject([{ operation: 'containers.list', status: 200 }]);
    expect(readFileSync(join(report, 'emulator.log'), 'utf8')).toMatch(/GET \/api\/v1\/containers 200/);
    expect(JSON.parse(readFileSync(join(report, 'verdicts.json'), 'utf8'))).toMatchObject({ fail: 0 });
    const receipt = JSON.parse(readFileSync(join(report, 'receipt.json'), 'utf8'));
    expect(receipt).toMatchObject({ kind: 'tests', worlds: [{ id: 'default', operations: { 'containers.list': 1 } }] });
    expect(job.summary()).toMatch(/\n\ntests of \S+: 1 request of 1 operation in 1 world, 0 of 0 faults acted\.\n/);
    expect(job.summary()).toContain('The run has exercised what it says.');
    expect(job.failed).toBe(false);
  });

  it('fails when the command succeeds but the client does wrong', async () => {
    const job = jobIn(createShop('?pge=2'));
    await job.step(use({ run: 'node client.mjs' }));
    expect(codes(job)).toEqual(well.with(2, [1, 'Judge the client']));
    expect(job.ran[2]?.stdout).toMatch(/^fail +no-unknown-fields/m);
    expect(job.ran[2]?.stdout).toMatch(/^::error title=cloudemu::The client did wrong: \d+ passed, 1 failed/m);
    expect(job.summary()).toMatch(/^### cloudemu: The client did wrong\n[\s\S]*no-unknown-fields/);
    expect(job.failed).toBe(true);
  });

  it('only reports when nothing is set to fail', async () => {
    const job = jobIn(createShop('?pge=2'));
    await job.step(use({ run: 'node client.mjs', 'fail-on': 'none', artifact: '' }));
    expect(codes(job)).toEqual(well.slice(0, 3));
    expect(job.summary()).toMatch(/no-unknown-fields/);
  });

  it('judges the client and keeps the journal also when the command fails', async () => {
    const job = jobIn(createShop());
    await job.step(use({ run: 'node client.mjs\nexit 3' }));
    expect(codes(job)).toEqual(well.with(1, [3, 'Run']));
    expect(job.failed).toBe(true);
  });

  it('passes flags on with their quotes, and judges by the expectations of a scenario', async () => {
    const job = jobIn(createShop());
    await job.step(use({ run: 'cloudemu config show --json', args: `--scenario rough-day --seed 'a  b$HOME'` }));
    expect(codes(job)).toEqual(well.with(2, [1, 'Judge the client']));
    expect(JSON.parse(job.ran[1]?.stdout ?? '')).toMatchObject({ seed: 'a  b$HOME' });
    expect(job.summary()).toMatch(/^fail +faults-all-fired/m);
  });

  it('starts no second emulator beside the first, and leaves none running', async () => {
    const job = jobIn(createShop());
    await job.step(use({ run: 'node client.mjs' }));
    await job.step(use({ run: 'node client.mjs' }));
    expect(codes(job)).toEqual([...well, ...well]);
    expect(existsSync(join(job.temp, 'cloudemu/data/run.json'))).toBe(false);
  });
});

describe('around several steps', () => {
  it('starts, and judges the requests since then', async () => {
    const job = jobIn(createShop('?pge=2'));
    await job.step(use({}));
    await job.step({ name: 'Mine', run: 'node client.mjs && cloudemu status' });
    await job.step({ ...use({ mode: 'judge' }), if: '!cancelled()' });
    expect(codes(job)).toEqual([
      [0, 'Start the emulator'],
      [0, 'Mine'],
      [1, 'Judge the client'],
      [0, 'Keep the journal'],
    ]);
  });

  it('says that there is nothing to judge', async () => {
    const job = jobIn(createShop());
    await job.step(use({ mode: 'judge' }));
    expect(codes(job)).toEqual([[1, 'Judge the client']]);
    expect(job.ran[0]?.stdout).toBe(
      '::error title=cloudemu::There is nothing to judge: no emulator of this action runs in this job\n',
    );
  });
});

it('the action does not praise a client that has sent nothing', async () => {
  const job = jobIn(createShop());
  await job.step(use({ run: 'true' }));
  expect(codes(job)).toEqual(well);
  expect(job.summary()).toMatch(/^### cloudemu: No request came\n[\s\S]*NO_REQUEST/);
});

it('the action shows what tests in worlds of their own have exercised, although these have ended', async () => {
  const project = createShop();
  const client = `
    import { connect } from 'cloudemu/client';
    const world = await connect().createWorld({ label: 'client.mjs > lists' });
    await world.fetch('/api/v1/containers', { headers: { authorization: 'Bearer ' + (process.argv[2] ?? world.apiKey) } });
    await world.close();`;
  writeFileSync(join(project, 'client.mjs'), client);
  const job = jobIn(project);
  await job.step(use({ run: 'node client.mjs' }));
  expect(job.summary()).toMatch(/^### cloudemu: The client did well\n[\s\S]*1 request of 1 operation in 1 world/);
  const refused = jobIn(project);
  await refused.step(use({ run: 'node client.mjs wrong' }));
  expect(codes(refused)).toEqual(well);
  expect(refused.summary()).toMatch(/^### cloudemu: The run proves nothing\n[\s\S]*ALL_REFUSED/);
});

describe('refuses', () => {
  it.each([
    [{ mode: 'jugde' }, 'mode must be start or judge, got "jugde"'],
    [{ executable: 'nowhere' }, 'executable must be a file that can be run, got "nowhere"'],
    [{ args: `--seed 'a` }, `args cannot be read: --seed 'a`],
  ])('%o', async (given, message) => {
    const job = jobIn(createShop());
    await job.step(use({ run: 'node client.mjs', ...(given as Record<string, string>) }));
    expect(codes(job)).toEqual([[2, 'Start the emulator']]);
    expect(job.ran[0]?.stdout).toBe(`::error title=cloudemu::${message}\n`);
  });

  it('unknown flags, as the command does', async () => {
    const job = jobIn(createShop());
    await job.step(use({ run: 'node client.mjs', args: '--prot 1' }));
    expect(codes(job)).toEqual([[2, 'Start the emulator']]);
    expect(job.ran[0]?.stdout).toMatch(/^::error title=cloudemu::start has no flag --prot; did you mean --port\?/);
  });
});

it('the action runs the executable where nothing is installed', async () => {
  const project = tempDir();
  symlinkSync(resolve('dist/cloudemu'), join(project, 'cloudemu'));
  const job = jobIn(project);
  await job.step(
    use({
      executable: './cloudemu',
      run: 'curl -sf "$CLOUD_BASE_URL/api/v1/containers" -H "X-API-Key: $CLOUD_API_KEY"',
    }),
  );
  expect(codes(job)).toEqual(well);
  expect(job.ran[1]?.stdout).toMatch(/^\{"success":true/);
});
