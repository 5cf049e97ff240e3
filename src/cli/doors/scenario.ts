// The verbs for scenarios: listed, shown, saved, and what they expect.

import type { ExpectationReport } from '../../controls/scenarios/expectations.js';
import type { Tree } from '../../kernel/tree.js';
import type { DoorVerb } from '../door-verb.js';
import { expectationLines, expectationSum } from '../expectation-lines.js';
import { type Line, printJson, printLine, printLines } from '../print.js';
import type { Values } from '../verb.js';

export const scenarioVerbs: readonly DoorVerb[] = [
  {
    door: 'control.scenarios.list',
    line: 'scenario list',
    needsNone: true,
    bare: true,
    columns: 'name title problems? source?',
    examples: [['scenario list', 'those that are shipped, and those in your directory `scenarios`']],
  },
  {
    door: 'control.scenarios.get',
    line: 'scenario show <name>',
    needsNone: true,
    examples: [['scenario show rough-day', 'to see what it does, or to write one of your own']],
    print: (answer, { json }) => (json === true ? printJson(answer) : printJson(answer.document, 2)),
  },
  {
    door: 'control.scenarios.save',
    line: 'scenario save <name>',
    examples: [
      ['scenario save three-running', 'the present state, as scenarios/three-running.json'],
      ['scenario save busy --title "A busy account"', 'one of your own of that name is replaced'],
    ],
    print: printSaved,
  },
  {
    door: 'control.expectations',
    line: 'expectations',
    examples: [['expectations', 'exit code 1 when something did not come as the scenario expects']],
    print: printExpectations,
  },
];

function printSaved(answer: Tree, { json }: Values): void {
  const { name, file } = answer as { name: string; file: string | null };
  if (json === true) printJson(answer);
  else if (file !== null) printLine(`Wrote ${file}.`);
  else
    printLine(`Saved ${name} in memory: it is gone with the emulator (the setting data.scenarios keeps it in a file).`);
}

function printExpectations(answer: Tree, { json }: Values): void {
  if (json === true) printJson(answer);
  else printLines(linesOf(answer as unknown as ExpectationReport));
  if (answer.ok !== true) process.exitCode = 1;
}

function linesOf(report: ExpectationReport): Line[] {
  return [
    report.scenario === null ? 'No scenario: the verdicts alone' : `Scenario ${report.scenario}`,
    ...expectationLines(report.expectations),
    ...(report.complete
      ? []
      : ['The journal has let go of older requests: the setting data.journal says how many it keeps.']),
    `${expectationSum(report)}.`,
  ];
}
