// The section of the documents that fits some words best: BM25 over headings, page titles and texts.

import { join } from 'node:path';
import { packageRoot, readText } from '../core/files.js';
import { memoizeLast } from '../core/memoize-last.js';

const mostText = 8_000;
const mostFound = 8;

/** The sections that fit some words, the best first: a page of that name comes before what is about it. */
export function findSections(words: readonly string[], pages: readonly DocPage[]): DocSection[] {
  const named = pageNamed(words.join(' '), pages);
  const about = rank(words.join(' '), indexOf(pages));
  const found = named === undefined ? about : [named, ...about.filter(({ page }) => page !== named.page)];
  return found.map((section) => ({ ...section, text: section.text.replace(/^<!-- Keywords: .+ -->\n\n/gm, '') }));
}

// The page of a name, whole if it is short, else its beginning and its headings.
function pageNamed(name: string, pages: readonly DocPage[]): DocSection | undefined {
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

/** What a word counts in each part of a section, however often it is there. */
const weights = { heading: 3, keywords: 3, page: 0.6, text: 2.2 };
type Field = keyof typeof weights;
const fields = Object.keys(weights) as Field[];

interface Indexed {
  section: DocSection;
  /** How often each stem is in each part. */
  counts: Record<Field, Map<string, number>>;
  /** The number of words in its text, as a share of the mean. */
  length: number;
}

// Read once: tests ask a hundred questions.
const indexOf = memoizeLast((pages: readonly DocPage[]): Indexed[] => {
  const sections = pages.flatMap(({ page, title, about }) =>
    sectionsOf(page)
      // Lists of links to what answers questions.
      .filter(({ section }) => section !== 'Next' && section !== 'Guides')
      .map((section) => {
        const isBeginning = section.level === 1;
        const text = stemsOf(section.text);
        const [, keywords = ''] = /^<!-- Keywords: (.+) -->$/m.exec(section.text) ?? [];
        return {
          section,
          counts: {
            // What the list of pages says of a page, its beginning is about.
            heading: countsOf(stemsOf(isBeginning ? `${section.section} ${about}` : section.section)),
            // What readers ask for in other words than the section has.
            keywords: countsOf(stemsOf(keywords)),
            page: countsOf(stemsOf(`${page} ${title}`)),
            text: countsOf(text),
          },
          length: text.length,
        };
      }),
  );
  const mean = sections.reduce((sum, { length }) => sum + length, 0) / sections.length;
  return sections.map((indexed) => ({ ...indexed, length: indexed.length / mean }));
});

function countsOf(stems: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return counts;
}

function rank(question: string, index: readonly Indexed[]): DocSection[] {
  const asked = askedIn(question).map((stems) => {
    const having = index.filter(({ counts }) => stems.some((stem) => fields.some((field) => counts[field].has(stem))));
    return { stems, rarity: Math.log(1 + index.length / (1 + having.length)) };
  });
  const most = asked.reduce((sum, { rarity }) => sum + rarity, 0);
  const scored = index.map((indexed) => {
    const { section } = indexed;
    const parts = asked.map(({ stems, rarity }) => ({ rarity, fit: fitOf(indexed, stems) }));
    const found = parts.reduce((sum, { rarity, fit }) => sum + (fit > 0 ? rarity : 0), 0);
    const score = parts.reduce((sum, { rarity, fit }) => sum + rarity * fit, 0);
    return {
      section,
      score: score * (found / most) ** 2 * worthOf(section.page),
      exact: exactness(section, question),
    };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.exact - a.exact || b.score - a.score)
    .slice(0, mostFound)
    .map(({ section }) => withParts(section));
}

// How well a section fits a word, or else its best synonym.
function fitOf({ counts, length }: Indexed, stems: readonly string[]): number {
  const fits = stems.map((stem, i) => {
    const worth = i === 0 ? 1 : synonymWorth;
    const times = counts.text.get(stem) ?? 0;
    // As in BM25: the tenth time says little, and less in a long text.
    const inText = times / (times + 0.3 + 0.9 * length);
    const has = (field: Field): number => (counts[field].has(stem) ? weights[field] : 0);
    // A heading of one word is about that word alone.
    const inHeading = has('heading') / (0.7 + 0.1 * counts.heading.size);
    return worth * (weights.text * inText + Math.max(inHeading, has('keywords')) + has('page'));
  });
  return Math.max(...fits);
}

// A heading, or else a row of a table, with just these words is meant, in whatever order.
function exactness({ section, text, page }: DocSection, question: string): number {
  if (isList(page)) return 0;
  const phrase = question.toLowerCase();
  const heading = section.toLowerCase().replace(/^cloudemu /, '');
  if (heading === phrase) return 3;
  if (/reference\/(commands|[a-z]+-operations)\.md$/.test(page) && sameWords(heading, phrase)) return 2;
  return text.toLowerCase().includes(`\n| \`${phrase}\` |`) ? 1 : 0;
}

function sameWords(heading: string, question: string): boolean {
  const [some, others] = [heading, question].map((text) => new Set(tellingWords(text).flatMap(partsOf).map(stemOf)));
  return some?.size === others?.size && [...(some ?? [])].every((stem) => others?.has(stem));
}

// Lists that have every word, and explain none.
const isList = (page: string): boolean => /reference\/(assumptions|not-implemented)\.md$/.test(page);

// Guides explain; the lists of operations have many words.
function worthOf(page: string): number {
  if (isList(page)) return 0.2;
  if (page.endsWith('-operations.md')) return 0.6;
  return page.includes('reference/') ? 0.9 : 1.2;
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

/** Words that say nothing about what is asked. */
const empty = new Set(
  'a an and api are as at be can did do does for from get has have how i if in is it its me my of on one or our should so that the their there this to up use want was we what when where which who will with work would you your'.split(
    ' ',
  ),
);

/** What else readers call a thing: each line is one. */
const synonyms = `
  delete remove drop
  price cost
  mock fake emulator
  server emulator
  install setup
`;
const synonymWorth = 0.6;

// The stems of the words of a question, each with those of its synonyms.
function askedIn(question: string): string[][] {
  const lines = synonyms
    .trim()
    .split('\n')
    .map((line) => line.trim().split(' ').map(stemOf));
  const stems = new Set(tellingWords(question).map(stemOf));
  return [...stems].map((stem) => [...new Set([stem, ...lines.filter((line) => line.includes(stem)).flat()])]);
}

// The words without empty ones, if there are others.
function tellingWords(text: string): readonly string[] {
  const words = wordsOf(text.replaceAll('-', ' '));
  const telling = words.filter((word) => !empty.has(word));
  return telling.length > 0 ? telling : words;
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[a-z0-9]+(?:[._-][a-z0-9]+)*/g) ?? [];

const partsOf = (word: string): readonly string[] => word.split(/[._-]/);

// A name of several parts is also its parts.
function stemsOf(text: string): string[] {
  return wordsOf(text).flatMap((word) => [...new Set([word, ...partsOf(word)])].map(stemOf));
}

// Enough of Porter's stemmer for these texts: "retries", "retried" and "retry" are one word.
function stemOf(word: string): string {
  if (word.length < 4) return word;
  const stem = word
    .replace(/(ss|sh|ch|x)es$/, '$1')
    .replace(/ie[sd]$/, 'y')
    .replace(/([^s])s$/, '$1')
    .replace(/(?<=[aeiouy].*)(ing|ed|ly|er|able)$/, '')
    .replace(/([^aeioulsz])\1$/, '$1')
    .replace(/(?<=..)e$/, '');
  return stem.length < 3 ? word : stem;
}

// The documents of the package, cut into sections.

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
