// Notes what a request asks of the database.

import type { SqlValues } from './sql-value.js';

/** A statement that was run, with its values. */
export interface NotedRead {
  sql: string;
  values: SqlValues;
  /** It was to change rows and has found none, which was a question, too. */
  missed?: true;
}

export interface ReadNotes {
  /** Notes a read, and returns its values. */
  read(sql: string, values: object): object;
  /** Runs a statement that returns how many rows it has changed, and notes it where it has changed none. */
  write(sql: string, run: () => number): number;
  /** Notes from now on, until the returned function is called, which tells all. */
  begin(): () => NotedRead[];
}

/**
 * Nothing is noted yet.
 *
 * @param forget drops what is kept of earlier reads, which are then read anew
 */
export function createReadNotes(forget: () => void): ReadNotes {
  let notes: NotedRead[] | undefined;
  return {
    read(sql, values) {
      notes?.push({ sql, values: { ...values } });
      return values;
    },
    write(sql, run) {
      let changed = 0;
      try {
        changed = run();
      } finally {
        if (changed === 0) notes?.push({ sql, values: {}, missed: true });
      }
      return changed;
    },
    begin() {
      forget();
      notes = [];
      return () => {
        const noted = notes ?? [];
        notes = undefined;
        return noted;
      };
    },
  };
}
