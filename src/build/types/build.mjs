// Writes the types of the entries into dist, for ESM and CommonJS: plain ones, made from the sources and their schemas.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { listNames, operationsText } from './names-text.mjs';
import { rollUp } from './roll-up.mjs';
import { createReader } from './sources.mjs';

const shared = 'types';

/** @param dist where the bundles lie */
export async function writeTypes({ root, dist }) {
  const src = join(root, 'src');
  const at = (path) => join(src, path);
  const schemas = await loadSchemas(root, dist);
  const names = schemas.get(at('config/names.ts'));
  const aliases = namedSchemas(schemas);
  const { settings } = schemas.get(at('tools/scenarios/schema.ts')).scenarioSchema._zod.innerType.shape;
  for (const name of ['OperationId', 'OperationPattern', 'FailureMode', 'ScenarioName', 'ScenarioReference'])
    aliases.push({ name, file: at('config/names.ts'), schema: names[name[0].toLowerCase() + name.slice(1)] });
  aliases.push({
    name: 'ScenarioSettings',
    file: at('tools/scenarios/check.ts'),
    schema: settings._zod.def.innerType,
  });
  const { declaredEndpoints, operations } = schemas.get(at('platform/surface.ts'));
  const lists = {
    operations: operations.map(({ id }) => id),
    failures: namesIn(join(root, 'fixtures/failures')),
    scenarios: namesIn(join(root, 'fixtures/scenarios')),
  };
  const errors = Object.keys(schemas.get(at('core/errors.ts')).errorTable);
  const replaced = new Map([
    [at('config/names.ts'), listNames(lists)],
    [at('app/operation-types.ts'), new Map([['Operations', operationsText(usual(declaredEndpoints))]])],
    [at('core/errors.ts'), new Map([['ErrorCode', `export type ErrorCode = ${union(errors)};`]])],
  ]);
  const read = createReader({ schemas, names: (schema, io) => aliasOf(schema, io, aliases), replaced });
  for (const file of replaced.keys())
    if (!existsSync(file)) throw new Error(`${file} has moved: its types would be lost`);
  const files = rollUp({
    entries: Object.fromEntries(
      ['index', 'testing', 'client', 'vitest', 'vitest-setup'].map((name) => [name, at(`${name}.ts`)]),
    ),
    apart: 'vitest',
    files: sourcesIn(src),
    read,
    shared,
  });
  for (const [name, text] of Object.entries(files)) {
    // `await using` needs it, whatever the project's `lib` is.
    const whole = `/// <reference lib="esnext.disposable" />\n${text}`;
    writeFileSync(join(dist, `${name}.d.ts`), whole);
    writeFileSync(join(dist, `${name}.d.cts`), whole.replaceAll(`'./${shared}.js'`, `'./${shared}.cjs'`));
  }
}

function sourcesIn(src) {
  return readdirSync(src, { recursive: true })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('tools/dashboard/web'))
    .map((file) => join(src, file));
}

// The types describe the documented API; an operation that only today's server has is that one's.
function usual(endpoints) {
  const isOfSpec = ({ profiles }) => profiles?.includes('spec') ?? true;
  const ids = new Set(endpoints.filter(isOfSpec).map(({ id }) => id));
  return endpoints.filter((one) => isOfSpec(one) || !ids.has(one.id));
}

// The exports of the sources at run time, of those that have schemas whose types are published.
async function loadSchemas(root, dist) {
  const src = join(root, 'src');
  const files = readdirSync(src, { recursive: true })
    .filter((file) => file.endsWith('.ts'))
    .filter(
      (file) =>
        /z\.(input|output|infer)<typeof \w+>/.test(readFileSync(join(src, file), 'utf8')) ||
        ['config/names.ts', 'platform/surface.ts', 'core/errors.ts'].includes(file),
    );
  const bundle = join(dist, `schemas-${process.pid}.mjs`);
  await build({
    stdin: {
      contents: files.map((file, index) => `export * as _${index} from './${file}';`).join('\n'),
      resolveDir: src,
    },
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
  try {
    const modules = await import(pathToFileURL(bundle).href);
    return new Map(files.map((file, index) => [join(src, file), modules[`_${index}`]]));
  } finally {
    rmSync(bundle);
  }
}

// `export type FaultRequest = z.input<typeof faultRequest>`: elsewhere such a schema is called by that name.
function namedSchemas(schemas) {
  return [...schemas].flatMap(([file, exported]) => {
    const text = readFileSync(file, 'utf8');
    return [...text.matchAll(/^export type (\w+) = z\.(input|output|infer)<typeof (\w+)>;$/gm)]
      .map(([, name, io, schema]) => ({ name, file, io: io === 'input' ? io : 'output', schema: exported[schema] }))
      .filter(({ schema }) => schema !== undefined);
  });
}

// With further checks, or with a description, it is still the schema that it was made of.
function aliasOf(schema, io, aliases) {
  for (let at = schema; at !== undefined; at = at._zod.parent) {
    const found = aliases.find((alias) => alias.schema === at && (alias.io ?? io) === io);
    if (found !== undefined) return found;
  }
  return undefined;
}

function namesIn(folder) {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.replace(/\.json$/, ''))
    .sort();
}

function union(names) {
  return names.map((name) => `'${name}'`).join(' | ');
}
