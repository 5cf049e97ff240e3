// Builds dist/: one bundle for the command (with V8's code cache), one for the library, the types, the config schema.
// --quick leaves out the types, for tests.

import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { warmUp, warmUpLibrary } from './code-cache.mjs';
import { pageOperations } from './page-operations.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const dist = join(root, 'dist');
const quick = process.argv.includes('--quick');

rmSync(join(dist, 'types'), { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
for (const name of readdirSync(dist)) if (name.endsWith('.cache')) rmSync(join(dist, name));

// A part that is loaded on first use is a bundle of its own, so that the start does not even read it.
const later = {
  curve: 'src/platform/wallets/curve.ts',
  'siwe-message': 'src/platform/wallets/siwe-message.ts',
  recover: 'src/platform/payments/recover.ts',
  prometheus: 'src/tools/metrics/prometheus.ts',
  testing: 'src/testing.ts',
  client: 'src/client.ts',
  'regex-engine': 'node_modules/re2js/build/index.js',
};
// Commands that need nothing of the emulator have a bundle that is read quickly: those of src/cli/command-loader.ts.
const light = ['status', 'stop', 'open', 'docs', 'init', 'agent'];
// These run in threads of their own.
const threads = { 'image-worker': 'src/db/image-worker.ts' };
// Files whose text the build changes. One that has moved, or reads otherwise, must not go into the bundle as it is.
const missed = new Set();
function onFile(onLoad, filter, edit) {
  missed.add(String(filter));
  onLoad({ filter }, async ({ path }) => {
    const result = await edit(path, readFileSync(path, 'utf8'));
    if (result.contents !== readFileSync(path, 'utf8')) missed.delete(String(filter));
    return result;
  });
}

const loadLater = {
  name: 'load-later',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ kind, path, resolveDir }) => {
      const source = relative(root, join(resolveDir, path)).replace(/\.js$/, '.ts');
      const [name] = Object.entries(later).find(([, file]) => file === source) ?? [];
      return kind === 'dynamic-import' && name !== undefined ? { path: `./${name}.cjs`, external: true } : undefined;
    });
  },
};

// Regular expressions are checked by schemas, which cannot wait for an import: their engine is required.
const engineLater = {
  name: 'engine-later',
  setup({ onLoad, onResolve }) {
    onFile(onLoad, /[/\\]core[/\\]safe-regex\.ts$/, (_, text) => ({
      contents: text.replace(`createRequire(import.meta.url)('re2js')`, `require('./re2js')`),
      loader: 'ts',
    }));
    onResolve({ filter: /^\.\/re2js$/ }, () => ({ path: './regex-engine.cjs', external: true }));
  },
};

// Parts of Node that a start does not use are loaded when something of theirs is.
const rare = 'assert|child_process|dns|fs/promises|readline|stream/promises|timers/promises|v8|worker_threads|zlib';
const builtinsLater = (names) => ({
  name: 'builtins-later',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: new RegExp(`^(node:)?(${names})$`) }, ({ path, namespace }) =>
      namespace === 'builtins-later' ? { path, external: true } : { path, namespace: 'builtins-later' },
    );
    onLoad({ filter: /^/, namespace: 'builtins-later' }, ({ path }) => {
      const builtin = createRequire(import.meta.url)(path);
      const itself = typeof builtin === 'function' ? 'module.exports = (...args) => load()(...args);' : '';
      return {
        contents: `
          const load = () => require('${path}');
          ${itself}
          for (const name of ${JSON.stringify(Object.keys(builtin))})
            Object.defineProperty(module.exports, name, { enumerable: true, get: () => load()[name] });
        `,
      };
    });
  },
});

// The parser of sign-in messages needs none of the ethers that siwe's other functions call: with that megabyte the first nonce
// would take 52 instead of 12 ms to load it.
const noEthers = {
  name: 'no-ethers',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^ethers$/ }, ({ path }) => ({ path, namespace: 'no-ethers' }));
    onLoad({ filter: /^/, namespace: 'no-ethers' }, () => ({ contents: 'export const ethers = {};' }));
  },
};

// A test in the same process may have faked what these libraries call the rest of their work with: Jest's fake timers have a
// `nextTick` of their own, under which no form would ever be read.
const realTicks = (_, text) => {
  const later = `require(${JSON.stringify(join(root, 'src/core/real-time.ts'))}).real.queueMicrotask`;
  const ticks = text.replaceAll('process.nextTick(', `${later}(`);
  return { contents: ticks.replace(/typeof setImmediate === 'function'\s+\? setImmediate\s+:/, '') };
};

const edits = [
  [/\/busboy\/lib\/types\/multipart\.js$/, realTicks],
  [/\/raw-body\/index\.js$/, realTicks],
  [/\/on-finished\/index\.js$/, realTicks],
  // Koa's part that ends streams: Node's streams of files with all that they need are a millisecond.
  [
    /\/destroy\/index\.js$/,
    (_, text) => ({
      contents: text
        .replace(/^var ReadStream = .*$/m, '')
        .replace('instanceof ReadStream', `instanceof require('fs').ReadStream`),
    }),
  ],
  // Messages are in English: the other languages of zod are only read.
  [
    /zod\/v4\/locales\/index\.js$/,
    (path) => ({ contents: `export { default as en } from './en.js';`, resolveDir: dirname(path) }),
  ],
  // Bodies are taken as bytes, which no decoder sees: half a megabyte of tables of other character sets is left out.
  [/\/iconv-lite\/lib\/index\.js$/, () => ({ contents: '' })],
  // Forms with files are read by busboy, and others here: what koa-body reads them with, and its part of each first body
  // (17 ms), is left out.
  [
    /\/koa-body\/dist\/esm\/utils\/parse-with-formidable\.js$/,
    () => ({ contents: `export default () => { throw new Error('koa-body reads no forms here'); };` }),
  ],
  [
    /\/co-body\/lib\/form\.js$/,
    () => ({ contents: `module.exports = () => { throw new Error('co-body reads no forms here'); };` }),
  ],
  // Yargs reads the package.json above the working directory for a version, which we pass to it anyway: that of
  // a checkout may be a pipe, or a link to a device.
  [
    /\/yargs\/lib\/platform-shims\/esm\.mjs$/,
    (_, text) => ({ contents: text.replace('mainFilename || process.cwd()', 'process.execPath') }),
  ],
  // A smaller table of multiples of the curve's base point: 7 instead of 38 ms for the first wallet of a process, 0.5 instead of
  // 0.35 for each further one.
  [
    /\/@noble\/curves\/esm\/abstract\/weierstrass\.js$/,
    (_, text) => ({ contents: text.replace('Point.BASE._setWindowSize(8)', 'Point.BASE._setWindowSize(4)') }),
  ],
  // Libraries name what they deprecate, with the line that calls it: looking for lines in two megabytes takes milliseconds.
  [
    /\/depd\/index\.js$/,
    () => ({
      contents:
        'module.exports = () => Object.assign(() => {}, { function: (wrapped) => wrapped, property: () => {} });',
    }),
  ],
  // Media types that we send and that people send us: two thousand others, which every start would go through, are left out.
  [
    /\/mime-db\/db\.json$/,
    (path) => {
      const sent =
        /^(text|audio|image|video|multipart)\/|^application\/(json|javascript|xml|octet-stream|pdf|yaml|zip|gzip|x-www-form-urlencoded)$/;
      const all = Object.entries(createRequire(import.meta.url)(path));
      const named = all.filter(([type, { extensions }]) => sent.test(type) && extensions !== undefined);
      return { contents: JSON.stringify(Object.fromEntries(named)), loader: 'json' };
    },
  ],
];
const edited = {
  name: 'edited',
  setup({ onLoad }) {
    for (const [filter, edit] of edits) onFile(onLoad, filter, edit);
  },
};

// The client takes the shapes of methods as data, so that it does not load what they do.
const plainShapes = {
  name: 'plain-shapes',
  setup({ onLoad }) {
    onFile(onLoad, /[/\\]client[/\\]shapes\.ts$/, async (path) => {
      const { shapes } = await loaded(path);
      return { contents: `export const shapes = ${JSON.stringify(shapes)};`, loader: 'ts' };
    });
  },
};

async function loaded(file) {
  const outfile = join(dist, `loaded-${process.pid}.mjs`);
  await build({ entryPoints: [file], outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile);
  }
}

await build({
  absWorkingDir: root,
  entryPoints: {
    main: 'src/cli/bin.ts',
    light: 'src/cli/bin-light.ts',
    emulator: 'src/index.ts',
    ...later,
    ...threads,
  },
  outdir: dist,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  // `require` finds a bundle beside this one, wherever the command runs.
  supported: { 'dynamic-import': false },
  plugins: [loadLater, engineLater, builtinsLater(rare), noEthers, edited, plainShapes],
  minifyWhitespace: true,
  minifySyntax: true,
  // Node shows the line of a fault of ours.
  lineLimit: 160,
  legalComments: 'none',
  // Native addons are found through the package, at run time.
  external: ['better-sqlite3/package.json'],
  define: {
    'import.meta.url': 'importMetaUrl',
  },
  banner: { js: 'const importMetaUrl=require("node:url").pathToFileURL(__filename).href;' },
  mainFields: ['module', 'main'],
  // One table of media types, and of errors, instead of one for each of Koa's parts.
  alias: Object.fromEntries(
    ['http-errors', 'mime-types', 'statuses'].map((name) => [name, join(root, 'node_modules', name)]),
  ),
  logLevel: 'warning',
});

// The dashboard and the reference: read by browsers, from files whose names change with their content.
rmSync(join(dist, 'dashboard'), { recursive: true, force: true });
await buildPage('index.html', 'index.html', { app: 'main.tsx', style: 'style.css' });
await buildPage('reference/index.html', 'reference.html', {
  reference: 'reference/main.ts',
  'reference-style': 'reference/style.css',
});
// Swagger UI is Apache 2.0, which comes with it.
for (const name of ['LICENSE', 'NOTICE'])
  copyFileSync(join(root, 'node_modules/swagger-ui-dist', name), join(dist, `dashboard/swagger-ui-${name}.txt`));

// Pages share no chunk, so that one does not read in two what it could in one.
async function buildPage(page, output, entries) {
  const web = 'src/tools/dashboard/web';
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, `${web}/${file}`])),
    outdir: join(dist, 'dashboard'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    plugins: [pageOperations(root)],
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
  const hashed = readdirSync(join(dist, 'dashboard'));
  const fileOf = (name, kind) => hashed.find((file) => file.replace(/-[^-]+$/, '') === name && file.endsWith(kind));
  const text = readFileSync(join(root, web, page), 'utf8').replace(
    /assets\/([\w-]+)\.(css|js)/g,
    (_, name, kind) => `assets/${fileOf(name, `.${kind}`)}`,
  );
  writeFileSync(join(dist, 'dashboard', output), text);
}

if (missed.size > 0) throw new Error(`the build changed nothing in ${[...missed].join(', ')}: has a file moved?`);

for (const name of ['main', 'light', 'emulator', ...Object.keys(later)]) keepMarkers(join(dist, `${name}.cjs`));
for (const name of ['main', 'light', 'emulator', ...Object.keys(later), ...Object.keys(threads)])
  escapeLetters(join(dist, `${name}.cjs`));

copyFileSync(join(root, 'src/build/cached.cjs'), join(dist, 'cached.cjs'));
writeFileSync(
  join(dist, 'cli.cjs'),
  `#!/usr/bin/env node
if (Number.parseInt(process.versions.node, 10) < 20) {
  console.error('cloudemu needs Node 20 or later; this is ' + process.version + '.');
  process.exit(2);
}
const [, , word] = process.argv;
const isLight = ${JSON.stringify(light)}.includes(word);
const isTypical = ['start', 'status'].includes(word) && !process.argv.includes('--help');
require('./cached.cjs')(isLight ? 'light' : 'main', (code) => code === 0 && isTypical);
`,
);
chmodSync(join(dist, 'cli.cjs'), 0o755);

const named = ['createEmulator', 'ConfigError', 'ApiError'];
writeFileSync(join(dist, 'index.cjs'), `module.exports = require('./cached.cjs')('emulator', () => true);\n`);
writeFileSync(
  join(dist, 'index.js'),
  `import emulator from './index.cjs';\nexport const { ${named.join(', ')} } = emulator;\n`,
);

for (const entry of ['testing', 'client']) {
  const exported = Object.keys(createRequire(import.meta.url)(join(dist, `${entry}.cjs`)));
  writeFileSync(
    join(dist, `${entry}.js`),
    `import entry from './${entry}.cjs';\nexport const { ${exported.join(', ')} } = entry;\n`,
  );
}

// Not minified: Vitest reads the sources of fixtures.
await buildForVitest('esm', ['src/vitest.ts', 'src/vitest-setup.ts']);
await buildForVitest('cjs', ['src/vitest-setup.ts']);
writeFileSync(
  join(dist, 'vitest.cjs'),
  `throw new Error('cloudemu/vitest is for test files, which Vitest loads as ES modules: import it there, do not require it');\n`,
);

async function buildForVitest(format, entryPoints) {
  await build({
    absWorkingDir: root,
    entryPoints,
    outdir: dist,
    outExtension: { '.js': format === 'cjs' ? '.cjs' : '.js' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format,
    // Every test file loads it anew. To import a part of Node would load everything that this part can name.
    plugins: [plainShapes, builtinsLater('crypto|fs|http|https')],
    ...(format === 'esm' && {
      banner: {
        js: `import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);`,
      },
    }),
    external: ['vitest', './index.js'],
    logLevel: 'warning',
  });
}

await warmUp([process.execPath, join(dist, 'cli.cjs')]);
await warmUpLibrary(join(dist, 'index.cjs'));
if (!quick) await (await import('./types/build.mjs')).writeTypes({ root, dist });

// A line limit must not part what src/core/as-called.ts throws from the words that keep Node from showing it.
function keepMarkers(file) {
  const text = readFileSync(file, 'utf8');
  const marker = '"node-do-not-add-exception-line";';
  const joined = text.replace(new RegExp(`${[...marker].join('(?:\\\\\n)?')}\\s*`, 'g'), marker);
  if (joined !== text) writeFileSync(file, joined);
}

// Bundles are read as bytes, one a letter: others would be garbled. esbuild leaves them in regular expressions and in templates with a tag.
function escapeLetters(file) {
  const text = readFileSync(file, 'utf8');
  const escaped = text.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (escaped !== text) writeFileSync(file, escaped);
}
