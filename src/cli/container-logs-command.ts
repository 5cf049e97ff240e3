// `container logs`, which reads the platform's own endpoints.

import { type Command, target, targetOptions, text } from './command.js';
import { containerLogs } from './commands/container-logs.js';

export const containerLogsCommand: Command = {
  words: 'container logs',
  valueIs: 'tail',
  describe: 'Print the log of a container',
  args: [{ name: 'id', describe: 'The container’s id or project_name', required: true }],
  flags: {
    follow: { type: 'boolean', short: 'f', describe: 'Keep printing new lines, until Ctrl-C' },
    tail: { type: 'number', describe: 'Number of lines from the end, 1 to 10000', byDefault: '100' },
    since: { type: 'string', describe: 'Only lines from this ISO 8601 time on' },
    ...target,
  },
  examples: [
    ['container logs my-app', 'to see why it does not run'],
    ['container logs my-app -f', 'while you advance the clock in another terminal'],
  ],
  run: (values) =>
    containerLogs({
      ...targetOptions(values),
      id: String(values.id),
      follow: values.follow === true,
      tail: values.tail === undefined ? undefined : String(values.tail),
      since: text(values, 'since'),
    }),
};
