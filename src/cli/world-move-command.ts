// `cloudemu world move`, as help and the parser know it.

import { type Command, emulator, targetOptions, text } from './command.js';
import { worldMove } from './commands/world-move.js';

export const worldMoveCommand: Command = {
  words: 'world move',
  describe: 'Move worlds to another process: one, or all that its address leads elsewhere with',
  args: [
    {
      name: 'id',
      describe: 'The world; by default the emulator drains, and all that belong elsewhere move',
      required: false,
    },
  ],
  flags: {
    to: { type: 'string', describe: 'URL of the process that takes it, or of the proxy that leads to it' },
    'to-token': { type: 'string', describe: 'Control token there (default: that of --token)' },
    ...emulator,
  },
  examples: [
    ['world move blue --to http://node-4:4747', 'its clients get 503 with Retry-After for a moment; nothing is lost'],
    [
      'world move --url http://node-1:4747 --to http://proxy:8081',
      'those that a proxy with one more process leads away',
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
