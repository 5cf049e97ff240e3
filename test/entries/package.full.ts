// The package as it is published, in a project of its own: it runs with SQLite and nothing else, and its types hold.
// The package is unpacked where npm would put it, with the SQLite of this checkout, so that no registry is needed.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts6 from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { installed, requireFrom } from '../support/installed.js';
import { guides, snippetsOf } from '../support/pages.js';
import { createPackedProject, packPackage, runIn } from '../support/project.js';

const ts5: typeof ts6 = requireFrom(installed('typescript@5.9.3'))('typescript');
const compilers = { 'TypeScript 6.0': ts6, 'TypeScript 5.9': ts5 };
let tarball: string;
beforeAll(() => {
  tarball = packPackage();
});

describe('with what npm installs and nothing else', () => {
  const deploys = `
const emulator = await createEmulator({ timing: 'instant', seed: 1 });
const headers = { authorization: \`Bearer \${emulator.apiKey}\` };
const body = JSON.stringify({ name: 'Web', project_name: 'web', ecr_image_uri: 'registry/web:v1' });
const { data } = await (await emulator.fetch('/api/v1/containers', { method: 'POST', headers, body })).json();
const world = await connect({ url: emulator.url }).createWorld({ scenario: 'happy-path' });
const signed = await signHeaders({ wallet: testWallet('1'), path: '/api/v1/user' });
const user = await (await emulator.fetch('/api/v1/user', { headers: signed })).json();
const project = { config: {} };
const end = await createSetup()(project);
const { status } = await fetch(project.config.env.CLOUDEMU_URL + '/api/health');
await end();
console.log(emulator.controls.containers.get(data.id).status, world.id, user.success, status);
await emulator.close();
`;
  it.each([
    [
      'ESM',
      'use.mjs',
      `import { createEmulator } from 'cloudemu';
import { connect } from 'cloudemu/client';
import { signHeaders, testWallet } from 'cloudemu/testing';
import { createSetup } from 'cloudemu/vitest/setup';
${deploys}`,
    ],
    [
      'CommonJS',
      'use.cjs',
      `const { createEmulator } = require('cloudemu');
const { connect } = require('cloudemu/client');
const { signHeaders, testWallet } = require('cloudemu/testing');
const { createSetup } = require('cloudemu/vitest/setup');
(async () => {${deploys}})();`,
    ],
  ])('its entries work in %s', async (_, file, code) => {
    const project = createPackedProject(tarball);
    writeFileSync(join(project, file), code);
    expect(await runIn(project, [process.execPath, file])).toMatchObject({
      stdout: expect.stringMatching(/^running w-[0-9a-f]{12} true 200\n$/),
      stderr: '',
      code: 0,
    });
  });

  it('the command runs a client against a scenario', async () => {
    const project = createPackedProject(tarball);
    const client = join(import.meta.dirname, '../clients/well-behaved.mjs');
    const command = ['node_modules/cloudemu/dist/cli.cjs', 'run', 'happy-path', '--', process.execPath, client];
    const { code, stdout } = await runIn(project, [process.execPath, ...command]);
    expect(stdout).toMatch(/^All came as expected, in /m);
    expect(code).toBe(0);
  });
});

const consumer = `
import { ApiError, createEmulator, type ErrorCode, type FailureMode, type FaultRequest } from 'cloudemu';
import type { OperationId, RequestBody, RequestQuery, ResponseBody, ScenarioInput, ScenarioName } from 'cloudemu';
import { connect, type RemoteWorld } from 'cloudemu/client';
import { paymentHeader, signHeaders, testWallet } from 'cloudemu/testing';

declare global {
  interface CloudemuScenarios {
    'black-friday': true;
  }
}

export async function use(): Promise<void> {
  await using emulator = await createEmulator({ timing: 'fast', scenario: './scenarios/mine.json', containers: { failure: 'oom-later' } });
  const { controls } = emulator;
  for (const operation of ['containers.create', 'containers.*', '*'] as const)
    controls.faults.add({ match: { operation }, effect: { status: 503 } });
  await controls.scenarios.apply('rough-day');
  await controls.scenarios.apply('black-friday');
  await controls.scenarios.apply(controls.scenarios.save({ name: 'of-now' }).name);
  controls.containers.fail('web', { mode: 'exec-format' });
  controls.limits.set({ operation: 'containers.create', limit: 2 });
  const { status } = await controls.await({ container: 'web', status: 'running' });
  const running: 'running' | string = status;
  const body: RequestBody<'containers.create'> = { name: 'Web', project_name: 'web', ecr_image_uri: 'web:v1' };
  const answer = await emulator.fetch('/api/v1/containers', { method: 'POST', body: JSON.stringify(body) });
  const { data, polling } = await answer.json<ResponseBody<'containers.create'>>();
  const wait: number = polling.intervalMs;
  const url: string | null = data.url;
  const query: RequestQuery<'containers.logs'> = { tail: 10 };
  const id: OperationId = 'agents.create';
  const world: RemoteWorld = await connect().createWorld({ scenario: 'happy-path', clock: { frozen: true } });
  const { fail } = await world.controls.verdicts();
  await signHeaders({ wallet: testWallet(1), path: '/', wrong: 'expired' });
  const code: ErrorCode = new ApiError('NOT_FOUND').code;
  const scenario: ScenarioInput = { settings: { containers: { timing: 'instant' } }, faults: [{ effect: { network: 'reset' } }] };
  console.log(running, wait, url, query, id, fail, code, scenario, paymentHeader);

  // @ts-expect-error: no such operation
  controls.faults.add({ match: { operation: 'containers.creat' }, effect: { status: 503 } });
  // @ts-expect-error: no such operation
  const rule: FaultRequest = { match: { operation: 'container.create' }, effect: { status: 503 } };
  // @ts-expect-error: no such operation
  controls.requests.list({ operation: 'containers.creat' });
  // @ts-expect-error: no such operation
  await controls.await({ operation: 'containers.creat', count: 1 });
  // @ts-expect-error: no such failure mode
  controls.containers.fail('web', { mode: 'exec-fromat' });
  // @ts-expect-error: no such failure mode
  const mode: FailureMode = 'oom';
  // @ts-expect-error: no such failure mode
  const failing: ScenarioInput = { containers: [{ mode: 'oom' }] };
  // @ts-expect-error: no such failure mode
  await createEmulator({ containers: { failure: 'oom' } });
  // @ts-expect-error: no such scenario
  await createEmulator({ scenario: 'rough-dya' });
  // @ts-expect-error: no such scenario
  await controls.scenarios.apply('rough-dya');
  // @ts-expect-error: no such scenario
  await world.controls.worlds.create({ scenario: 'rough-dya' });
  // @ts-expect-error: no such scenario
  const name: ScenarioName = 'white-friday';
  // @ts-expect-error: no such option
  await createEmulator({ timming: 'fast' });
  // @ts-expect-error: no such setting
  await createEmulator({ containers: { timming: 'fast' } });
  // @ts-expect-error: no such setting
  const misset: ScenarioInput = { settings: { containers: { timming: 'fast' } } };
  // @ts-expect-error: no such field
  const mistaken: RequestBody<'containers.create'> = { ...body, projectName: 'web' };
  // @ts-expect-error: no such field
  data.projectName;
  console.log(rule, mode, failing, name, misset, mistaken);
}
`;
const spec = `
import { createTest, test } from 'cloudemu/vitest';
import { createSetup, setup } from 'cloudemu/vitest/setup';
import type { TestProject } from 'vitest/node' with { 'resolution-mode': 'import' };
test('x', async ({ world }) => void (await world.controls.clock.advance('1m')));
createTest({ scenario: 'rough-day', settings: { containers: { timing: 'instant' } } });
const own: ((project: TestProject) => unknown)[] = [setup, createSetup({ profile: 'elizacloud-v1' })];
// @ts-expect-error: no such option
createSetup({ timming: 'fast' });
console.log(own);
// @ts-expect-error: no such scenario
createTest({ scenario: 'rough-dya' });
// @ts-expect-error: no such setting
createTest({ settings: { containers: { timming: 'instant' } } });
`;

/** The messages of a compiler about files of a project, and about the types of the package. */
function problems(ts: typeof ts6, project: string, files: readonly string[], options: ts6.CompilerOptions): string[] {
  const program = ts.createProgram(
    files.map((file) => join(project, file)),
    { strict: true, noEmit: true, skipLibCheck: false, target: ts.ScriptTarget.ES2022, ...options },
  );
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => file === undefined || !/\/node_modules\/(?!cloudemu\/)/.test(file.fileName))
    .map(({ file, start = 0, messageText }) => {
      const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
      return `${file?.fileName ?? ''}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
}

describe.each(Object.entries(compilers))('with %s', (_, ts) => {
  const { Node16, NodeNext, ESNext } = ts.ModuleKind;
  const { Bundler } = ts.ModuleResolutionKind;
  const node = { lib: ['lib.es2022.d.ts'], types: ['node'] };
  const dom = { lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'], types: [] };
  let project: string;
  beforeAll(() => {
    project = createPackedProject(tarball, ['@types/node', 'vitest', 'undici-types']);
    for (const kind of ['mts', 'cts']) {
      writeFileSync(join(project, `use.${kind}`), consumer);
      writeFileSync(join(project, `use.spec.${kind}`), spec);
    }
  });

  it.each([
    ['node16', { module: Node16, ...node }, ['use.mts', 'use.cts', 'use.spec.mts', 'use.spec.cts']],
    ['nodenext', { module: NodeNext, exactOptionalPropertyTypes: true, ...node }, ['use.mts', 'use.cts']],
    ['bundler', { module: ESNext, moduleResolution: Bundler, ...node }, ['use.mts', 'use.spec.mts']],
    ['bundler, with the types of a browser', { module: ESNext, moduleResolution: Bundler, ...dom }, ['use.mts']],
  ])('types hold under %s', (_, options, files) => {
    expect(problems(ts, project, files, options)).toEqual([]);
  });
});

it('the package has types that need no other package', () => {
  const project = createPackedProject(tarball);
  for (const entry of ['index', 'client', 'testing', 'vitest-setup', 'types'])
    for (const kind of ['d.ts', 'd.cts']) {
      const text = readFileSync(join(project, 'node_modules/cloudemu/dist', `${entry}.${kind}`), 'utf8');
      const from = [...text.matchAll(/\b(?:from|import\()\s*'([^']+)'/g)].map(([, name]) => name);
      expect(from.filter((name) => !/^\.\/types\.c?js$/.test(name ?? ''))).toEqual([]);
    }
});

it('the package compiles what README.md and the guides show', () => {
  const others = [
    '@types/node',
    'undici-types',
    'vitest',
    'viem',
    'openai',
    '@anthropic-ai/sdk',
    '@elizaos/cloud-sdk',
    '@x402/core',
    '@x402/evm',
    '@x402/fetch',
  ];
  const project = createPackedProject(tarball, others);
  // Those of a page that have names import each other.
  const pages = guides.map((page) => snippetsOf(page).filter(({ language }) => language === 'ts'));
  const groups = pages.flatMap((page) => [
    page.filter(({ file }) => file !== undefined),
    ...page.filter(({ file }) => file === undefined).map((snippet) => [snippet]),
  ]);
  expect(groups.length).toBeGreaterThan(8);
  const files = groups.flatMap((group, number) => {
    // Each group in a directory of its own, with what it imports.
    const directory = join(project, String(number));
    mkdirSync(directory);
    cpSync('test/recipes/vitest/cloud.ts', join(directory, 'cloud.ts'));
    return group.map(({ file = 'snippet.ts', text }) => {
      writeFileSync(join(directory, file), text);
      return join(String(number), file);
    });
  });
  const { NodeNext } = ts6.ModuleKind;
  expect(problems(ts6, project, files, { module: NodeNext, types: ['node'], skipLibCheck: true })).toEqual([]);
});
