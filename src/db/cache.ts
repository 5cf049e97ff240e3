// Results of reads, kept until one of the tables that they come from is written.

/** Identifies a cached read: its results lie apart from those of all others. */
export interface CachedRead {
  readonly tables: readonly string[];
  /** Whoever writes the tables keeps the results up to date: only an undone transaction drops them. */
  readonly isMaintained?: true;
}

/** The results of one database's cached reads. */
export interface Cache {
  keep<Result>(identity: CachedRead, key: unknown, read: () => Result): Result;
  /** Drops the results that were read from a table, or (without one) all results. */
  forget(table?: string): void;
  /** Drops the results read from tables that an undone transaction has written. */
  undo(tables: ReadonlySet<string>): void;
  /** Calls back whenever something that comes from a table is dropped; one listener a table. */
  onForget(table: string, listener: () => void): void;
}

const maxResults = 2_000;

export function createCache(): Cache {
  const all = new Map<CachedRead, { results: Map<unknown, unknown> }>();
  const ofTable = new Map<string, { results: Map<unknown, unknown> }[]>();
  const listeners = new Map<string, () => void>();

  function forget(table?: string): void {
    if (table === undefined) for (const listener of listeners.values()) listener();
    else listeners.get(table)?.();
    // A new map each time: an emptied one would keep what it held from the collector until its next full round.
    for (const kept of table === undefined ? all.values() : (ofTable.get(table) ?? []))
      if (kept.results.size > 0) kept.results = new Map();
  }

  return {
    keep<Result>(identity: CachedRead, key: unknown, read: () => Result) {
      let kept = all.get(identity);
      if (kept === undefined) {
        kept = { results: new Map() };
        all.set(identity, kept);
        if (identity.isMaintained !== true)
          for (const table of identity.tables) ofTable.set(table, [...(ofTable.get(table) ?? []), kept]);
      }
      if (kept.results.has(key)) return kept.results.get(key) as Result;
      const result = read();
      if (kept.results.size >= maxResults) kept.results = new Map();
      kept.results.set(key, result);
      return result;
    },
    onForget(table, listener) {
      listeners.set(table, listener);
    },
    forget,
    undo(tables) {
      for (const table of tables) forget(table);
      for (const [identity, kept] of all)
        if (identity.isMaintained === true && identity.tables.some((table) => tables.has(table)))
          kept.results = new Map();
    },
  };
}
