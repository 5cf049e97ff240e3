// What the page draws of the control operations: route, command, columns and fields of each, as plain data.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Has `import { operations } from 'page-operations'` give the control operations, by their ids without `control.`. */
export const pageOperations = (root) => ({
  name: 'page-operations',
  setup({ onResolve, onLoad }) {
    const name = 'page-operations';
    onResolve({ filter: /^page-operations$/ }, () => ({ path: name, namespace: name }));
    onLoad({ filter: /./, namespace: name }, async () => ({
      contents: `export const operations = ${JSON.stringify(await readOperations(root))};`,
    }));
  },
});

// The type of what is typed into a form: what can be a text is one.
function typeOf(types) {
  const [type, other] = types.filter((one) => one !== 'null');
  if (types.includes('array')) return 'list';
  return other === undefined ? type : 'string';
}

async function readOperations(root) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: {
      contents: `export * from './src/app/controls.ts'; export * from './src/cli/fields.ts';`,
      resolveDir: root,
      loader: 'ts',
    },
    bundle: true,
    write: false,
    packages: 'external',
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    define: { 'import.meta.url': JSON.stringify(`file://${root}/dist/main.cjs`) },
    logLevel: 'warning',
  });
  const module = { exports: {} };
  const run = new Function('module', 'require', outputFiles[0].text);
  run(module, createRequire(join(root, 'package.json')));
  const { controlOperations, fieldsOf } = module.exports;
  return Object.fromEntries(
    controlOperations.map((operation) => {
      const { id, method, shape, commands } = operation;
      const [{ line = '', document, columns } = {}] = commands;
      const fields = fieldsOf(operation, commands[0] ?? { only: [] }).map(
        ({ name, path, place, types, flag: { describe, suggestions: words = [] }, isRequired }) => ({
          name,
          path: path.join('.'),
          place,
          type: typeOf(types),
          words,
          describe,
          isRequired,
        }),
      );
      return [id.replace('control.', ''), { method, path: shape.path, line, document, columns, fields }];
    }),
  );
}
