// The recipe for pytest, run by pytest.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { connect } from '../../src/client.js';
import { startCommand, tempDir } from '../support/command.js';
import { judgedRun } from '../support/labelled.js';
import { createProject, runIn } from '../support/project.js';
import { itWhere, works } from '../support/tools.js';

// Debian's package belongs to Debian's Python, which need not be the first one.
const pythons = ['python3', '/usr/bin/python3'];
const python = pythons.find((command) => works([command, '-m', 'pytest', '--version']));
const it = itWhere(python !== undefined);

function runPytest(project: string, env: Record<string, string> = {}) {
  return runIn(project, [python ?? 'python3', '-m', 'pytest', '-v', '--color=no', '-p', 'no:cacheprovider'], env);
}

it('the recipe for pytest starts an emulator of its own, in which a client that does wrong fails its test', async () => {
  const project = createProject('recipes/pytest');
  const test = "def test_wrong(world):\n    world.api('GET', '/api/v1/containers?pge=2')\n";
  writeFileSync(join(project, 'test_wrong.py'), test);
  const { code, stdout } = await runPytest(project);
  expect(code, stdout).toBe(1);
  expect(stdout).toMatch(/^=+ 4 passed, 1 error in /m);
  expect(stdout).toMatch(
    /ERROR at teardown of test_wrong[\s\S]*The client did wrong:\nNot as expected:\n {2}verdict no-unknown-fields/,
  );
  expect(stdout).toContain('unknown query parameter query.pge');
  expect(stdout).toMatch(/--data-dir \.cloudemu\/failed\/\S+` opens this world again/);
});

it('the recipe for pytest runs from any directory', async () => {
  const project = createProject('recipes/pytest');
  const command = [python ?? 'python3', '-m', 'pytest', '-v', '--color=no', '-p', 'no:cacheprovider', project];
  const { code, stdout } = await runIn(tempDir(), command, {});
  expect(code, stdout).toBe(0);
  expect(stdout).toMatch(/^=+ 3 passed in /m);
});

it('the recipe for pytest uses a shared emulator and leaves no world there', async () => {
  const shared = await startCommand(['--ephemeral']);
  const { code, stdout } = await runPytest(createProject('recipes/pytest'), { CLOUDEMU_URL: `${shared.url}/` });
  expect(code, stdout).toBe(0);
  const worlds = await connect({ url: shared.url }).controls.worlds.list();
  expect(worlds.map(({ id }) => id)).toEqual(['default']);
  // A process that was started for a session must end with it; this one was not.
  expect((await fetch(shared.health)).status).toBe(200);
});

it('the recipe for pytest labels worlds with their tests, which `cloudemu run` judges', async () => {
  const project = createProject('recipes/pytest');
  const command = [python ?? 'python3', '-m', 'pytest', '-p', 'no:cacheprovider'];
  const { worlds } = await judgedRun(project, ...command);
  expect(worlds.map(([label]) => label)).toEqual([
    'test_deploy.py::test_begins_with_nothing',
    'test_deploy.py::test_deploys_a_container_that_runs',
    'test_deploy.py::test_is_out_of_credits',
  ]);
});
