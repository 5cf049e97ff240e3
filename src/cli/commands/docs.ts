// `cloudemu docs`: the page or section of the shipped documents that fits some words; no emulator is needed.

import { command } from '../command.js';
import { type DocSection, docPages, findSections } from '../find-sections.js';
import { namedValues } from '../layout.js';
import { fail, painted, printJson, printLine, printLines, printText, tell } from '../print.js';

export const docsCommand = command({
  words: 'docs',
  describe: 'Print the page or section of the documents that fits some words',
  args: [
    {
      name: 'words',
      describe: 'A page, or what it is about (default: the list of pages)',
      required: false,
      isRepeated: true,
    },
  ],
  flags: { json: { type: 'boolean', describe: 'Print one line of JSON: page, section, text' } },
  examples: [
    ['docs', 'the pages, a line each'],
    ['docs lost response', 'the section about it'],
    ['docs NOT_RUNNING', 'an error code, a setting, a command or an operation'],
  ],
  run: ({ words = '', json }) => docs(words.split(/\s+/).filter(Boolean), json),
});

const mostOthers = 4;

function docs(words: readonly string[], json = false): void {
  const pages = docPages();
  if (words.length === 0) {
    const rows = pages.map(({ page, about }): [string, string] => [page, about]);
    if (json) printJson({ pages });
    else tell(...namedValues(rows), '', '`cloudemu docs <words>` prints the one that fits.');
    return;
  }
  const [found, ...others] = findSections(words, pages);
  if (found === undefined)
    fail(1, `No document says anything about "${words.join(' ')}". \`cloudemu docs\` lists them.`, {
      code: 'NOT_FOUND',
      field: '<words>',
      received: words.join(' '),
      next: [['docs']],
    });
  const also = others.slice(0, mostOthers).map(({ page, section }) => ({ page, section }));
  const { page, section, text } = found;
  if (json) {
    printJson({ page, section, text, also });
    return;
  }
  printLine(painted('dim', placeOf(found)));
  printText(`\n${text.trimEnd()}`);
  if (also.length > 0) printLines(['', painted('dim', `See also: ${also.map(placeOf).join(' · ')}`)]);
}

const placeOf = ({ page, section }: Pick<DocSection, 'page' | 'section'>): string => `${page}, "${section}"`;
