// A connection with the statements that were prepared on it.

import type Database from 'better-sqlite3';

export interface Prepared {
  statement: Database.Statement;
  isWrite: boolean;
  /** The table that it writes; undefined where the text does not tell. */
  table: string | undefined;
}

export interface Session {
  db: Database.Database;
  prepare(sql: string): Prepared;
  begin: Database.Statement;
  commit: Database.Statement;
  rollback: Database.Statement;
  savepoint: Database.Statement;
  release: Database.Statement;
  rollbackToSavepoint: Database.Statement;
}

/** A session on a connection; statements are prepared when they are first asked for. */
export function sessionOn(db: Database.Database): Session {
  const statements = new Map<string, Prepared>();
  return {
    db,
    prepare(sql) {
      let prepared = statements.get(sql);
      if (prepared === undefined) {
        const statement = db.prepare(sql);
        const table = /\b(?:INTO|UPDATE|FROM)\s+(\w+)/.exec(sql)?.[1];
        prepared = { statement, isWrite: !statement.readonly, table };
        statements.set(sql, prepared);
      }
      return prepared;
    },
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    rollback: db.prepare('ROLLBACK'),
    savepoint: db.prepare('SAVEPOINT part'),
    release: db.prepare('RELEASE part'),
    rollbackToSavepoint: db.prepare('ROLLBACK TO part'),
  };
}
