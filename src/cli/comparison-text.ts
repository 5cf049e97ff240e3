// What is different between two states of a world, line by line.

import type { Tree } from '../core/tree.js';
import type { ChangedField, SnapshotComparison } from '../modules/snapshots/compare.js';
import type { Values } from './command.js';
import { printJson, printLine, printLines } from './print.js';

const signs = { added: '+', removed: '-', changed: '~' };

/** Prints the tables, and below each its rows with what changed in them. */
export function printComparison(answer: Tree, { json }: Values): void {
  if (json === true) printJson(answer);
  else printTables(answer as unknown as SnapshotComparison);
}

function printTables({ name, with: other, tables }: SnapshotComparison): void {
  if (tables.length === 0) printLine(`Nothing is different between ${name} and ${other ?? 'now'}.`);
  for (const { table, added, removed, changed, rows } of tables) {
    printLine(`${table}: ${added} added, ${removed} removed, ${changed} changed`);
    for (const row of rows) {
      printLine(`  ${signs[row.change]} ${row.key}${row.name === null ? '' : ` (${row.name})`}`);
      if (row.change === 'changed') printLines(row.fields.map(fieldLine));
    }
    const rest = added + removed + changed - rows.length;
    if (rest > 0) printLine(`  and ${rest} more: --limit tells more of them`);
  }
}

function fieldLine({ name, before, after }: ChangedField): string {
  return `      ${name}: ${before ?? 'none'} -> ${after ?? 'none'}`;
}
