// `cloudemu/vitest/setup`, looked at from outside: all files of a run share one emulator, which ends with the run.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/client.js';
import { type Outcome, startCommand } from '../support/command.js';
import { createProject, runIn } from '../support/project.js';

// Notes where the world of a test is, and its profile, which says which options its emulator has.
const spec = `
import { appendFileSync } from 'node:fs';
import { expect, test } from 'cloudemu/vitest';
test('tells where', async ({ world }) => {
  const { profile } = await world.controls.config();
  appendFileSync('told.jsonl', JSON.stringify({ origin: new URL(world.url).origin, profile }) + '\\n');
  expect(world.url.startsWith(process.env.CLOUDEMU_URL)).toBe(true);
});
`;

interface Told {
  origin: string;
  profile: string;
}

/** A project whose settings of Vitest are these, with files of tests in it. */
function projectWith(config: string, files: readonly string[], more: Record<string, string> = {}): string {
  const project = createProject();
  const text = `import { defineConfig } from 'vitest/config';\nexport default defineConfig({ test: ${config} });\n`;
  writeFileSync(join(project, 'vitest.config.mts'), text);
  for (const file of files) {
    mkdirSync(join(project, file, '..'), { recursive: true });
    writeFileSync(join(project, file), spec);
  }
  for (const [file, content] of Object.entries(more)) writeFileSync(join(project, file), content);
  writeFileSync(join(project, 'told.jsonl'), '');
  return project;
}

const runVitest = (project: string, env: Record<string, string> = {}, ...args: string[]): Promise<Outcome> =>
  runIn(project, ['vitest', 'run', '--testTimeout=60000', '--no-color', ...args], { NO_COLOR: '1', ...env });

const toldIn = (project: string): Told[] =>
  readFileSync(join(project, 'told.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Told);

const originsIn = (project: string): string[] => [...new Set(toldIn(project).map(({ origin }) => origin))];

const isGone = (origin: string): Promise<void> => expect(fetch(origin)).rejects.toThrow('fetch failed');

const three = ['one.spec.ts', 'two.spec.ts', 'three.spec.ts'];
const ready = `globalSetup: 'cloudemu/vitest/setup'`;

it.each(['forks', 'threads', 'vmThreads'])(
  'all files share one emulator, which ends with the run: %s',
  async (pool) => {
    const project = projectWith(`{ ${ready}, pool: '${pool}', provide: { own: 1 }, env: { OWN: '1' } }`, three);
    const { code, stdout, stderr } = await runVitest(project);
    expect([code, stderr, toldIn(project).length]).toEqual([0, '', 3]);
    expect(stdout).toMatch(/Tests +3 passed/);
    expect(originsIn(project)).toHaveLength(1);
    await isGone(originsIn(project)[0] ?? '');
  },
);

it('two runs at once have an emulator each', async () => {
  const projects = [projectWith(`{ ${ready} }`, three), projectWith(`{ ${ready} }`, three)];
  const codes = await Promise.all(projects.map(async (project) => (await runVitest(project)).code));
  expect(codes).toEqual([0, 0]);
  expect(new Set(projects.flatMap(originsIn)).size).toBe(2);
});

it('a CLOUDEMU_URL that is set is used as it is, wherever it is set, and its emulator stays', async () => {
  const shared = await startCommand(['--ephemeral']);
  const origins = [];
  for (const [env, ofTests] of [
    [{ CLOUDEMU_URL: shared.url }, ''] as const,
    [{}, `env: { CLOUDEMU_URL: '${shared.url}' }`] as const,
  ]) {
    const project = projectWith(`{ ${[ready, ofTests].filter(Boolean).join(', ')} }`, three);
    expect((await runVitest(project, env)).code).toBe(0);
    origins.push(...originsIn(project));
  }
  expect(origins).toEqual([shared.url, shared.url]);
  expect((await connect({ url: shared.url }).controls.worlds.list()).map(({ id }) => id)).toEqual(['default']);
  // An empty one is as good as none.
  const project = projectWith(`{ ${ready} }`, three);
  expect((await runVitest(project, { CLOUDEMU_URL: '' })).code).toBe(0);
  expect(originsIn(project)).not.toContain(shared.url);
});

it('projects share an emulator, unless one has options of its own', async () => {
  const own = `import { createSetup } from 'cloudemu/vitest/setup';\nexport const setup = createSetup({ profile: 'elizacloud-v1' });\n`;
  const projects = [
    `{ extends: true, test: { name: 'a', include: ['a/*.spec.ts'] } }`,
    `{ extends: true, test: { name: 'b', include: ['b/*.spec.ts'] } }`,
    `{ test: { name: 'c', include: ['c/*.spec.ts'], globalSetup: './emulator.ts' } }`,
  ];
  const project = projectWith(
    `{ ${ready}, projects: [${projects.join(', ')}] }`,
    ['a/1.spec.ts', 'b/1.spec.ts', 'c/1.spec.ts'],
    {
      'emulator.ts': own,
    },
  );
  expect(await runVitest(project)).toMatchObject({ code: 0, stderr: '' });
  const told = toldIn(project);
  expect(told.map(({ profile }) => profile).sort()).toEqual(['elizacloud-v1', 'spec', 'spec']);
  expect(new Set(told.map(({ origin, profile }) => `${profile} ${origin}`)).size).toBe(2);
  for (const origin of originsIn(project)) await isGone(origin);
});

it('a setup of the root alone reaches the projects', async () => {
  const projects = `[{ test: { name: 'a', include: ['*.spec.ts'] } }]`;
  const project = projectWith(`{ ${ready}, projects: ${projects} }`, three);
  expect((await runVitest(project)).code).toBe(0);
  expect(originsIn(project)).toHaveLength(1);
});

it('a run fails at once with the reason when the emulator cannot start', async () => {
  const project = projectWith(`{ globalSetup: './emulator.ts' }`, three, {
    'emulator.ts': `import { createSetup } from 'cloudemu/vitest/setup';\nexport default createSetup({ containers: { timin: 'fast' } });\n`,
  });
  const { code, stdout, stderr } = await runVitest(project);
  expect(code).toBe(1);
  expect(stdout + stderr).toMatch(/ConfigError: .*containers\.timin .*did you mean .*timing/);
  expect(toldIn(project)).toEqual([]);
});

it('runs one after the other in one process have an emulator each, and nothing of it stays', async () => {
  const project = projectWith(`{ ${ready} }`, three);
  const twice = `
    import { startVitest } from 'vitest/node';
    for (const time of [1, 2]) {
      const vitest = await startVitest('test', [], { watch: false, testTimeout: 60_000, reporters: ['dot'] });
      await vitest.close();
      console.log('url:', process.env.CLOUDEMU_URL);
    }
  `;
  writeFileSync(join(project, 'twice.mjs'), twice);
  const { code, stdout } = await runIn(project, [process.execPath, 'twice.mjs'], { NO_COLOR: '1' });
  expect([code, stdout.match(/^url: .*$/gm)]).toEqual([0, ['url: undefined', 'url: undefined']]);
  expect(toldIn(project)).toHaveLength(6);
  expect(originsIn(project)).toHaveLength(2);
  for (const origin of originsIn(project)) await isGone(origin);
});
