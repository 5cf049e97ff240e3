// Vitest stays for many runs of `cloudemu explore`, unless its second run is not as the first.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ChildOptions } from '../../src/cli/child.js';
import { type Runner, type Runners, warmRunners } from '../../src/cli/explore/warm.js';
import { createProject, runIn } from '../support/project.js';

/** A project with a `globalSetup` that notes that it has run, a test, and a client. */
function projectOf(files: Record<string, string>): string {
  const project = createProject();
  const config = `import { appendFileSync } from 'node:fs';
    export default { test: { globalSetup: './setup.mjs', include: ['*.spec.mjs'], testTimeout: 60_000 } };`;
  const setup = `import { appendFileSync } from 'node:fs';
    export default () => {
      appendFileSync('${project}/setup.log', 'up ');
      return () => appendFileSync('${project}/setup.log', 'down ');
    };`;
  for (const [name, text] of Object.entries({ 'vitest.config.mjs': config, 'setup.mjs': setup, ...files }))
    writeFileSync(join(project, name), text);
  return project;
}

function runnersOf(project: string): Runners {
  return warmRunners([join(project, 'node_modules/.bin/vitest'), 'run', '--root', project]) as Runners;
}

/** A run, with what it printed. */
async function runOf(runner: Runner, how: Partial<ChildOptions> = {}) {
  let output = '';
  const onOutput = (text: string): void => {
    output += text;
  };
  const options = { env: { ...process.env, NO_COLOR: '1' }, aside: true, graceMs: 500, onOutput, ...how };
  const code = await runner.run(options);
  return { code, output };
}

describe('a runner that stays', () => {
  const spec = `import { existsSync } from 'node:fs';
    import { expect, test } from 'vitest';
    globalThis.times = (globalThis.times ?? 0) + 1;
    test('is made anew', () => {
      console.log('vitest ' + process.ppid + ', time ' + globalThis.times);
      expect(existsSync(import.meta.dirname + '/broken')).toBe(false);
    });
    test('takes long', async () => {
      while (existsSync(import.meta.dirname + '/long')) await new Promise((resolve) => setTimeout(resolve, 5));
    });`;

  it('runs the tests in new workers of one Vitest, and says of each run how it ended', async () => {
    const project = projectOf({ 'shop.spec.mjs': spec });
    const runners = runnersOf(project);
    const all = await runners.lend(async (runner) => {
      const first = await runOf(runner);
      writeFileSync(join(project, 'broken'), '');
      const second = await runOf(runner);
      rmSync(join(project, 'broken'));
      return [first, second, await runOf(runner)];
    });
    expect(all.map(({ code }) => code)).toEqual([0, 1, 0]);
    const said = all.map(({ output }) => output.match(/vitest (\d+), time (\d+)/)?.slice(1));
    expect(said).toEqual(Array.from({ length: 3 }, () => [said[0]?.[0], '1']));
    expect(all.map(({ output }) => output.match(/Tests {2}.*/)?.[0])).toEqual([
      expect.stringContaining('2 passed'),
      expect.stringContaining('1 failed | 1 passed'),
      expect.stringContaining('2 passed'),
    ]);
    expect(readFileSync(join(project, 'setup.log'), 'utf8')).toBe('up ');
    await runners.end();
    expect(readFileSync(join(project, 'setup.log'), 'utf8')).toBe('up down ');
  });

  it('is ended by the limit of a run, and another one takes its place', async () => {
    const project = projectOf({ 'shop.spec.mjs': spec });
    const runners = runnersOf(project);
    const heard: string[] = [];
    const stuck = await runners.lend(async (runner) => {
      await runOf(runner);
      writeFileSync(join(project, 'long'), '');
      const limits: Partial<ChildOptions> = {
        limitMs: 500,
        moreMs: () => (heard.push('more?') < 3 ? 300 : 0),
        onLimit: () => heard.push('limit'),
      };
      return runOf(runner, limits);
    });
    expect([stuck.code, heard]).toEqual([137, ['more?', 'more?', 'more?', 'limit']]);
    rmSync(join(project, 'long'));
    expect((await runners.lend((runner) => runOf(runner))).code).toBe(0);
    await runners.end();
  });

  it('is none of a command that is more than a run of Vitest', () => {
    const undefinedFor = (...command: string[]): boolean => warmRunners(command) === undefined;
    expect(undefinedFor('/shop/node_modules/.bin/vitest', 'bench')).toBe(true);
    expect(undefinedFor('sh', '-c', 'vitest run && rm -r dist')).toBe(true);
    expect(undefinedFor('node', '--test')).toBe(true);
    expect(undefinedFor('npx', 'vitest', 'run', '--root', 'packages/shop')).toBe(false);
    expect(undefinedFor('/shop/node_modules/.bin/vitest', '--run')).toBe(false);
  });
});

describe('explore', () => {
  const shop = `import { expect } from 'vitest';
    import { test } from 'cloudemu/vitest';
    test('deploys the shop', async ({ world }) => {
      const body = JSON.stringify({ name: 'Shop', project_name: 'shop', ecr_image_uri: 'registry.local/shop:v1' });
      const headers = { authorization: 'Bearer ' + world.apiKey, 'content-type': 'application/json' };
      const send = () => fetch(world.url + '/api/v1/containers', { method: 'POST', headers, body, signal: AbortSignal.timeout(500) });
      const response = await send().catch(send);
      expect(response.status, await response.text()).toBe(202);
    });`;
  const exploreIn = async (project: string) => {
    const { code, stdout, stderr } = await runIn(project, [
      'cloudemu',
      'explore',
      '--json',
      '--',
      'npx',
      'vitest',
      'run',
    ]);
    expect(stdout, stderr).toMatch(/^\{/);
    const report = JSON.parse(stdout);
    expect([code, report.notTried, report.flaky]).toEqual([1, [], []]);
    return {
      finds: report.finds.filter(({ grade }: any) => grade !== 'E').map(({ grade, fault }: any) => `${grade} ${fault}`),
      runs: report.runs,
      stderr,
      starts: readFileSync(join(project, 'setup.log'), 'utf8').match(/up/g)?.length ?? 0,
    };
  };

  it('finds the same with one that stays and with one for each run, where its setup is needed for each', async () => {
    const stays = await exploreIn(projectOf({ 'shop.spec.mjs': shop }));
    expect(stays.finds).toEqual(['A lost']);
    expect(stays.starts).toBeLessThan(stays.runs);
    expect(stays.stderr).not.toContain('anew');
    const once = `import { appendFileSync } from 'node:fs';
      export default async (project) => {
        appendFileSync(import.meta.dirname + '/setup.log', 'up ');
        await fetch(process.env.CLOUDEMU_URL + '/_emulator/faults', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ match: { operation: 'account.user' }, effect: { delay: 1 } }),
        });
      };`;
    const needed = `import { expect } from 'vitest';
      import { test as check } from 'vitest';
      check('is prepared', async () => {
        const { faults } = await (await fetch(process.env.CLOUDEMU_URL + '/_emulator/faults')).json();
        expect(faults).toHaveLength(1);
      });`;
    const anew = await exploreIn(projectOf({ 'setup.mjs': once, 'shop.spec.mjs': shop, 'prepared.spec.mjs': needed }));
    expect(anew.finds).toEqual(stays.finds);
    expect(anew.starts).toBeGreaterThan(anew.runs);
    expect(anew.stderr).toContain('so each run starts it anew.');
  });
});
