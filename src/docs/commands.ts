// The reference page of the command: every command with its arguments, options and examples.

import { loadCommands } from '../cli/all-commands.js';
import { type Command, type Flag, target, withValues } from '../cli/command.js';
import { groups, sections, things } from '../cli/groups.js';
import { anchorOf, code, contents, page, prose, table } from './markdown.js';

const commands = await loadCommands();

const pageSections = { ...sections, 'Things of the platform': things };

/** `docs/reference/commands.md` */
export function commandsPage(): string {
  return page(
    'Commands',
    `\`cloudemu <command> --help\` prints the same. \`list\` can be left out: \`cloudemu faults\` is
\`cloudemu faults list\`.`,
    `What each [exit code](error-codes.md#exit-codes) means, and [what \`--json\` prints of a
failure](error-codes.md#errors-of-the-command), is on the page of error codes.`,
    contents(['Options of most commands', ...Object.keys(pageSections)]),
    '## Options of most commands',
    `Commands that ask a running emulator find it by \`--url\`, else by the variable \`CLOUDEMU_URL\`, else by the run file
of the data directory, else at port 4747. A URL may name a world: \`http://127.0.0.1:4747/w/blue\`. With \`--json\` they
print the response of the control plane on one line.`,
    flagTable(target),
    ...Object.entries(pageSections).flatMap(([title, words]) => [
      `## ${title}`,
      listOf(words),
      ...words.flatMap((word) => commandsOf(word).flatMap(describe)),
    ]),
  );
}

/** The link to the description of a command. */
export function commandLink(words: string): string {
  return `[\`cloudemu ${words}\`](commands.md#${anchorOf(`cloudemu ${words}`)})`;
}

/** The commands that are a client of a control operation. */
export function commandsFor(id: string): string[] {
  return commands.filter(({ operation }) => operation === id).map(({ words }) => words);
}

function commandsOf(word: string): Command[] {
  return commands.filter(({ words }) => words === word || words.startsWith(`${word} `));
}

function listOf(words: readonly string[]): string {
  const rows = words.map((word) => {
    const inside = commandsOf(word);
    return [
      inside.map(({ words: all }) => `[\`${all}\`](#${anchorOf(`cloudemu ${all}`)})`).join(', '),
      prose(groups[word] ?? inside[0]?.describe ?? ''),
    ];
  });
  return table(['Commands', 'Meaning'], rows);
}

function describe(command: Command): string[] {
  const { words, args = [], rest, flags, examples, bare } = command;
  const usage = [
    `cloudemu ${words}`,
    ...args.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)),
    ...(rest === undefined ? [] : [`-- <${rest}>`]),
  ].join(' ');
  const takesTarget = Object.entries(target).every(([name, flag]) => flags[name] === flag);
  const own = takesTarget
    ? Object.fromEntries(Object.entries(flags).filter(([name]) => !Object.hasOwn(target, name)))
    : flags;
  const alone = bare === true ? ` \`cloudemu ${words.split(' ')[0]}\` alone does the same.` : '';
  return [
    `### cloudemu ${words}`,
    `${code(usage)}: ${prose(command.describe)}.${alone}`,
    args.length === 0
      ? ''
      : table(
          ['Argument', 'Meaning'],
          args.map((arg) => [code(arg.name), prose(arg.describe)]),
        ),
    Object.keys(own).length === 0 ? '' : flagTable(own),
    takesTarget ? 'It also takes the [options of most commands](#options-of-most-commands).' : '',
    examples.map(([line, meaning]) => `- ${code(`cloudemu ${line}`)}: ${prose(meaning)}`).join('\n'),
  ];
}

function flagTable(flags: Record<string, Flag>): string {
  const rows = Object.entries(flags).map(([name, flag]) => [
    (flag.short === undefined ? '' : `${code(`-${flag.short}`)}, `) +
      code(`--${name}${flag.type === 'boolean' ? '' : ' …'}`),
    prose(flag.byDefault ?? flag.default ?? ''),
    prose(withValues(flag.describe, flag.choices ?? [])),
  ]);
  return table(['Option', 'Default', 'Meaning'], rows);
}
