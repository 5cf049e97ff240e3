// The types of the entries as an editor sees them in a project that has the package installed: `npm run build` writes them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { createProject } from '../support/project.js';

const spec = `
import type { RequestBody } from 'cloudemu';
import { createTest, expect, test, type WorldContext } from 'cloudemu/vitest';
import { connect, type RemoteWorld } from 'cloudemu/client';
import { beforeEach } from 'vitest';

beforeEach<WorldContext>(({ world }) => expect(world.url).toBeDefined());

test.concurrent('x', async ({ world, expect }) => {
  const view: { now: string } = await world.controls.clock.advance('10m');
  const { status } = await world.controls.await({ container: 'shop', status: 'running' });
  const running: 'running' | string = status;
  const { fail } = await world.controls.verdicts();
  for await (const { type } of world.controls.events()) expect(type).toBe('request');
  const more: number = fail;
  expect([view, running, more]).toHaveLength(3);
  // @ts-expect-error: an answer is a promise
  world.controls.clock.get().now;
  // @ts-expect-error: the test's world ends by itself
  world.close();
  // @ts-expect-error: no such phase
  await world.controls.faults.add({ phase: 'later', effect: { status: 503 } });
});
// @ts-expect-error: no such option
createTest({ failON: 'fail' });
// @ts-expect-error: no such word
createTest({ failOn: 'warn' });
createTest({ scenario: 'rough-day', clock: { frozen: true }, seed: 1 }).extend<{ more: number }>({ more: 1 })(
  'y',
  ({ more, world }) => expect(more.toFixed() + world.id).toBe(''),
);

const inputs: RequestBody<'embeddings.create'>[] = [
  { input: 'a text' },
  { input: ['a text', 'another'] },
  { input: [1, 2] },
  { input: [[1], [2]] },
  // @ts-expect-error: neither a text nor a list
  { input: 7 },
  // @ts-expect-error: texts and tokens at once
  { input: ['a text', 7] },
];
test('z', () => expect(inputs).toHaveLength(6));

export async function use(): Promise<void> {
  await using world: RemoteWorld = await connect().createWorld({ port: 0 });
  await world.controls.worlds.drop(world.id);
}
`;

describe('the types', () => {
  let file: string;
  let service: ts.LanguageService;

  beforeAll(() => {
    const project = createProject('recipes/vitest', 'recipes/playwright');
    file = join(project, 'types.spec.ts');
    writeFileSync(file, spec);
    writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
    const options: ts.CompilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      exactOptionalPropertyTypes: true,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: ['node'],
    };
    const files = ['types.spec.ts', 'deploy.spec.ts', 'cloud.ts', 'world.ts', 'playwright.config.ts'];
    service = ts.createLanguageService({
      ...ts.sys,
      useCaseSensitiveFileNames: () => true,
      getCompilationSettings: () => options,
      getScriptFileNames: () => files.map((name) => join(project, name)),
      getScriptVersion: () => '1',
      getScriptSnapshot: (name) => {
        const text = ts.sys.readFile(name);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => project,
      getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    });
  });

  it('fit what the recipes do, and refuse what is wrong', () => {
    const program = service.getProgram();
    const problems = ts
      .getPreEmitDiagnostics(program as ts.Program)
      .map(({ messageText, file: where }) => [where?.fileName, ts.flattenDiagnosticMessageText(messageText, '\n')]);
    expect(problems).toEqual([]);
  });

  it.each([
    ['advance', /Advances time, and resolves when everything that is due has happened/],
    ['await(', /Resolves when a condition holds/],
    ['verdicts', /Judges the clients of the world by its journal/],
    ['url)', /The base URL for clients/],
    ['createTest(', /gives each test a `world` of its own/],
    ['failOn', /a test also fails if a verdict is fail/],
    ['connect()', /Returns a client for a running emulator/],
  ])('say in an editor what %s is', (name, documentation) => {
    const info = service.getQuickInfoAtPosition(file, spec.indexOf(name, spec.indexOf('beforeEach<')));
    expect(ts.displayPartsToString(info?.documentation)).toMatch(documentation);
  });

  it('describe in an editor every part of every input', () => {
    const text = ts.sys.readFile(fileURLToPath(new URL('../../dist/types.d.ts', import.meta.url))) ?? '';
    const source = ts.createSourceFile('types.d.ts', text, ts.ScriptTarget.Latest, true);
    const inputs = source.statements.filter(
      (statement) =>
        (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) &&
        /^(ConfigInput|CreateEmulatorOptions)$|(Request|Options|Filter|Condition|Rule|When|Match|Act|Effect)$/.test(
          statement.name.text,
        ),
    );
    expect(inputs.length).toBeGreaterThan(20);
    const bare = inputs.flatMap((input) => {
      const found: string[] = [];
      const visit = (node: ts.Node): void => {
        if (ts.isPropertySignature(node) && ts.getJSDocCommentsAndTags(node).length === 0)
          found.push(node.getText().slice(0, 60));
        ts.forEachChild(node, visit);
      };
      visit(input);
      return found;
    });
    expect(bare).toEqual([]);
  });
});
