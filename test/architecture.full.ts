// The layers and habits of the source tree, read from its syntax: one list of what breaks them.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

/** Each layer may import from those before it, and from itself. */
const layers = ['core', 'config', 'db', 'world', 'http', 'control', 'platform', 'tools', 'worlds', 'app', 'cli'];

/** Each noun may import from those before it; `surface` is what lies in `platform/` itself. The platform knows no tool. */
const nouns = [
  ...[
    'accounts',
    'credits',
    'keys',
    'quotas',
    'limits',
    'sessions',
    'wallets',
    'authentication',
    'payments',
    'checkouts',
  ],
  ...['agents', 'organizations', 'registry', 'containers', 'voice', 'models', 'knowledge', 'documents', 'usage'],
  ...['hosted-agents', 'jobs', 'timed', 'pairing', 'agent-talk', 'billing', 'images', 'relay', 'surface'],
  ...['journal', 'streams', 'snapshots', 'awaits', 'events', 'faults', 'verdicts', 'coverage', 'receipt', 'scenarios'],
  ...['incidents', 'drift', 'explore', 'history', 'worlds', 'why', 'report', 'timeline', 'dashboard', 'metrics'],
];

/** Packages that only certain files import. */
const packages: Record<string, RegExp> = {
  koa: /^http\//,
  'koa-body': /^http\/body\.ts$/,
  busboy: /^http\/upload\.ts$/,
  'better-sqlite3': /^db\//,
  lowdb: /^(config\/|tools\/scenarios\/|cli\/commands\/init)/,
  yargs: /^cli\//,
  pino: /^cli\/log\.ts$/,
  re2js: /^core\/safe-regex\.ts$/,
  '@cfworker/json-schema': /^platform\/models\/schemas\/prove\.ts$/,
  ret: /^platform\/models\/schemas\/texts\.ts$/,
  siwe: /^platform\/wallets\/siwe-message\.ts$/,
  viem: /^(platform\/(wallets\/curve|payments\/recover)|testing\/[\w-]+)\.ts$/,
};

/** The expressions that only certain files use: time, chance, timers, output. */
const ambient: [what: string, pattern: RegExp, where: RegExp][] = [
  ['the real time', /^(Date\.now\(|new Date\(\)|performance\.now\()/, /^(core\/real-time\.ts|cli\/)/],
  ['chance', /^(Math\.random|randomBytes)\(/, /^core\/random\.ts$/],
  // Fake timers of a test in the same process replace those of the globals.
  ['a timer of the globals', /^(set(Timeout|Interval|Immediate)|queueMicrotask)\(/, /^core\/real-time\.ts$|^cli\//],
  ['a timer', /^real\.set(Timeout|Interval|Immediate)\(/, /^(core\/clock|http\/(sse|listen))\.ts$/],
  // One module writes, so that nothing of a client reaches a terminal unescaped; tests print what cloudemu/vitest says.
  ['output', /^(process\.std(out|err)|console)\./, /^(cli\/(print|terminal)|vitest)\.ts$/],
];

/** The files that a file must not load, by itself or through others, before they are needed. */
const loadedLater: [by: string, what: RegExp][] = [
  ['cli/bin.ts', /^platform\/(wallets\/(curve|siwe-message)|payments\/recover)\.ts$/],
  ['client.ts', /^(db|http\/app|(platform|tools)\/.*store)\b/],
];

/** Control operations on another module's rows, and debts, which containers make and credits pay. */
const mayWrite: Record<string, string> = {
  images: 'registry',
  organizations: 'credits',
  scenarios: 'keys',
  containers: 'credits',
};

const ofSql = /^db\/|^(platform|tools)\/.*(^|[/-])store\.ts$/;
/** A parameter of a statement that is told by its place: `@name` says what it is. */
const positional = /[\s(|]\?([\s,)]|$)/;
const sql = /^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|PRAGMA) (?!\/)/;
// Weak ones hold what is known of a value as long as the value is there, which no world can tell from another.
const collections = new Set(['Map', 'Set']);

interface Source {
  file: string;
  tree: ts.SourceFile;
  /** Files of ours; `later`: by `import()`. */
  imports: { file: string; names: string[]; kind: 'value' | 'type' | 'later' }[];
  packages: string[];
}

/** The code for browsers: of the rest it takes types alone, and it makes no markup of texts. */
const web = 'tools/dashboard/web/';
const markup = /\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|srcdoc)\b|\beval\(/;

const root = new URL('../src/', import.meta.url).pathname;
const sources = new Map(
  (readdirSync(root, { recursive: true }) as string[])
    .filter((file) => /\.tsx?$/.test(file))
    .sort()
    .map((file) => [file, read(file)]),
);

function read(file: string): Source {
  const tree = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const source: Source = { file, tree, imports: [], packages: [] };
  const add = (name: string, names: string[], kind: Source['imports'][number]['kind']): void => {
    if (!name.startsWith('.')) source.packages.push(/^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
    else source.imports.push({ file: fileNamed(normalize(join(dirname(file), name))), names, kind });
  };
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined) {
      const clause = ts.isImportDeclaration(node) ? node.importClause : node;
      const named = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause;
      const elements = named !== undefined && 'elements' in named ? [...named.elements] : [];
      const values = elements.filter((element) => !element.isTypeOnly).map(({ name }) => name.getText());
      const isType = clause !== undefined && 'isTypeOnly' in clause && clause.isTypeOnly;
      const isTypes = isType || (elements.length > 0 && values.length === 0);
      add((node.moduleSpecifier as ts.StringLiteral).text, isType ? [] : values, isTypes ? 'type' : 'value');
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [name] = node.arguments;
      if (name !== undefined && ts.isStringLiteral(name)) add(name.text, [], 'later');
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return source;
}

function fileNamed(path: string): string {
  const file = path.replace(/\.js$/, '.ts');
  return existsSync(join(root, file)) ? file : file.replace(/\.ts$/, '.tsx');
}

const layerOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] ?? '') : 'app');
// Folders that belong to a layer: the client and the tools for tests, and the reference pages, which are made from everything.
const ownLayer = (file: string): string =>
  ({ client: 'app', testing: 'app', docs: 'cli' })[layerOf(file)] ?? layerOf(file);
const nounOf = (file: string): string | undefined =>
  /^(platform|tools)\/([\w-]+)\//.exec(file)?.[2] ?? (file.startsWith('platform/') ? 'surface' : undefined);

/** Imports that go upwards: from a layer, or from a noun, to a later one. */
function upwards({ file, imports }: Source): string[] {
  return imports.flatMap(({ file: other, names }) => {
    const layer = ownLayer(file);
    if (layers.indexOf(layer) < layers.indexOf(ownLayer(other)) || !layers.includes(layer))
      return `imports upwards: ${other}`;
    const [mine, theirs] = [nounOf(file), nounOf(other)];
    if (mine === undefined || theirs === undefined || mine === theirs) return [];
    if (nouns.indexOf(theirs) > nouns.indexOf(mine) || !nouns.includes(mine)) return `imports upwards: ${other}`;
    // Another module's rows are read, and changed by its own functions only.
    const writes =
      mayWrite[mine] !== theirs && /(^|[/-])store\.ts$/.test(other)
        ? names.filter((name) => /^(insert|update|remove|set)[A-Z]/.test(name))
        : [];
    return writes.map((name) => `writes to another module's store: ${name} of ${other}`);
  });
}

function inBrowsers({ file, imports, tree, packages: used }: Source): string[] {
  if (!file.startsWith(web)) return imports.flatMap((one) => (one.file.startsWith(web) ? [`imports ${one.file}`] : []));
  return [
    ...imports.flatMap((one) =>
      one.kind === 'type' || one.file.startsWith(web) ? [] : [`imports more than types: ${one.file}`],
    ),
    ...used.flatMap((name) =>
      /^(preact|@preact\/signals|uplot|swagger-ui-dist|page-operations)$/.test(name) ? [] : [`imports ${name}`],
    ),
    ...(markup.exec(tree.text) ?? []).slice(0, 1).map((word) => `says ${word}`),
    ...(tree.text.startsWith('// ') ? [] : ['does not say in its first line what it owns']),
  ];
}

function strayPackages({ file, packages: used }: Source): string[] {
  return used.flatMap((name) => (packages[name]?.test(file) === false ? `imports ${name}` : []));
}

/** Expressions that belong elsewhere, and state that all worlds of a process would share. */
function habits({ file, tree }: Source): string[] {
  const found: string[] = [];
  if (!tree.text.startsWith('// ')) found.push('does not say in its first line what it owns');
  for (const statement of tree.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    const isConst = (statement.declarationList.flags & ts.NodeFlags.Const) !== 0;
    for (const { name, type, initializer } of statement.declarationList.declarations)
      if (!isConst || (isCollection(initializer) && type?.getText().startsWith('readonly ') !== true))
        found.push(`has state of the module: ${name.getText()}`);
  }
  const visit = (node: ts.Node): void => {
    if (ts.isExportAssignment(node) || (node.kind === ts.SyntaxKind.DefaultKeyword && ts.canHaveModifiers(node.parent)))
      found.push('has a default export');
    // `fetch` of a test answers what the test says.
    if (node.kind === ts.SyntaxKind.AnyKeyword && file !== 'core/local-fetch.ts') found.push('says `any`');
    if (ts.isExpressionStatement(node) && ts.isConditionalExpression(node.expression))
      found.push(`has a conditional expression in place of \`if\`: ${node.getText().slice(0, 40)}`);
    if (ts.isCallExpression(node) || ts.isNewExpression(node) || ts.isPropertyAccessExpression(node))
      for (const [what, pattern, where] of ambient)
        if (pattern.test(node.getText().slice(0, 40)) && !where.test(file))
          found.push(`uses ${what}: ${node.getText().slice(0, 40)}`);
    if ((ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) && sql.test(node.getText().slice(1)))
      if (!ofSql.test(file)) found.push(`has SQL: ${node.getText().slice(0, 40)}`);
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      if (ofSql.test(file) && positional.test(node.text)) found.push(`has a parameter without a name: ${node.text}`);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return [...new Set(found)];
}

function isCollection(node: ts.Expression | undefined): boolean {
  if (node === undefined) return false;
  if (ts.isNewExpression(node))
    return collections.has(node.expression.getText()) && (node.arguments ?? []).length === 0;
  return ts.isArrayLiteralExpression(node) && node.elements.length === 0;
}

/** Every circle of imports, types included. */
function cycles(): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, path: string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) return void found.push(`imports in a circle: ${[...path.slice(at), file].join(' -> ')}`);
    if (done.has(file)) return;
    for (const { file: other } of sources.get(file)?.imports ?? []) walk(other, [...path, file]);
    done.add(file);
  };
  for (const file of sources.keys()) walk(file, []);
  return found;
}

function tooEarly(): string[] {
  return loadedLater.flatMap(([by, what]) => {
    const reached = new Set<string>();
    const walk = (file: string): void => {
      // The build replaces this file by data.
      if (reached.has(file) || file === 'client/shapes.ts') return;
      reached.add(file);
      for (const { file: other, kind } of sources.get(file)?.imports ?? []) if (kind === 'value') walk(other);
    };
    walk(by);
    return [...reached].filter((file) => what.test(file)).map((file) => `${by}: loads at once: ${file}`);
  });
}

const mostLines = 80;

type WithBody = ts.FunctionLikeDeclaration & { body: ts.Node };
const hasBody = (node: ts.Node): node is WithBody =>
  ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;

/** A function's lines without those of the functions in it, which are measured by themselves: it may consist of methods. */
function ownLines(tree: ts.SourceFile, whole: WithBody): number {
  const lines = (node: ts.Node): number =>
    tree.getLineAndCharacterOfPosition(node.end).line - tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  let own = lines(whole);
  const visit = (node: ts.Node): void => {
    if (!hasBody(node)) ts.forEachChild(node, visit);
    // A function on one line shares it with the call that it is passed to.
    else if (lines(node) > 1) own -= lines(node);
  };
  ts.forEachChild(whole, visit);
  return own;
}

function overlong(): string[] {
  return [...sources.values()].flatMap(({ file, tree }) => {
    const long: string[] = [];
    const visit = (node: ts.Node): void => {
      if (hasBody(node)) {
        const own = ownLines(tree, node);
        const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
        const name = `${file}: ${named?.getText() ?? `line ${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`}`;
        if (own > mostLines) long.push(`${name} has ${own} lines of its own`);
      }
      ts.forEachChild(node, visit);
    };
    visit(tree);
    return long;
  });
}

it('has no function of more than 80 lines, those of the functions in it not counted', () => {
  expect(overlong()).toEqual([]);
});

it('the source tree keeps to its layers and habits', () => {
  const problems = [...sources.values()].flatMap((source) =>
    [
      ...upwards(source),
      ...inBrowsers(source),
      ...(source.file.startsWith(web) ? [] : [...strayPackages(source), ...habits(source)]),
    ].map((problem) => `${source.file}: ${problem}`),
  );
  expect([...problems, ...cycles(), ...tooEarly()]).toEqual([]);
});
