// The test files of `npm test` that do more in `npm run test:full`: those that reach a module that knows which of both it is.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const asks = /CLOUDEMU_TEST_FULL|from 'fast-check'/;

/** Patterns of the test files that draw their cases, or skip them where a tool of the system is missing. */
export function varyingTests(): string[] {
  const known = new Map<string, boolean>();
  function varies(file: string): boolean {
    const before = known.get(file);
    if (before !== undefined) return before;
    // Modules may import each other.
    known.set(file, false);
    const text = readFileSync(file, 'utf8');
    const imported = [...text.matchAll(/from '(\.[^']+)\.js'/g)].map(([, path]) => join(dirname(file), `${path}.ts`));
    const result = asks.test(text) || imported.some((path) => path.startsWith(root) && varies(path));
    known.set(file, result);
    return result;
  }
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && varies(join(root, path)))
    .map((path) => `test/${path}`);
}
