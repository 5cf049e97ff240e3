// Makes names unique by appending a number: remembers where the search for a free number begins.

import { maintained } from './cached-reads.js';
import type { Db } from './db.js';

/** The numbers behind names of one kind. */
export interface Suffixes {
  /** The lowest number from 1 on that may be free; 1 stands for the name itself. */
  from(name: string): number;
  /** All numbers up to this one are taken. */
  takenTo(name: string, number: number): void;
  /** A name of the kind is free again. */
  freed(name: string): void;
}

/**
 * The numbers behind the names in a table, by the scope in which names are unique. Trying them all from 1 on made the
 * ten-thousandth container of a name take 50 ms.
 */
export function suffixesIn(table: string): (db: Db, scope: string) => Suffixes {
  return maintained([table], createSuffixes);
}

function createSuffixes(): Suffixes {
  // Only names that were once taken.
  const next = new Map<string, number>();
  return {
    from: (name) => next.get(name) ?? 1,
    takenTo(name, number) {
      if (number > 1) next.set(name, number + 1);
    },
    freed(name) {
      next.delete(name);
      const [, beginning, digits] = /^(.+)-(\d+)$/.exec(name) ?? [];
      // Numbers begin at 2: a name of its own may end otherwise.
      if (beginning === undefined || Number(digits) < 2) return;
      // A long name may have been cut before the number.
      for (const [other, from] of next)
        if (other.startsWith(beginning)) next.set(other, Math.min(from, Number(digits)));
    },
  };
}
