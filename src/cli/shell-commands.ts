// The commands whose output a shell evaluates: variables and completion.

import { type Command, target, targetOptions, text } from './command.js';
import { completion } from './commands/completion.js';
import { env } from './commands/env.js';
import { completionScripts } from './completion-scripts.js';
import { type EnvFormat, envFormats } from './env-formats.js';

export const shellCommands: readonly Command[] = [
  {
    words: 'env',
    valueIs: 'format',
    describe: 'Print the variables for your client: base URL and test key',
    flags: {
      format: {
        type: 'string',
        default: 'sh',
        choices: [...Object.keys(envFormats), 'json'],
        describe: 'Syntax: of a shell (sh, fish, powershell) or a file (dotenv, json, github for $GITHUB_ENV)',
      },
      ...target,
    },
    examples: Object.entries(envFormats).map(([name, { use }]) => [
      name === 'sh' ? 'env' : `env --format ${name}`,
      `to use it: ${use}`,
    ]),
    run: ({ format, ...values }) => {
      const options = targetOptions(values);
      return env({ ...options, format: options.json ? 'json' : (format as EnvFormat | 'json') });
    },
  },
  {
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
  },
];
