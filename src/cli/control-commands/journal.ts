// The verbs that tell what has happened, and wait for what will: requests, awaits.

import { printContainer } from '../container-text.js';
import type { OperationCommand } from '../operation-command.js';

export const journalCommands: readonly OperationCommand[] = [
  {
    door: 'control.requests.list',
    line: 'requests list',
    bare: true,
    columns: 'at status method path requestId operation? durationMs? fault?',
    examples: [
      ['requests', 'the last hundred, the newest first'],
      ['requests list --operation "containers.*" --status 4xx,5xx', 'those that went wrong'],
    ],
  },
  {
    door: 'control.requests.get',
    line: 'requests show <id>',
    examples: [['requests show req_7820e0a…', 'headers and bodies, without secrets']],
  },
  {
    door: 'control.requests.stream',
    line: 'requests follow',
    describe: 'Print requests and markers as they come, until Ctrl-C',
    examples: [
      ['requests follow', 'what your client does, in a second terminal'],
      ['requests follow --since 10m --json', 'the last ten minutes too, an object a line'],
    ],
  },
  { door: 'control.requests.clear', line: 'requests clear', examples: [['requests clear', 'empties the journal']] },
  {
    door: 'control.events',
    line: 'events',
    describe: 'Print everything that happens, until Ctrl-C: requests, markers, clock, containers',
    examples: [['events', 'while you advance the clock in another terminal']],
  },
  {
    door: 'control.await',
    line: 'await container <container>',
    describe: 'Wait until a container has a status',
    only: ['container', 'status', 'timeout', 'advance'],
    showsRefusal: true,
    examples: [
      ['await container my-app --status running --advance', 'the clock jumps there'],
      ['await container my-app --status running,failed --timeout 2m', 'exit code 1 when neither comes'],
    ],
    print: printContainer,
  },
  {
    door: 'control.await',
    line: 'await operation <operation>',
    describe: 'Wait until an operation was called so often',
    only: ['operation', 'count', 'status', 'since', 'timeout', 'advance'],
    presets: { count: '1' },
    showsRefusal: true,
    examples: [['await operation containers.create --count 2 --status 2xx', 'since the last reset']],
  },
];
