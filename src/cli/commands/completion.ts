// `cloudemu completion`: what a shell needs to complete this command, and `cloudemu --complete`, which it then asks.

import { basename } from 'node:path';
import { loadConfig } from '../../config/load.js';
import { operationIds } from '../../emulator.js';
import { failureModes } from '../../modules/containers/failures.js';
import { createLibrary } from '../../modules/scenarios/library.js';
import type { Command } from '../command.js';
import { completionsOf, type ValuesOf } from '../complete.js';
import { completionScripts, type Shell } from '../completion-scripts.js';
import { fail, printCells, printText } from '../print.js';

/** Prints the script of a shell. */
export function completion(shell: string = basename(process.env.SHELL ?? '')): void {
  if (!Object.hasOwn(completionScripts, shell))
    fail(
      2,
      `Name your shell: ${Object.keys(completionScripts)
        .map((name) => `\`cloudemu completion ${name}\``)
        .join(', ')}`,
    );
  printText(completionScripts[shell as Shell].script);
}

/** Prints the completions at the cursor, one per line: a word and, after a tab, its meaning. */
export function complete(words: readonly string[], commands: readonly Command[]): void {
  for (const { word, meaning } of completionsOf(words, commands, valuesOf))
    printCells(meaning === undefined ? [word] : [word, meaning]);
}

/** Names that are fixed, or lie in files: nothing that a running emulator would have to be asked for. */
export const valuesOf: ValuesOf = (name, words) => (known[`${words} ${name}`] ?? known[name])?.() ?? [];

const known: Record<string, () => readonly string[]> = {
  scenario: scenarioNames,
  'scenario show name': scenarioNames,
  mode: failureModes,
  operation: () => operationIds,
};

function scenarioNames(): string[] {
  try {
    return createLibrary(loadConfig({ env: process.env }).config.data)
      .list()
      .map(({ name }) => name);
  } catch {
    // A broken settings file is no matter of completion.
    return [];
  }
}
