// Results of reads, kept until one of the tables that they come from is written.

/** Identifies a cached read: its results lie apart from those of all others. */
export interface CachedRead {
  readonly tables: readonly string[];
  /** Whoever writes the tables keeps the results up to date: only an undone transaction drops them. */
  readonly isMaintained?: true;
}

const maxResults = 2_000;

/** The results of one database's cached reads. */
export class Cache {
  private readonly all = new Map<CachedRead, { results: Map<unknown, unknown> }>();
  private readonly ofTable = new Map<string, { results: Map<unknown, unknown> }[]>();
  private readonly listeners = new Map<string, () => void>();

  keep<Result>(identity: CachedRead, key: unknown, read: () => Result): Result {
    let kept = this.all.get(identity);
    if (kept === undefined) {
      kept = { results: new Map() };
      this.all.set(identity, kept);
      if (identity.isMaintained !== true)
        for (const table of identity.tables) this.ofTable.set(table, [...(this.ofTable.get(table) ?? []), kept]);
    }
    if (kept.results.has(key)) return kept.results.get(key) as Result;
    const result = read();
    if (kept.results.size >= maxResults) kept.results = new Map();
    kept.results.set(key, result);
    return result;
  }

  /** Calls back whenever something that comes from a table is dropped; one listener a table. */
  onForget(table: string, listener: () => void): void {
    this.listeners.set(table, listener);
  }

  /** Drops the results that were read from a table, or (without one) all results. */
  forget(table?: string): void {
    if (table === undefined) for (const listener of this.listeners.values()) listener();
    else this.listeners.get(table)?.();
    // A new map each time: an emptied one would keep what it held from the collector until its next full round.
    for (const kept of table === undefined ? this.all.values() : (this.ofTable.get(table) ?? []))
      if (kept.results.size > 0) kept.results = new Map();
  }

  /** Drops the results read from tables that an undone transaction has written. */
  undo(tables: ReadonlySet<string>): void {
    for (const table of tables) this.forget(table);
    for (const [identity, kept] of this.all)
      if (identity.isMaintained === true && identity.tables.some((table) => tables.has(table)))
        kept.results = new Map();
  }
}
