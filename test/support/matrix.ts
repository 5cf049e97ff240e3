// A matrix: one check for many cells. It fails with the list of all cells that fail.

import { expect } from 'vitest';

export type Cells<Cell> = readonly (readonly [name: string, cell: Cell])[];

/**
 * Runs a check for each cell, one after the other.
 *
 * @example await expectAll(surface.map((one) => [one.id, one]), (endpoint) => expectDeclared(endpoint));
 * @throws an assertion error with the name of each cell that fails, and why
 */
export async function expectAll<Cell>(cells: Cells<Cell>, check: (cell: Cell) => unknown): Promise<void> {
  const failing: string[] = [];
  for (const [name, cell] of cells) {
    try {
      await check(cell);
    } catch (error) {
      failing.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  expect(cells.length, 'cells of the matrix').toBeGreaterThan(0);
  expect(failing, failing.join('\n')).toEqual([]);
}
