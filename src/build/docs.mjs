// `npm run docs`: writes docs/reference, docs/llms.txt and the routes of src/README.md from the declarations.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = join(root, 'docs/reference');
// Packages and fixtures are found from a place inside the project.
const bundle = join(root, `docs-${process.pid}.mjs`);

try {
  await build({
    absWorkingDir: root,
    stdin: { contents: `export * from './pages.js'; export * from './routes.js';`, resolveDir: join(root, 'src/docs') },
    outfile: bundle,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  const { documentIndex, referencePages, withRoutes } = await import(bundle);
  const pages = referencePages();
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (!pages.has(name)) rmSync(join(folder, name));
  for (const [name, text] of pages) writeFileSync(join(folder, name), text);
  const guides = readFileSync(join(root, 'docs/README.md'), 'utf8');
  writeFileSync(join(root, 'docs/llms.txt'), documentIndex(guides));
  const map = join(root, 'src/README.md');
  writeFileSync(map, withRoutes(readFileSync(map, 'utf8')));
  console.log(`docs/reference: ${pages.size} pages`);
} finally {
  rmSync(bundle, { force: true });
}
