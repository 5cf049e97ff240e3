// Answers that are printed otherwise than as tables and fields.

import type { PrintStyle } from '../control/command.js';
import { writePrivately } from '../core/private-files.js';
import type { Tree } from '../core/tree.js';
import type { Exploration } from '../modules/explore/control.js';
import { text, type Values } from './command.js';
import { printComparison, printRequest } from './comparison-text.js';
import { printContainer } from './container-text.js';
import { exploreLines } from './explore/lines.js';
import { printContainerDetails, printImage } from './image-text.js';
import { fail, printJson, printLine, printLines } from './print.js';
import { stdoutScreen } from './terminal.js';

/** Prints an answer; with --json only where it says so. */
export type Printer = (answer: Tree, values: Values) => void;

export const printers: Record<PrintStyle, Printer> = {
  comparison: printComparison,
  container: printContainer,
  'container-details': printContainerDetails,
  exploration: printExploration,
  image: printImage,
  'indented-json': (answer, { json }) => printJson(answer, json === true ? 0 : 2),
  request: printRequest,
  'saved-scenario': printSaved,
  scenario: (answer, { json }) => (json === true ? printJson(answer) : printJson(answer.document, 2)),
  snapshot: printSnapshot,
};

function printExploration(answer: Tree, { json }: Values): void {
  const { report } = answer as unknown as Exploration;
  if (json === true) printJson(answer);
  else if (report === null)
    printLine('Nothing was explored here: `cloudemu explore -- npm test` tries every fault on your tests.');
  else printLines(exploreLines(report, false));
}

function printSaved(answer: Tree, { json }: Values): void {
  const { name, file } = answer as { name: string; file: string | null };
  if (json === true) printJson(answer);
  else if (file !== null) printLine(`Wrote ${file}.`);
  else
    printLine(`Saved ${name} in memory: it is gone with the emulator (the setting data.scenarios keeps it in a file).`);
}

function printSnapshot(snapshot: Tree, values: Values): void {
  const file = text(values, 'file');
  if (file === undefined) {
    if (stdoutScreen().isTerminal) fail(2, 'A snapshot fills many screens: name --file, or redirect the output.');
    printJson(snapshot);
    return;
  }
  try {
    writePrivately(file, `${JSON.stringify(snapshot)}\n`);
  } catch (error) {
    fail(1, `${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
  if (values.json === true) printJson({ name: snapshot.name, file });
  else printLine(`Wrote the snapshot ${String(snapshot.name)} to ${file}.`);
}
