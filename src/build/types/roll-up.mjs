// Rolls declarations up: all of them into one file, from which each entry exports its own. What nothing reaches is left out.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import ts from 'typescript';

/**
 * @param entries the source file of each entry, by its name
 * @param files the source files
 * @param read the text of a source file
 * @param shared the name of the file for what several entries have
 * @param work a directory for the declarations of each file
 * @returns the text of each file, by its name
 */
export async function rollUp({ entries, files, read, shared, src, work }) {
  const declarationOf = (file) => join(work, relative(src, file)).replace(/\.ts$/, '.d.ts');
  try {
    for (const file of files) {
      const { outputText } = ts.transpileDeclaration(read(file), {
        fileName: file,
        compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, isolatedDeclarations: true },
      });
      mkdirSync(dirname(declarationOf(file)), { recursive: true });
      writeFileSync(declarationOf(file), outputText);
    }
    const bundle = await rollup({
      input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, declarationOf(file)])),
      external: (id) => !/^[./]/.test(id) || id.endsWith('.json'),
      plugins: [dts({ respectExternal: true })],
    });
    const { output } = await bundle.generate({
      format: 'es',
      entryFileNames: '[name].js',
      chunkFileNames: `${shared}.js`,
      minifyInternalExports: false,
      // What needs a package stays apart: who uses another entry may not have it.
      manualChunks: (id) => (id === declarationOf(entries.vitest) ? undefined : shared),
    });
    for (const { fileName, imports, code } of output) {
      const far = imports.filter((name) => name !== `${shared}.js` && !(fileName === 'vitest.js' && name === 'vitest'));
      if (far.length > 0) throw new Error(`the types of ${fileName} would need those of ${far.join(', ')}`);
      const [unclear] = /^.*: any\b.*$/m.exec(code.replace(/\/\*.*?\*\//gs, '')) ?? [];
      if (unclear !== undefined) throw new Error(`${fileName} needs a type written out in the sources: ${unclear}`);
    }
    return Object.fromEntries(output.map(({ fileName, code }) => [fileName.replace(/\.js$/, ''), code]));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
