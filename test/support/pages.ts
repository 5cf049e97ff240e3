// The pages of the documentation, and the snippets in them.

import { readdirSync, readFileSync } from 'node:fs';

export interface Snippet {
  /** The line of its page on which it begins. */
  line: number;
  language: string;
  /** The file that it is written to: the second word behind the fence, where that is no mark. */
  file: string | undefined;
  /** no-run: not executed; full: executed in `npm run test:full` only. */
  mark: 'no-run' | 'full' | undefined;
  text: string;
}

/** The pages that people write: README.md and docs/*.md. */
export const guides: readonly string[] = [
  'README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/${name}`),
];

/** Those that are written from the declarations. */
export const reference: readonly string[] = readdirSync('docs/reference')
  .sort()
  .map((name) => `docs/reference/${name}`);

/** The fenced snippets of a page. */
export function snippetsOf(page: string): Snippet[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, language = '', word, content = ''] = match;
    const mark = word === 'no-run' || word === 'full' ? word : undefined;
    const line = text.slice(0, match.index).split('\n').length;
    return { line, language, file: mark === undefined ? word : undefined, mark, text: content };
  });
}

/** The output that a snippet says it prints: the comments that begin with an arrow. */
export function promisesOf({ text }: Snippet): string[] {
  return [...text.matchAll(/(?:\/\/|#) => (.*)$/gm)].map(([, promise = '']) => promise.trim());
}
