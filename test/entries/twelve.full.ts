// Settings are one thing: twelve tests come to the same in each runner, whether a file or a variable says the profile.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort } from '../support/command.js';
import { createProject, runIn } from '../support/project.js';
import { works } from '../support/tools.js';

const python = ['python3', '/usr/bin/python3'].find((command) => works([command, '-m', 'pytest', '--version']));

interface Runner {
  /** The recipe whose fixture gives each test a world. */
  recipe?: string;
  /** Its tests, which are left out. */
  without?: string;
  file: string;
  source?: string;
  command: readonly string[];
  env?: () => Promise<Record<string, string>>;
}

const ofRecipe = (file: string, without: string, recipe: string, source: string, ...command: string[]): Runner => ({
  recipe,
  without,
  file,
  source,
  command,
});

const required = `const { cases, play } = require('./case.cjs');`;
const imported = `import suite from './case.cjs';\nconst { cases, play } = suite;`;
const inNode = `
  import { after, test } from 'node:test';
  import { createEmulator } from 'cloudemu';
  import { connect } from 'cloudemu/client';
  ${imported}
  const own = process.env.CLOUDEMU_URL === undefined ? await createEmulator() : undefined;
  after(() => own?.close());
  const emulator = connect(own && { url: own.url });
  for (const one of cases) test(one.name, async () => {
    await using world = await emulator.createWorld({ label: one.name });
    await play(one, world);
  });`
  // Node 20 and 22 do not know the word.
  .replace('await using world', 'const world')
  .replace('await play(one, world);', 'try { await play(one, world); } finally { await world.close(); }');

const runners: Record<string, Runner> = {
  vitest: {
    file: 'twelve.spec.ts',
    source: `import { test } from 'cloudemu/vitest';\n${imported}
      for (const one of cases) test(one.name, ({ world }) => play(one, world));`,
    command: ['vitest', 'run', '--testTimeout=60000'],
  },
  jest: ofRecipe(
    'twelve.spec.js',
    'deploy.spec.js',
    'recipes/jest',
    `${required}\nfor (const one of cases) test(one.name, () => play(one, world));`,
    ...['jest', '--ci', '--testTimeout=60000'],
  ),
  playwright: {
    ...ofRecipe(
      'twelve.spec.ts',
      'deploy.spec.ts',
      'recipes/playwright',
      `import { test } from './world.js';\n${imported}
      // biome-ignore lint: Playwright reads what is needed.
      for (const one of cases) test(one.name, ({ world }) => play(one, world));`,
      ...['playwright', 'test'],
    ),
    env: async () => ({ CLOUDEMU_URL: `http://127.0.0.1:${await freePort()}` }),
  },
  'node --test': { file: 'twelve.test.mjs', source: inNode, command: ['node', '--test', 'twelve.test.mjs'] },
  pytest: {
    recipe: 'recipes/pytest',
    without: 'test_deploy.py',
    file: 'test_twelve.py',
    command: [python ?? 'python3', '-m', 'pytest', '-p', 'no:cacheprovider'],
  },
  'cloudemu run --': {
    file: 'twelve.test.mjs',
    source: inNode,
    command: ['cloudemu', 'run', 'happy-path', '--', 'node', '--test', 'twelve.test.mjs'],
  },
};

const hows: [string, object, Record<string, string>][] = [
  ['the settings file', { profile: 'elizacloud-v1' }, {}],
  ['the environment', {}, { CLOUDEMU_PROFILE: 'elizacloud-v1' }],
];

/** What came of each test in a runner, and its exit code. */
async function notesOf({ recipe, without, file, source, command, env }: Runner, settings: object, more = {}) {
  const project = createProject(...(recipe === undefined ? [] : [recipe]), 'entries/twelve');
  if (without !== undefined) rmSync(join(project, without));
  if (file !== 'test_twelve.py') rmSync(join(project, 'test_twelve.py'));
  if (source !== undefined) writeFileSync(join(project, file), source);
  writeFileSync(join(project, 'emulator.config.json'), JSON.stringify(settings));
  writeFileSync(join(project, 'noted.jsonl'), '');
  const { code, stdout, stderr } = await runIn(project, command, { ...(await env?.()), ...more });
  const lines = readFileSync(join(project, 'noted.jsonl'), 'utf8').trim().split('\n');
  const notes = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as { name: string });
  return { code, said: stdout + stderr, notes: notes.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

describe.each(hows)('with the profile that %s says', (_, settings, env) => {
  it('twelve tests come to the same in each runner', async () => {
    const first = await notesOf(runners.vitest as Runner, settings, env);
    expect(first.code, first.said).toBe(0);
    expect(first.notes).toHaveLength(12);
    for (const [name, runner] of Object.entries(runners)) {
      if (name === 'vitest' || (name === 'pytest' && python === undefined)) continue;
      const { code, said, notes } = await notesOf(runner, settings, env);
      expect([name, code], said).toEqual([name, 0]);
      expect(notes, name).toEqual(first.notes);
    }
  });
});

it('without either they fail in each runner', async () => {
  for (const [name, runner] of Object.entries(runners)) {
    if (name === 'pytest' && python === undefined) continue;
    const { code, said } = await notesOf(runner, {});
    expect([name, code === 0], said).toEqual([name, false]);
  }
});
