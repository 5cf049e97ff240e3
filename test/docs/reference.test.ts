// docs/reference is what the declarations say now.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { controlOperations } from '../../src/app/controls.js';
import { optionsOnly, startOnly } from '../../src/config/of-process.js';
import { configSchema } from '../../src/config/schema.js';
import { leafPaths, type Tree } from '../../src/core/tree.js';
import { documentIndex, referencePages } from '../../src/docs/pages.js';
import { withRoutes } from '../../src/docs/routes.js';
import { declaredEndpoints } from '../../src/platform/surface.js';
import { commands } from '../support/commands.js';

const folder = 'docs/reference';
const pages = referencePages();

it('the reference has the pages that the declarations make; run `npm run docs` to write them', () => {
  const stale = [...pages].filter(([name, text]) => readText(`${folder}/${name}`) !== text).map(([name]) => name);
  const unknown = readdirSync(folder).filter((name) => !pages.has(name));
  expect([...stale, ...unknown], 'run `npm run docs`: these pages of docs/reference are not up to date').toEqual([]);
});

it('the index of documents is up to date; run `npm run docs` to write it', () => {
  expect(documentIndex(readFileSync('docs/README.md', 'utf8'))).toBe(readText('docs/llms.txt'));
});

it('the maintainers’ map has the routes that the declarations make; run `npm run docs` to write them', () => {
  const map = readFileSync('src/README.md', 'utf8');
  expect(withRoutes(map), 'run `npm run docs`: the routes of src/README.md are not up to date').toBe(map);
});

it('the reference describes every command, operation and setting once', () => {
  const headings = (name: string): string[] =>
    [...(pages.get(name) ?? '').matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading).toSorted();
  expect(headings('commands.md')).toEqual(commands.map(({ words }) => `cloudemu ${words}`).toSorted());
  expect(headings('control-operations.md')).toEqual(idsOf(controlOperations));
  expect(headings('platform-operations.md')).toEqual(idsOf(declaredEndpoints));
  const paths = [...(pages.get('settings.md') ?? '').matchAll(/^\| `([\w.]+)` \|/gm)].map(([, path = '']) => path);
  const missing = leafPaths(configSchema.parse({}) as Tree).filter(
    (path) => !paths.some((one) => path === one || path.startsWith(`${one}.`)),
  );
  expect(missing).toEqual([]);
});

it('the guide lists the settings that need a new start, and those that only options set in a process', () => {
  const guide = readFileSync('docs/settings-and-data.md', 'utf8').replace(/\s+/g, ' ');
  const namesAfter = (words: string): string[] => {
    const sentence = guide.slice(guide.indexOf(words)).split('. ', 1)[0] ?? '';
    return [...sentence.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name);
  };
  expect(namesAfter('These settings need a new start')).toEqual([...startOnly]);
  expect(namesAfter('From its options alone')).toEqual(Object.keys(optionsOnly));
});

function idsOf(list: readonly { id: string }[]): string[] {
  return [...new Set(list.map(({ id }) => id))].toSorted();
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
