// Links between the pages lead to files and headings that exist.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { anchorOf } from '../../src/docs/markdown.js';
import { guides, reference } from '../support/pages.js';

const pages = [...guides, ...reference, 'src/README.md'];

it.each(pages)('the page %s has no dead link, and no heading twice that something links to', (page) => {
  const dead = linksOf(page).filter(({ file, anchor }) => {
    if (!existsSync(file)) return true;
    return anchor !== undefined && anchorsOf(file).filter((one) => one === anchor).length !== 1;
  });
  expect(dead).toEqual([]);
});

it('the list of guides links every guide, and every page is short', () => {
  const listed = linksOf('docs/README.md').map(({ file }) => file);
  for (const guide of guides.filter((page) => page !== 'docs/README.md')) {
    // Decisions are for maintainers, and not in the package.
    if (guide !== 'README.md' && guide !== 'docs/decisions.md') expect(listed).toContain(guide);
    // Words by which `cloudemu docs` finds a section are on no page that anybody reads.
    const shown = readFileSync(guide, 'utf8').replace(/<!-- Keywords:.*-->\n\n/g, '');
    const lines = shown.split('\n').length - 1;
    const most = { 'README.md': 200, 'docs/decisions.md': 400 }[guide] ?? 250;
    expect(lines, guide).toBeLessThanOrEqual(most);
  }
});

it('the README says in its first lines which platform it is, and how to begin', () => {
  const beginning = readFileSync('README.md', 'utf8').split('\n').slice(0, 10).join('\n');
  expect(beginning).toContain('elizacloud');
  expect(beginning).toContain('npm ci && npm start');
});

function withoutFences(page: string): string {
  return readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
}

function linksOf(page: string): { file: string; anchor: string | undefined }[] {
  const text = withoutFences(page).replace(/<!--[\s\S]*?-->/g, '');
  return [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, target = '']) => {
    const [path = '', anchor] = target.split('#');
    return { file: path === '' ? page : normalize(join(dirname(page), path)), anchor };
  });
}

const known: Record<string, string[]> = {};

function anchorsOf(page: string): string[] {
  known[page] ??= [...withoutFences(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
  return known[page];
}
