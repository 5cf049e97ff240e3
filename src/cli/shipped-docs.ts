// The documents of the package, cut into sections.

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
