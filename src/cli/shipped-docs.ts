// The documents of the package, cut into sections, and the section that fits some words best.

import { join } from 'node:path';
import { packageRoot, readText } from '../core/files.js';

export interface DocPage {
  /** Its path in the package. */
  page: string;
  title: string;
  about: string;
}

export interface DocSection {
  page: string;
  /** The heading; of the beginning of a page its title. */
  section: string;
  /** The level of the heading: 1 for the title. */
  level: number;
  /** With the heading. */
  text: string;
}

/** The documents that `docs/llms.txt` lists. */
export function docPages(): DocPage[] {
  const index = readText(join(packageRoot, 'docs/llms.txt'));
  return [...index.matchAll(/^- \[(.+?)\]\((.+?)\): (.+)$/gm)].map(([, title = '', link = '', about = '']) => ({
    page: link.startsWith('../') ? link.slice('../'.length) : `docs/${link}`,
    title,
    about,
  }));
}

/** A page cut at its headings; what looks like one in a block of code is none. */
export function sectionsOf(page: string): DocSection[] {
  const sections: DocSection[] = [];
  let isCode = false;
  for (const line of readText(join(packageRoot, page)).split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const [, marks, heading = ''] = (isCode ? null : /^(#{1,4}) (.+)$/.exec(line)) ?? [];
    if (marks !== undefined)
      sections.push({ page, section: heading.replaceAll('`', ''), level: marks.length, text: `${line}\n` });
    else {
      const last = sections.at(-1);
      if (last !== undefined) last.text += `${line}\n`;
    }
  }
  return sections;
}

const mostText = 8_000;
const mostFound = 8;

// A heading, or else a row of a table, with just these words is meant.
function exactness({ section, text }: DocSection, phrase: string): number {
  if (section.toLowerCase().replace(/^cloudemu /, '') === phrase) return 2;
  return text.toLowerCase().includes(`\n| \`${phrase}\` |`) ? 1 : 0;
}

// Guides explain; the lists of operations and assumptions have every word.
function worthOf(page: string): number {
  if (page.endsWith('reference/assumptions.md')) return 0.2;
  if (page.endsWith('-operations.md')) return 0.5;
  return page.includes('reference/') ? 0.9 : 1.2;
}

/** The page of a name, whole if it is short, else its beginning and its headings. */
export function pageNamed(name: string, pages: readonly DocPage[]): DocSection | undefined {
  const wanted = name.toLowerCase().replace(/\.md$/, '').replaceAll(' ', '-');
  const is = (path: string): boolean => [path, path.replace(/^docs\//, ''), path.replace(/^.*\//, '')].includes(wanted);
  // A guide comes before the page of the reference that has its name.
  const found = pages.find(({ page }) => is(page.toLowerCase().replace(/\.(md|txt)$/, '')));
  if (found === undefined) return undefined;
  const sections = sectionsOf(found.page);
  const [first] = sections;
  if (first === undefined) return undefined;
  const whole = sections.map(({ text }) => text).join('');
  if (whole.length <= mostText) return { ...first, text: whole };
  const inside = sections.slice(1).filter(({ level }) => level === 2);
  const listed = inside.map(({ section }) => `- ${section}`).join('\n');
  return { ...first, text: `${first.text.slice(0, mostText).trimEnd()}\n\nSections:\n${listed}\n` };
}

/**
 * The sections that fit some words, the best first.
 *
 * @example sectionsAbout(['lost', 'response'], docPages())[0]?.page // 'docs/faults.md'
 */
export function sectionsAbout(words: readonly string[], pages: readonly DocPage[]): DocSection[] {
  const all = pages.flatMap(({ page }) => sectionsOf(page));
  const asked = [...new Set(words.flatMap((word) => wordsOf(word).map(withoutPlural)))];
  const counted = all.map((section) => ({
    section,
    terms: termsOf(section.text),
    heading: new Set(termsOf(section.section)),
    page: new Set(termsOf(section.page)),
  }));
  const phrase = words.join(' ').toLowerCase();
  const mean = counted.reduce((sum, { terms }) => sum + terms.length, 0) / counted.length;
  const having = asked.map((word) => counted.filter(({ terms }) => terms.some((term) => fits(term, word) > 0)).length);
  const scored = counted.map(({ section, terms, heading, page }) => {
    const parts = asked.map((word, i) => {
      const rarity = Math.log(1 + counted.length / (1 + (having[i] ?? 0)));
      const times = terms.reduce((sum, term) => sum + fits(term, word), 0);
      // As in BM25: the tenth time says little, and less in a long text.
      const inText = (times * 2.2) / (times + 0.3 + (0.9 * terms.length) / mean);
      return times === 0 ? 0 : rarity * (inText + (heading.has(word) ? 2.5 : 0) + (page.has(word) ? 0.7 : 0));
    });
    const share = parts.filter((part) => part > 0).length / asked.length;
    const score = parts.reduce((sum, part) => sum + part, 0) * share ** 2 * worthOf(section.page);
    return { section, score, exact: exactness(section, phrase) };
  });
  const found = scored.filter(({ score }) => score > 0).sort((a, b) => b.exact - a.exact || b.score - a.score);
  return found.slice(0, mostFound).map(({ section }) => withParts(section));
}

// A section with those inside it, as far as they are short.
function withParts(section: DocSection): DocSection {
  const all = sectionsOf(section.page);
  const at = all.findIndex(({ section: name, text }) => name === section.section && text === section.text);
  let { text } = section;
  for (const inner of all.slice(at + 1)) {
    if (inner.level <= Math.max(section.level, 2) || text.length + inner.text.length > mostText) break;
    text += inner.text;
  }
  return { ...section, text: text.length > mostText ? `${text.slice(0, mostText).trimEnd()}\n…\n` : text };
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[a-z0-9]+(?:[._-][a-z0-9]+)*/g) ?? [];

// A name of several parts is also its parts.
function termsOf(text: string): string[] {
  return wordsOf(text).flatMap((word) => [...new Set([word, ...word.split(/[._-]/)])].map(withoutPlural));
}

const withoutPlural = (word: string): string => (word.length > 3 ? word.replace(/([^s])s$/, '$1') : word);

// A word counts half for a longer one that begins with it.
function fits(term: string, word: string): number {
  if (term === word) return 1;
  return word.length > 3 && term.startsWith(word) ? 0.5 : 0;
}
