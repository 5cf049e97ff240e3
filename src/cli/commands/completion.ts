// `cloudemu completion`: what a shell needs to complete this command, and `cloudemu --complete`, which it then asks.

import { basename } from 'node:path';
import { operationIds } from '../../app/emulator.js';
import { loadConfig } from '../../config/load.js';
import { failureModes } from '../../platform/containers/lifecycle/failures.js';
import { createLibrary } from '../../tools/scenarios/library.js';
import { type Command, text } from '../command.js';
import { completionsOf, type ValuesOf } from '../complete.js';
import { fail, printCells, printText } from '../print.js';

/**
 * The scripts that teach a shell to complete this command. Each asks `cloudemu --complete`, with the words up to the cursor,
 * for lines of a word and, after a tab, what it means; where there is none, the shell completes file names as usual.
 */
const completionScripts = {
  // The script works in bash 3.2, which macOS has.
  bash: {
    use: `in ~/.bashrc: eval "$(cloudemu completion bash)"`,
    script: `_cloudemu() {
  local IFS=$'\\n' line
  COMPREPLY=()
  for line in $(cloudemu --complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done
}
complete -o bashdefault -o default -F _cloudemu cloudemu`,
  },
  zsh: {
    use: `in ~/.zshrc, after compinit: eval "$(cloudemu completion zsh)"`,
    script: `#compdef cloudemu
_cloudemu() {
  local line
  local -a found
  for line in "\${(@f)$(cloudemu --complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line//:/\\\\:}/$'\\t'/:}")
  done
  if (( $#found )); then _describe cloudemu found; else _default; fi
}
if [[ $funcstack[1] == _cloudemu ]]; then _cloudemu "$@"; else compdef _cloudemu cloudemu; fi`,
  },
  fish: {
    use: 'in ~/.config/fish/config.fish: `cloudemu completion fish | source`',
    script: `function __cloudemu
    set -l found (cloudemu --complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c cloudemu -f -a '(__cloudemu)'`,
  },
} as const;

type Shell = keyof typeof completionScripts;

export const completionCommand: Command = {
  words: 'completion',
  describe: 'Print the script that completes commands, flags and values in your shell',
  args: [
    {
      name: 'shell',
      describe: 'bash, zsh or fish (default: the one in SHELL)',
      required: false,
      choices: Object.keys(completionScripts),
    },
  ],
  flags: {},
  examples: Object.entries(completionScripts).map(([name, { use }]) => [`completion ${name}`, use]),
  run: (values) => completion(text(values, 'shell')),
};

function completion(shell: string = basename(process.env.SHELL ?? '')): void {
  if (!Object.hasOwn(completionScripts, shell))
    fail(
      2,
      `Name your shell: ${Object.keys(completionScripts)
        .map((name) => `\`cloudemu completion ${name}\``)
        .join(', ')}`,
    );
  printText(completionScripts[shell as Shell].script);
}

/** Prints the completions at the cursor, one per line: a word and, after a tab, its meaning. */
export function complete(words: readonly string[], commands: readonly Command[]): void {
  for (const { word, meaning } of completionsOf(words, commands, valuesOf))
    printCells(meaning === undefined ? [word] : [word, meaning]);
}

/** Names that are fixed, or lie in files: nothing that a running emulator would have to be asked for. */
export const valuesOf: ValuesOf = (name, words) => (known[`${words} ${name}`] ?? known[name])?.() ?? [];

const known: Record<string, () => readonly string[]> = {
  scenario: scenarioNames,
  'scenario show name': scenarioNames,
  mode: failureModes,
  operation: () => operationIds,
};

function scenarioNames(): string[] {
  try {
    return createLibrary(loadConfig({ env: process.env }).config.data)
      .list()
      .map(({ name }) => name);
  } catch {
    // A broken settings file is no matter of completion.
    return [];
  }
}
