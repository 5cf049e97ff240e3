// The pages of docs/reference, written from the declarations: `npm run docs` writes them, a test compares them.

import {
  assumptionsPage,
  errorCodesPage,
  explorePage,
  failureModesPage,
  scenariosPage,
  verdictRulesPage,
} from './catalogues.js';
import { commandsPage } from './commands.js';
import { page, table } from './markdown.js';
import { notImplementedPage } from './not-implemented.js';
import { controlOperationsPage, platformOperationsPage } from './operations.js';
import { settingsPage } from './settings.js';

interface Page {
  file: string;
  title: string;
  meaning: string;
  write: () => string;
}

const pages: readonly Page[] = [
  { file: 'settings.md', title: 'Settings', meaning: 'every setting: file, variable, flag', write: settingsPage },
  { file: 'commands.md', title: 'Commands', meaning: 'every command with its options', write: commandsPage },
  {
    file: 'control-operations.md',
    title: 'Control operations',
    meaning: 'what `/_emulator` and `emulator.controls` do',
    write: controlOperationsPage,
  },
  {
    file: 'platform-operations.md',
    title: 'Platform operations',
    meaning: 'every endpoint of the platform and of its image registry',
    write: platformOperationsPage,
  },
  {
    file: 'not-implemented.md',
    title: 'Not implemented',
    meaning: 'operations that the platform has and the emulator answers with 501',
    write: notImplementedPage,
  },
  { file: 'error-codes.md', title: 'Error codes', meaning: 'codes, statuses, messages', write: errorCodesPage },
  { file: 'failure-modes.md', title: 'Failure modes', meaning: 'how deployments fail', write: failureModesPage },
  { file: 'scenarios.md', title: 'Scenarios', meaning: 'the shipped ones, and the file', write: scenariosPage },
  { file: 'verdict-rules.md', title: 'Verdict rules', meaning: 'what clients are judged by', write: verdictRulesPage },
  {
    file: 'explore.md',
    title: 'What explore tries',
    meaning: 'faults, and how clients are judged under them',
    write: explorePage,
  },
  {
    file: 'assumptions.md',
    title: 'Assumptions',
    meaning: 'what the emulator assumes where the platform’s documents are silent',
    write: assumptionsPage,
  },
];

/**
 * `docs/llms.txt`: every document with one line about it.
 *
 * @param guides the text of docs/README.md, which lists the guides
 */
export function documentIndex(guides: string): string {
  const listed = guides.split('\n').filter((line) => /^- \[.+\]\(\w[\w-]*\.md\): /.test(line));
  return `${[
    '# cloudemu',
    '',
    '> A local emulator of a cloud platform for AI agents. `cloudemu docs <words>` prints the section that fits.',
    '',
    '- [For agents](../AGENTS.md): what cannot be guessed, on one page',
    '- [First steps](../README.md): install, start, deploy, watch a deployment fail',
    '',
    '## Guides',
    '',
    ...listed,
    '',
    '## Reference',
    '',
    ...pages.map(({ file, title, meaning }) => `- [${title}](reference/${file}): ${meaning}`),
  ].join('\n')}\n`;
}

/** The texts of docs/reference, by file name. */
export function referencePages(): Map<string, string> {
  const index = page(
    'Reference',
    'These pages are complete, and the tests keep them equal to the program. The [guides](../README.md) explain the tasks.',
    table(
      ['Page', 'What it lists'],
      pages.map(({ file, title, meaning }) => [`[${title}](${file})`, meaning]),
    ),
  );
  return new Map([['README.md', index], ...pages.map(({ file, write }): [string, string] => [file, write()])]);
}
