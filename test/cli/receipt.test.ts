// `cloudemu receipt`: runs that prove nothing, and one that does.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { itFull, sampleOf } from '../support/campaign.js';
import { tempDir } from '../support/command.js';
import { runHere as run } from '../support/command-here.js';

const request = (path: string, key = `$CLOUD_API_KEY`): string =>
  `curl -s "$CLOUD_BASE_URL${path}" -H "X-API-Key: ${key}" -o /dev/null`;
const containers = request('/api/v1/containers');

/** Runs a line of the shell, and checks the receipt. */
async function check(line: string, { scenario = 'happy-path', cwd = tempDir(), flags = [] as string[] } = {}) {
  await run(['run', scenario, '--', 'sh', '-c', line], { cwd });
  const { stdout, code } = await run(['receipt', '--json', ...flags], { cwd });
  const { ok, vacuities, receipt } = JSON.parse(stdout);
  expect(code).toBe(ok ? 0 : 1);
  return { codes: vacuities.map((one: { code: string }) => one.code), receipt, cwd };
}

itFull('says nothing against a run that lists, creates and meets errors', async () => {
  const create = `${containers} -X POST -H 'content-type: application/json' -d '{"name":"a","project_name":"a","ecr_image_uri":"r.local/a:v1"}'`;
  const { codes, receipt } = await check(`${containers} && ${create} && ${request('/api/v1/containers/none')}`);
  expect(codes).toEqual([]);
  expect(receipt).toMatchObject({
    kind: 'run',
    scenario: 'happy-path',
    exitCode: 0,
    worlds: [
      {
        id: 'default',
        requests: 3,
        operations: { 'containers.list': 1, 'containers.create': 1, 'containers.get': 1 },
        statuses: { 200: 1, 202: 1, 404: 1 },
        verdicts: { 'no-secret-in-url': 'pass' },
        assumptions: expect.arrayContaining(['containers.create']),
      },
    ],
  });
});

const vacuous = [
  ['sends nothing', 'true', 'NO_REQUEST'],
  ['asks another server', 'curl -s http://127.0.0.1:1/api/v1/containers', 'NO_REQUEST'],
  ['uses a wrong key', `${request('/api/v1/containers', 'wrong')} ; true`, 'ALL_REFUSED'],
  ['uses wrong paths', `${request('/v9/containers')} ; ${request('/nothing')}`, 'ALL_REFUSED'],
  ['only reads the health', 'curl -s "$CLOUD_BASE_URL/api/health"', 'NOTHING_JUDGED'],
] as const;

it.each(sampleOf(vacuous))('flags a run that %s', async (_, line, code) => {
  expect((await check(line)).codes).toEqual([code]);
});

itFull('flags a fault that never acts', async () => {
  const cwd = tempDir();
  const faults = [{ match: { operation: 'voice.clone' }, effect: { status: 503 } }];
  writeFileSync(join(cwd, 'faulty.json'), JSON.stringify({ title: 'faulty', faults }));
  expect((await check(containers, { scenario: './faulty.json', cwd })).codes).toEqual(['FAULT_NEVER_FIRED']);
});

itFull('flags a test that sends nothing beside others of its file, unless that is allowed', async () => {
  const cwd = tempDir();
  const document = { title: 'apart', seed: '1', command: { worldPerTest: true } };
  writeFileSync(join(cwd, 'apart.json'), JSON.stringify(document));
  writeFileSync(
    join(cwd, 'shop.test.mjs'),
    `import { test } from 'node:test';
    const { CLOUD_BASE_URL: base, CLOUD_API_KEY: key } = process.env;
    test('lists', () => fetch(base + '/api/v1/containers', { headers: { 'x-api-key': key } }));
    test('is empty', () => {});`,
  );
  const line = `'${process.execPath}' --test`;
  const { codes } = await check(line, { scenario: './apart.json', cwd });
  expect(codes).toEqual(['EMPTY_TEST']);
  const { stdout, code } = await run(['receipt', '--allow-empty'], { cwd });
  expect([code, stdout]).toEqual([0, expect.stringContaining('The run has exercised what it says.')]);
});

itFull('flags the receipt of another directory, and one that is named may be of any', async () => {
  const { cwd } = await check(containers);
  const file = join(cwd, '.cloudemu/receipt.json');
  const copy = tempDir();
  mkdirSync(join(copy, '.cloudemu'));
  writeFileSync(join(copy, '.cloudemu/receipt.json'), readFileSync(file));
  const foreign = await run(['receipt'], { cwd: copy });
  expect([foreign.code, foreign.stdout]).toEqual([1, expect.stringContaining('FOREIGN_EMULATOR')]);
  expect((await run(['receipt', file], { cwd: copy })).code).toBe(0);
});

it('writes it where it is asked for, and says what is wrong with a file that is none', async () => {
  const cwd = tempDir();
  await run(['run', 'happy-path', '--receipt', 'out/receipt.json', '--', 'sh', '-c', containers], { cwd });
  expect([existsSync(join(cwd, 'out/receipt.json')), existsSync(join(cwd, '.cloudemu'))]).toEqual([true, false]);
  writeFileSync(join(cwd, 'none.json'), '{"kind":"run"}');
  const missing = await run(['receipt'], { cwd });
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('receipt.json: ')]);
  const wrong = await run(['receipt', 'none.json'], { cwd });
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('none.json is no receipt: ')]);
});
