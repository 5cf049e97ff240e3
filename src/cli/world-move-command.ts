// `cloudemu world move`, as help and the parser know it.

import { type Command, emulator, targetOptions, text } from './command.js';
import { worldMove } from './commands/world-move.js';

export const worldMoveCommand: Command = {
  words: 'world move',
  describe: 'Move one world to another process, or all worlds that belong elsewhere',
  args: [
    {
      name: 'id',
      describe: 'The world; by default the emulator drains, and all that belong elsewhere move',
      required: false,
    },
  ],
  flags: {
    to: { type: 'string', describe: 'URL of the process to move to, or of the proxy in front of it' },
    'to-token': { type: 'string', describe: 'Control token there (default: that of --token)' },
    ...emulator,
  },
  examples: [
    ['world move blue --to http://node-4:4747', 'its clients get 503 with Retry-After for a moment; nothing is lost'],
    [
      'world move --url http://node-1:4747 --to http://proxy:8081',
      'all worlds that the proxy now leads to another process',
    ],
  ],
  run: (values) =>
    worldMove({
      ...targetOptions(values),
      id: text(values, 'id'),
      to: text(values, 'to'),
      toToken: text(values, 'to-token'),
    }),
};
