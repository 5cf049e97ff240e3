// The verbs that make things fail: faults, limits, containers.

import { printContainer } from '../container-text.js';
import { printContainerDetails } from '../image-text.js';
import type { OperationCommand } from '../operation-command.js';

const faultColumns = 'id state hits seen? match when effect phase?';
const containerColumns = 'id project_name status since error mode? nextTransitionAt?';

export const failureCommands: readonly OperationCommand[] = [
  {
    door: 'control.faults.list',
    line: 'faults list',
    bare: true,
    columns: faultColumns,
    examples: [['faults', 'which rules are set, and what each has done']],
  },
  {
    door: 'control.faults.add',
    line: 'faults add [rule]',
    describe: 'Write a fault rule, or only check it',
    document: 'rule',
    examples: [
      ['faults add --operation containers.create --status 503 --times 2', 'the next two creates fail'],
      ['faults add --method POST --phase after --network reset', 'it happens, and its answer is lost'],
      ['faults add --path "/api/v1/*" --delay 2s --dry-run', 'only checks, and tells what it would have fitted'],
      [`faults add '{"effect": {"status": 429, "retryAfter": 30}}'`, 'any rule as JSON, or as a file'],
    ],
  },
  {
    door: 'control.faults.get',
    line: 'faults show <id>',
    examples: [['faults show fault_1', 'one rule']],
  },
  {
    door: 'control.faults.remove',
    line: 'faults remove <id>',
    examples: [['faults remove fault_1', 'what it has done stays done']],
  },
  { door: 'control.faults.clear', line: 'faults clear', examples: [['faults clear', 'after a test']] },
  {
    door: 'control.faults.neverFired',
    line: 'faults never-fired',
    columns: faultColumns,
    examples: [['faults never-fired', 'what your client has not met']],
  },
  {
    door: 'control.limits.list',
    line: 'limits list',
    bare: true,
    examples: [['limits', 'what holds, why, and who has used how much']],
  },
  {
    door: 'control.limits.set',
    line: 'limits set',
    examples: [
      ['limits set --operation containers.create --limit 2 --window 10s', 'the third create in ten seconds is a 429'],
    ],
  },
  {
    door: 'control.limits.exhaust',
    line: 'limits exhaust',
    examples: [
      ['limits exhaust --retry-after 30', 'all requests of the test key are refused for 30 s'],
      ['limits exhaust --operation containers.create', 'only creates'],
    ],
  },
  { door: 'control.limits.release', line: 'limits release', examples: [['limits release', 'the settings hold again']] },
  {
    door: 'control.containers.list',
    line: 'container list',
    bare: true,
    columns: containerColumns,
    examples: [['container list', 'of all organizations']],
  },
  {
    door: 'control.containers.get',
    line: 'container show <id>',
    examples: [['container show 8804a201-0a4c-…', 'with its image, and the course that it has taken']],
    print: printContainerDetails,
  },
  {
    door: 'control.containers.fail',
    line: 'container fail <id>',
    examples: [['container fail 8804a201-0a4c-… --mode oom-later', '`cloudemu failures` lists the modes']],
    print: printContainer,
  },
  {
    door: 'control.containers.crash',
    line: 'container crash <id>',
    examples: [['container crash 8804a201-0a4c-…', 'its process ends with exit code 1']],
    print: printContainer,
  },
  {
    door: 'control.containers.stop',
    line: 'container stop <id>',
    examples: [['container stop 8804a201-0a4c-…', 'as its owner would']],
    print: printContainer,
  },
  {
    door: 'control.containers.recover',
    line: 'container recover <id>',
    examples: [['container recover 8804a201-0a4c-…', 'it runs again']],
    print: printContainer,
  },
  {
    door: 'control.containers.skip',
    line: 'container skip <id>',
    examples: [['container skip 8804a201-0a4c-… --status running', 'now, not in minutes']],
    print: printContainer,
  },
  {
    door: 'control.failures',
    line: 'failures',
    needsNone: true,
    columns: 'mode title stage? refund?',
    examples: [['failures', 'the modes; --json also says how to trigger each']],
  },
];
