// The commands that show past requests and wait for future ones: requests, await.

import { printContainer } from '../container-text.js';
import type { OperationCommand } from '../operation-command.js';

export const journalCommands: readonly OperationCommand[] = [
  {
    operation: 'control.requests.list',
    line: 'requests list',
    bare: true,
    columns: 'at status method path requestId operation? durationMs? fault?',
    examples: [
      ['requests', 'the last hundred, the newest first'],
      ['requests list --operation "containers.*" --status 4xx,5xx', 'requests that failed'],
    ],
  },
  {
    operation: 'control.requests.get',
    line: 'requests show <id>',
    examples: [['requests show req_7820e0a…', 'headers and bodies, without secrets']],
  },
  {
    operation: 'control.requests.stream',
    line: 'requests follow',
    describe: 'Print requests and markers as they arrive, until Ctrl-C',
    examples: [
      ['requests follow', 'what your client does, in a second terminal'],
      ['requests follow --since 10m --json', 'starts ten minutes back, one JSON object per line'],
    ],
  },
  {
    operation: 'control.requests.clear',
    line: 'requests clear',
    examples: [['requests clear', 'empties the journal']],
  },
  {
    operation: 'control.events',
    line: 'events',
    describe: 'Print all events until Ctrl-C: requests, markers, clock, containers',
    examples: [['events', 'while you advance the clock in another terminal']],
  },
  {
    operation: 'control.timeline',
    line: 'timeline',
    columns: 'at title result detail?',
    examples: [
      ['timeline', 'what happened and what is still to come'],
      ['timeline --kinds container,credits --search web', 'of one container'],
    ],
  },
  {
    operation: 'control.await',
    line: 'await container <container>',
    describe: 'Wait until a container has a status',
    only: ['container', 'status', 'timeout', 'advance'],
    showsRefusal: true,
    examples: [
      ['await container my-app --status running --advance', 'advances the clock until then'],
      [
        'await container my-app --status running,failed --timeout 2m',
        'exit code 1 if neither status is reached in time',
      ],
    ],
    print: printContainer,
  },
  {
    operation: 'control.await',
    line: 'await operation <operation>',
    describe: 'Wait until an operation was called a number of times',
    only: ['operation', 'count', 'status', 'since', 'timeout', 'advance'],
    presets: { count: '1' },
    showsRefusal: true,
    examples: [['await operation containers.create --count 2 --status 2xx', 'counts requests since the last reset']],
  },
];
