// `npm run docs`: writes docs/reference from the declarations.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'docs/reference');
// Packages and fixtures are found from a place inside the project.
const bundle = join(root, `docs-${process.pid}.mjs`);

try {
  await build({
    absWorkingDir: root,
    entryPoints: ['src/docs/pages.ts'],
    outfile: bundle,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  const { referencePages } = await import(bundle);
  const pages = referencePages();
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (!pages.has(name)) rmSync(join(folder, name));
  for (const [name, text] of pages) writeFileSync(join(folder, name), text);
  console.log(`docs/reference: ${pages.size} pages`);
} finally {
  rmSync(bundle, { force: true });
}
