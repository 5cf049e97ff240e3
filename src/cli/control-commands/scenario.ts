// The verbs for scenarios: listed, shown and saved.

import type { Tree } from '../../core/tree.js';
import type { Values } from '../command.js';
import type { OperationCommand } from '../operation-command.js';
import { printJson, printLine } from '../print.js';

export const scenarioCommands: readonly OperationCommand[] = [
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
];

function printSaved(answer: Tree, { json }: Values): void {
  const { name, file } = answer as { name: string; file: string | null };
  if (json === true) printJson(answer);
  else if (file !== null) printLine(`Wrote ${file}.`);
  else
    printLine(`Saved ${name} in memory: it is gone with the emulator (the setting data.scenarios keeps it in a file).`);
}
