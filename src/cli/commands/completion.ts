// `cloudemu completion`: what a shell needs to complete this command. It then asks yargs.

import { basename } from 'node:path';
import { operationIds } from '../../app/emulator.js';
import { loadConfig } from '../../config/load.js';
import { failureModes } from '../../platform/containers/lifecycle/failures.js';
import { createLibrary } from '../../tools/scenarios/library.js';
import { command } from '../command.js';
import { completionFlag } from '../command-line.js';
import { failUsage, printText } from '../print.js';

// Yargs knows bash and zsh.
const fishScript = `function __cloudemu
    set -l found (cloudemu ${completionFlag} (commandline -opc) (commandline -ct) 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c cloudemu -f -a '(__cloudemu)'`;

/** How each shell gets its script. */
const shells: Record<string, string> = {
  bash: 'in ~/.bashrc: eval "$(cloudemu completion bash)"',
  zsh: 'in ~/.zshrc, after compinit: eval "$(cloudemu completion zsh)"',
  fish: 'in ~/.config/fish/config.fish: `cloudemu completion fish | source`',
};

export const completionCommand = command({
  words: 'completion',
  describe: 'Print the script that completes commands, flags and values in your shell',
  args: [
    {
      name: 'shell',
      describe: 'bash, zsh or fish (default: the one in SHELL)',
      required: false,
      choices: Object.keys(shells),
    },
  ],
  flags: {},
  examples: Object.entries(shells).map(([name, use]) => [`completion ${name}`, use]),
  async run({ shell = basename(process.env.SHELL ?? '') }) {
    if (!Object.hasOwn(shells, shell))
      failUsage({ field: '<shell>', meant: Object.keys(shells).join(', '), received: shell });
    printText(shell === 'fish' ? fishScript : await (await import('../help.js')).completionScript(shell));
  },
  valuesOf: (name, words) => (known[`${words} ${name}`] ?? known[name])?.() ?? [],
});

// Names that are fixed, or lie in files: nothing that a running emulator would have to be asked for.
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
