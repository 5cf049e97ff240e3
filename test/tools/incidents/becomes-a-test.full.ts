// What `import` leaves in a project: a test for each runner, which the recorded client fails and the mended one passes; and
// with a command to minimise by, the one circumstance that it takes.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { createEmulator } from '../../../src/index.js';
import { createProject, runIn } from '../../support/project.js';
import { recordFetch } from '../../support/record-har.js';

let project: string;

const headers = "{ authorization: 'Bearer ' + apiKey, 'content-type': 'application/json' }";
const body = `JSON.stringify({ name: 'Web', project_name: 'web', ecr_image_uri: 'acme/web:v1' })`;
const create = `() => fetch(url + '/api/v1/containers', { method: 'POST', headers: ${headers}, body: ${body} }).catch(() => undefined)`;
const list = `() => fetch(url + '/api/v1/containers', { headers: ${headers} }).then((answer) => answer.json())`;
// As it was recorded: no answer, so the same once more.
const careless = `const create = ${create};\n  if ((await create()) === undefined) await create();`;
// It looks first.
const careful = `const create = ${create}, list = ${list};\n  if ((await create()) === undefined && (await list()).data.length === 0) await create();`;

beforeAll(async () => {
  const emulator = await createEmulator({ configFile: false });
  const world = await emulator.createWorld({
    scenario: {
      faults: [
        { match: { operation: 'containers.create' }, when: { nth: 1 }, phase: 'after', effect: { network: 'reset' } },
        { match: { operation: 'usage.get' }, effect: { status: 503 } },
      ],
    },
  });
  const recorder = recordFetch();
  const call = (method: string, path: string, sent?: object): Promise<unknown> =>
    recorder.fetch(world.url + path, {
      method,
      headers: { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json' },
      ...(sent && { body: JSON.stringify(sent) }),
    });
  await call('GET', '/api/v1/credits/balance');
  await call('GET', '/api/quotas/usage');
  const web = { name: 'Web', project_name: 'web', ecr_image_uri: 'acme/web:v1' };
  for (let attempt = 0; attempt < 2; attempt++) await call('POST', '/api/v1/containers', web);
  await call('GET', '/api/v1/containers');
  await emulator.close();
  project = createProject();
  writeFileSync(join(project, 'incident.har'), JSON.stringify(recorder.har()));
});

/** Fills in the client of a generated test. */
function fill(file: string, client: string): void {
  const text = readFileSync(join(project, file), 'utf8');
  writeFileSync(
    join(project, file),
    text.replace(/(async function client\([^)]*\) \{\n)[\s\S]*?\n\}/, `$1  ${client}\n}`),
  );
}

it.each([
  ['vitest', 'test/incidents/incident.test.ts', ['vitest', 'run', 'test/incidents/incident.test.ts']],
  ['node', 'test/incidents/incident.test.mjs', ['node', '--test', 'test/incidents/incident.test.mjs']],
])('the test for %s fails with the recorded client, and passes with the mended one', async (kind, file, command) => {
  const { code, stdout } = await runIn(project, ['cloudemu', 'import', 'incident.har', '--test', kind]);
  expect([code, stdout]).toEqual([0, expect.stringContaining(file)]);
  // No emulator is needed around it.
  const hint = kind === 'vitest' ? `npx ${command.join(' ')}` : command.join(' ');
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(hint);
  expect(stdout).not.toContain('cloudemu run');
  const empty = await runIn(project, command);
  expect([empty.code, empty.stdout + empty.stderr]).toEqual([1, expect.stringContaining('call your client here')]);
  fill(file, careless);
  expect(readFileSync(join(project, file), 'utf8')).toContain("it('comes through the incident', ");
  const failed = await runIn(project, command);
  expect([failed.code, failed.stdout + failed.stderr]).toEqual([1, expect.stringContaining('no-duplicate-create')]);
  fill(file, careful);
  expect(await runIn(project, command)).toMatchObject({ code: 0 });
});

it('the test for pytest is judged by run', async () => {
  const { code, stdout: told } = await runIn(project, ['cloudemu', 'import', 'incident.har', '--test', 'pytest']);
  const file = 'test/incidents/test_incident.py';
  expect([code, told]).toEqual([
    0,
    expect.stringContaining(`run scenarios/incidents/incident.json -- pytest ${file}\n`),
  ]);
  const text = readFileSync(join(project, file), 'utf8');
  const request = `
    import json, urllib.request
    def create():
        sent = json.dumps({"name": "Web", "project_name": "web", "ecr_image_uri": "acme/web:v1"}).encode()
        headers = {"Authorization": "Bearer " + api_key, "Content-Type": "application/json"}
        try:
            return urllib.request.urlopen(urllib.request.Request(url + "/api/v1/containers", sent, headers))
        except OSError:
            return None
    create() or create()`;
  writeFileSync(join(project, file), text.replace(/\n {4}raise NotImplementedError\([^\n]*\)/, request));
  const run = ['cloudemu', 'run', 'scenarios/incidents/incident.json', '--', 'python3', '-m', 'pytest', file];
  const { code: judged, stdout, stderr } = await runIn(project, run);
  expect([judged, stdout + stderr]).toEqual([1, expect.stringContaining('no-duplicate-create')]);
});

it('--minimise leaves the one circumstance that the command fails for', async () => {
  writeFileSync(
    join(project, 'client.mjs'),
    `const url = process.env.CLOUD_BASE_URL, apiKey = process.env.CLOUD_API_KEY;\n  ${careless}\n`,
  );
  const command = ['cloudemu', 'import', 'incident.har', '--name', 'small', '--minimise', '--', 'node', 'client.mjs'];
  const { code, stdout } = await runIn(project, command);
  const { faults } = JSON.parse(readFileSync(join(project, 'scenarios/incidents/small.json'), 'utf8'));
  expect([code, faults]).toEqual([0, [expect.objectContaining({ match: { operation: 'containers.create' } })]]);
  expect(stdout).toMatch(/1 of 2/);
});

it.each([
  ['sends no request', 'true'],
  ['fails anyway', 'false'],
])('--minimise writes nothing for a command that %s', async (_, program) => {
  const command = ['cloudemu', 'import', 'incident.har', '--name', 'none', '--minimise', '--', program];
  const { code, stderr } = await runIn(project, command);
  expect([code, stderr]).toEqual([2, expect.stringContaining('fails also without the incident')]);
  expect(existsSync(join(project, 'scenarios/incidents/none.json'))).toBe(false);
});

it('--say is refused where it answers no question, and says which ones there are', async () => {
  const said = (what: string) =>
    runIn(project, ['cloudemu', 'import', 'incident.har', '--name', 'said', '--say', what]);
  for (const entry of [99, 0]) {
    const { code, stderr } = await said(`took-effect:${entry}=no`);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(`took-effect:${entry} is about.* of 5, .* only entry 2 `),
    ]);
  }
  expect(await said('took-effect:2=yes')).toMatchObject({ code: 0 });
});

it('replaces a scenario that it has written, in any form, but none that somebody has changed', async () => {
  const again = (...more: string[]) => runIn(project, ['cloudemu', 'import', 'incident.har', '--name', 'own', ...more]);
  const file = join(project, 'scenarios/incidents/own.json');
  expect(await again()).toMatchObject({ code: 0 });
  const scenario = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify(scenario));
  expect(await again('--say', 'took-effect:2=yes')).toMatchObject({ code: 0 });
  const own = JSON.stringify({ ...scenario, expect: { credits: { charged: { max: 7 } } } });
  writeFileSync(file, own);
  const { code, stderr } = await again();
  expect([code, stderr]).toEqual([2, expect.stringContaining('scenarios/incidents/own.json is not as')]);
  expect(stderr).toContain('--name');
  expect(readFileSync(file, 'utf8')).toBe(own);
});
