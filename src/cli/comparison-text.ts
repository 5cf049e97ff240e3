// Rows before and after, line by line: of two states of a world, and of a request.

import type { Tree } from '../core/tree.js';
import type { RequestDetails } from '../modules/journal/control.js';
import type { ChangedField, ChangedTable } from '../modules/journal/row-changes.js';
import type { SnapshotComparison } from '../modules/snapshots/compare.js';
import type { Values } from './command.js';
import { printJson, printLine, printLines } from './print.js';
import { show } from './show.js';

const signs = { added: '+', removed: '-', changed: '~' };

/** Prints the tables, and below each its rows with what changed in them. */
export function printComparison(answer: Tree, { json }: Values): void {
  if (json === true) printJson(answer);
  else printTables(answer as unknown as SnapshotComparison);
}

function printTables({ name, with: other, tables }: SnapshotComparison): void {
  if (tables.length === 0) printLine(`Nothing is different between ${name} and ${other ?? 'now'}.`);
  printRows(tables, '--limit shows more of them');
}

/** Prints a request, and below it the rows that it changed. */
export function printRequest(answer: Tree, { json }: Values): void {
  if (json === true) {
    printJson(answer);
    return;
  }
  const { changes, ...request } = answer as unknown as RequestDetails;
  printLines(show({ ...request }));
  if (changes === null) printLine('changes: not recorded (the setting data.changes records them)');
  else printLine(changes.length === 0 ? 'changes: none' : 'changes:');
  printRows(changes ?? [], 'they are not kept');
}

function printRows(tables: readonly ChangedTable[], wayToMore: string): void {
  for (const { table, added, removed, changed, rows } of tables) {
    printLine(`${table}: ${added} added, ${removed} removed, ${changed} changed`);
    for (const row of rows) {
      printLine(`  ${signs[row.change]} ${row.key}${row.name === null ? '' : ` (${row.name})`}`);
      if (row.change === 'changed') printLines(row.fields.map(fieldLine));
    }
    const rest = added + removed + changed - rows.length;
    if (rest > 0) printLine(`  and ${rest} more: ${wayToMore}`);
  }
}

function fieldLine({ name, before, after }: ChangedField): string {
  return `      ${name}: ${before ?? 'none'} -> ${after ?? 'none'}`;
}
