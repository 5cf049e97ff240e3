// `cloudemu docs`: what a reader who has only the package finds.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { docPages, findSections, sectionsOf } from '../../src/cli/find-sections.js';
import { itFull, sampleOf } from '../support/campaign.js';
import { runHere } from '../support/command-here.js';

/** Questions that readers put, each with the sections that answer it: the page, and its heading. */
const questions = readFileSync(join(import.meta.dirname, 'docs-questions.txt'), 'utf8')
  .split(/\n(?=\S)/)
  .map((entry): [question: string, right: string[]] => {
    const [question = '', ...right] = entry.trim().split(/\n */);
    return [question, right];
  });

const docs = async (...words: string[]) => JSON.parse((await runHere(['docs', ...words, '--json'])).stdout);

it('lists every page with a line, without an emulator', async () => {
  const { code, stdout, stderr } = await runHere(['docs']);
  expect([code, stderr]).toEqual([0, '']);
  const { pages } = await docs();
  for (const { page, about } of pages) {
    expect(stdout).toMatch(new RegExp(`^  ${page.replaceAll('.', '\\.')}  +\\S`, 'm'));
    expect(about).not.toBe('');
    expect(readFileSync(page, 'utf8')).toMatch(/^# /);
  }
  expect(pages.map(({ page }: { page: string }) => page)).toEqual(
    expect.arrayContaining(['AGENTS.md', 'README.md', 'docs/time.md', 'docs/reference/settings.md']),
  );
});

it.each(
  sampleOf(
    [
      ['time', 'docs/time.md', 'Time'],
      ['error-codes', 'docs/reference/error-codes.md', 'Error codes'],
      ['agents', 'AGENTS.md', 'cloudemu, for coding agents'],
      ['lose a response', 'README.md', 'Lose a response'],
      ['clock advance', 'docs/reference/commands.md', 'cloudemu clock advance'],
      ['faults add', 'docs/reference/commands.md', 'cloudemu faults add'],
      ['RATE_LIMITED', 'docs/reference/error-codes.md', 'Error codes'],
      ['NOT_RUNNING', 'docs/reference/error-codes.md', 'Errors of the command'],
      ['exit codes', 'docs/reference/error-codes.md', 'Exit codes'],
      ['oom-later', 'docs/reference/failure-modes.md', 'oom-later'],
      ['clone a voice', 'docs/voice.md', 'Clone a voice'],
      ['containers.create', 'docs/reference/platform-operations.md', 'containers.create'],
    ] as const,
    4,
  ),
)('"%s" is %s, %s', async (words, page, section) => {
  const found = await docs(...words.split(' '));
  expect([found.page, found.section]).toEqual([page, section]);
  expect(found.text).toContain(section);
  expect(found.text.length).toBeLessThan(10_000);
});

itFull('answers a hundred plain questions with the right section', () => {
  const pages = docPages();
  const wrong = questions.flatMap(([question, right]) => {
    const [first] = findSections(question.split(' '), pages);
    const place = `${first?.page}: ${first?.section}`;
    return right.includes(place) ? [] : [`${question}: ${place} instead of ${right.join(' or ')}`];
  });
  expect(wrong, wrong.join('\n')).toEqual([]);
});

it('the questions name sections that exist', () => {
  const all = new Set(docPages().flatMap(({ page }) => sectionsOf(page).map(({ section }) => `${page}: ${section}`)));
  expect(questions.flatMap(([, right]) => right).filter((place) => !all.has(place))).toEqual([]);
});

it('finds each section by its page and its heading', () => {
  for (const { page } of docPages()) {
    const sections = sectionsOf(page);
    expect(sections.map(({ text }) => text).join('')).toBe(`${readFileSync(page, 'utf8')}\n`);
    expect(sections[0]?.level).toBe(1);
  }
});

it('prints a section as text, with where it is and what else there is', async () => {
  const { stdout } = await runHere(['docs', 'freeze', 'time']);
  expect(stdout).toMatch(/^docs\/[\w/.-]+, ".+"\n\n#/);
  expect(stdout).toMatch(/\nSee also: .+\n$/);
});
