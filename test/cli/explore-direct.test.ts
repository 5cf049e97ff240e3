// The test command as it is run again and again: without the start of npm before it.

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directCommand, withCauses } from '../../src/cli/explore/direct.js';
import { tempDir } from '../support/command.js';

const project = tempDir();
const inside = join(project, 'packages/shop');
const program = join(project, 'node_modules/.bin/vitest');
mkdirSync(join(project, 'node_modules/.bin'), { recursive: true });
mkdirSync(inside, { recursive: true });
writeFileSync(program, '#!/bin/sh\n');
chmodSync(program, 0o755);
const scripts = { test: 'vitest run', prebuild: 'true', build: 'true' };
writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'shop', scripts }));

it('the test command is the installed program that npx finds, and the script of npm, in the environment of npm', async () => {
  const { command, env } = await directCommand(['npx', 'vitest', 'run', 'a b'], { directory: inside });
  expect(command).toEqual([program, 'run', 'a b']);
  expect(env).toMatchObject({ PATH: expect.stringContaining(join(project, 'node_modules/.bin')) });
  expect(await directCommand(['npm', 'test', '--', "a 'b'"], { directory: project })).toMatchObject({
    command: ['sh', '-c', "vitest run 'a '\\''b'\\'''"],
    env: {
      npm_command: 'test',
      npm_lifecycle_event: 'test',
      npm_lifecycle_script: 'vitest run',
      npm_package_name: 'shop',
    },
  });
});

it.each([
  [['npx', 'vitest@3', 'run']],
  [['npx', '--yes', 'vitest']],
  [['npx', 'missing']],
  [['npm', 'test', '--silent']],
  [['npm', 'run', 'build']],
  [['npm', 'run', 'missing']],
  [['node', '--test', '--test-reporter', 'dot']],
  [['node', 'client.mjs', 'some']],
])('the test command stays as it is where npm has more to do: %j', async (command) => {
  expect(await directCommand(command, { directory: project })).toEqual({ command, env: {} });
});

it('node:test prints the causes of errors, which say whether a typed one passes on that of a connection', () => {
  expect(withCauses(['/usr/bin/node', '--test', 'a.test.mjs'])).toEqual([
    '/usr/bin/node',
    '--test',
    '--test-reporter=spec',
    'a.test.mjs',
  ]);
  expect(withCauses(['sh', '-c', 'node --test test'])).toEqual(['sh', '-c', 'node --test --test-reporter=spec test']);
});
