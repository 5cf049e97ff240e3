// The commands that make things fail: faults, limits, containers.

import { printContainer } from '../container-text.js';
import { printContainerDetails } from '../image-text.js';
import type { OperationCommand } from '../operation-command.js';

const faultColumns = 'id state hits seen? match when effect phase?';
const containerColumns = 'id project_name status since error mode? nextTransitionAt?';

export const failureCommands: readonly OperationCommand[] = [
  {
    operation: 'control.faults.list',
    line: 'faults list',
    bare: true,
    columns: faultColumns,
    examples: [['faults', 'the rules, and how often each has fired']],
  },
  {
    operation: 'control.faults.add',
    line: 'faults add [rule]',
    describe: 'Add a fault rule, or only check it',
    document: 'rule',
    examples: [
      ['faults add --operation containers.create --status 503 --times 2', 'the next two creates fail'],
      [
        'faults add --method POST --phase after --network reset',
        'the operation takes effect, but its response is lost',
      ],
      [
        'faults add --path "/api/v1/*" --delay 2s --dry-run',
        'checks the rule, and lists the recent requests that it would have matched',
      ],
      [`faults add '{"effect": {"status": 429, "retryAfter": 30}}'`, 'any rule, as JSON or from a file'],
    ],
  },
  {
    operation: 'control.faults.get',
    line: 'faults show <id>',
    examples: [['faults show fault_1', 'shows one rule']],
  },
  {
    operation: 'control.faults.remove',
    line: 'faults remove <id>',
    examples: [['faults remove fault_1', 'removes the rule; its past effects remain']],
  },
  { operation: 'control.faults.clear', line: 'faults clear', examples: [['faults clear', 'after a test']] },
  {
    operation: 'control.faults.neverFired',
    line: 'faults never-fired',
    columns: faultColumns,
    examples: [['faults never-fired', 'faults that your client has not encountered']],
  },
  {
    operation: 'control.limits.list',
    line: 'limits list',
    bare: true,
    examples: [['limits', 'the limits, where they come from, and how much each caller has used']],
  },
  {
    operation: 'control.limits.set',
    line: 'limits set',
    examples: [
      ['limits set --operation containers.create --limit 2 --window 10s', 'the third create in ten seconds is a 429'],
    ],
  },
  {
    operation: 'control.limits.exhaust',
    line: 'limits exhaust',
    examples: [
      ['limits exhaust --retry-after 30', 'all requests of the test key are refused for 30 s'],
      ['limits exhaust --operation containers.create', 'only creates are refused'],
    ],
  },
  {
    operation: 'control.limits.release',
    line: 'limits release',
    examples: [['limits release', 'restores the limits of the settings']],
  },
  {
    operation: 'control.containers.list',
    line: 'container list',
    bare: true,
    columns: containerColumns,
    examples: [['container list', 'containers of all organizations']],
  },
  {
    operation: 'control.containers.get',
    line: 'container show <id>',
    examples: [['container show 8804a201-0a4c-…', 'with its image and the history of its status']],
    print: printContainerDetails,
  },
  {
    operation: 'control.containers.inspect',
    line: 'container inspect <id>',
    examples: [['container inspect my-app --tail 20', 'deployments against their plan, log, health and metrics']],
  },
  {
    operation: 'control.containers.fail',
    line: 'container fail <id>',
    examples: [['container fail 8804a201-0a4c-… --mode oom-later', '`cloudemu failures` lists the modes']],
    print: printContainer,
  },
  {
    operation: 'control.containers.crash',
    line: 'container crash <id>',
    examples: [['container crash 8804a201-0a4c-…', 'its process exits with code 1']],
    print: printContainer,
  },
  {
    operation: 'control.containers.stop',
    line: 'container stop <id>',
    examples: [['container stop 8804a201-0a4c-…', 'stops it without an error']],
    print: printContainer,
  },
  {
    operation: 'control.containers.recover',
    line: 'container recover <id>',
    examples: [['container recover 8804a201-0a4c-…', 'runs it again']],
    print: printContainer,
  },
  {
    operation: 'control.containers.skip',
    line: 'container skip <id>',
    examples: [['container skip 8804a201-0a4c-… --status running', 'it runs now instead of in some minutes']],
    print: printContainer,
  },
  {
    operation: 'control.failures',
    line: 'failures',
    needsNone: true,
    columns: 'mode title stage? refund?',
    examples: [['failures', 'the modes; --json also says how to trigger each']],
  },
];
