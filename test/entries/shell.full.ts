// The recipe for a plain shell, run by it.

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { connect } from '../../src/client.js';
import { startCommand, tempDir } from '../support/command.js';
import { createProject, runIn } from '../support/project.js';
import { itWhere, works } from '../support/tools.js';

const it = itWhere(works(['bash', '--version']) && works(['curl', '--version']));

it('the recipe for a shell starts an emulator of its own with bash and curl, and leaves nothing behind', async () => {
  const temporary = tempDir();
  const { code, stdout, stderr } = await runIn(createProject('recipes/shell'), ['bash', 'test.sh'], {
    TMPDIR: temporary,
  });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^running$/m);
  expect(stdout).toMatch(/\d passed, 0 failed, \d+ not exercised, in 2 requests\.\n2 of \d+ operations called/);
  expect(readdirSync(temporary)).toEqual([]);
});

it('the recipe for a shell ends with 1 on a shared emulator when the client did wrong, and drops its world all the same', async () => {
  const shared = await startCommand(['--ephemeral']);
  const project = createProject('recipes/shell');
  const url = '"$CLOUD_BASE_URL/api/v1/containers?pge=2"';
  writeFileSync(
    join(project, 'deploy.sh'),
    `curl -sS -o /dev/null -H "Authorization: Bearer $CLOUD_API_KEY" ${url} -d '{
    "name": "shop", "project_name": "shop", "ecr_image_uri": "registry.local/shop:v1"}'`,
  );
  const { code, stdout, stderr } = await runIn(project, ['bash', 'test.sh'], { CLOUDEMU_URL: shared.url });
  expect([code, stderr]).toEqual([1, '']);
  expect(stdout).toMatch(/^fail +no-unknown-fields/m);
  const worlds = await connect({ url: shared.url }).controls.worlds.list();
  expect(worlds.map(({ id }) => id)).toEqual(['default']);
  expect(existsSync(join(project, '.cloudemu'))).toBe(false);
});
