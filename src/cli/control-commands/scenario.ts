// The commands for scenarios: listed, shown and saved.

import type { Tree } from '../../core/tree.js';
import type { Values } from '../command.js';
import type { OperationCommand } from '../operation-command.js';
import { printJson, printLine } from '../print.js';

export const scenarioCommands: readonly OperationCommand[] = [
  {
    operation: 'control.scenarios.list',
    line: 'scenario list',
    needsNone: true,
    bare: true,
    columns: 'name title problems? source?',
    examples: [['scenario list', 'built-in scenarios, and those in your directory `scenarios`']],
  },
  {
    operation: 'control.scenarios.get',
    line: 'scenario show <name>',
    needsNone: true,
    examples: [['scenario show rough-day', 'to see what it does, or as a starting point for your own']],
    print: (answer, { json }) => (json === true ? printJson(answer) : printJson(answer.document, 2)),
  },
  {
    operation: 'control.scenarios.save',
    line: 'scenario save <name>',
    examples: [
      ['scenario save three-running', 'saves the current state as scenarios/three-running.json'],
      ['scenario save busy --title "A busy account"', 'replaces your own scenario of that name, if there is one'],
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
