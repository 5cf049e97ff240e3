// The list of the worlds beside the default one, so that listing them opens none.

import { renameSync, rmSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { checkpointWhenIdle } from './checkpoint.js';
import { connect, orClosed, unreleased } from './connection.js';
import { isSqliteError } from './sqlite.js';

interface IndexedWorld {
  id: string;
  /** The name of its directory, which no other world ever has. */
  dir: string;
  /** Its description, as JSON. */
  facts: string;
  /** The name of the control token that created it; '' for none. */
  owner: string;
  /** Milliseconds without a request after which it ends. */
  ttl: number;
  /** The port of its own. */
  port: number | null;
  /** The blobs of its images, as JSON; null while it is open, and where the process was killed meanwhile. */
  blobs: string | null;
  /** The name of the closing that the entry describes, as the world's directory names it; null: the world was never open. */
  closing: string | null;
}

interface FoundWorld extends IndexedWorld {
  /** Wall time of its last use; null while it is open. */
  usedAt: number | null;
}

/** The facts that are stored when a world is closed. */
interface ClosedWorld extends Pick<IndexedWorld, 'id' | 'facts' | 'blobs' | 'closing'> {
  /** Wall time. */
  now: number;
  keyHashes: readonly string[];
}

/** The listed facts that the directory of a world should agree with; `wasOpen`: when the process was killed. */
export interface ListedDir extends Pick<IndexedWorld, 'id' | 'closing'> {
  isNew: boolean;
  wasOpen: boolean;
}

/** A filter: the worlds whose ids begin with a prefix. */
interface WorldPage {
  prefix?: string | undefined;
  after?: string | undefined;
  limit: number;
}

const schema = `
CREATE TABLE IF NOT EXISTS worlds (
  id TEXT PRIMARY KEY, dir TEXT NOT NULL, facts TEXT NOT NULL, owner TEXT NOT NULL, ttl INTEGER NOT NULL,
  ends_at INTEGER, port INTEGER, blobs TEXT, is_new INTEGER NOT NULL DEFAULT 1, closing TEXT
);
CREATE INDEX IF NOT EXISTS worlds_by_end ON worlds (ends_at);
CREATE INDEX IF NOT EXISTS worlds_by_owner ON worlds (owner);
CREATE TABLE IF NOT EXISTS world_keys (
  hash TEXT NOT NULL, id TEXT NOT NULL REFERENCES worlds ON DELETE CASCADE, PRIMARY KEY (hash, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS world_keys_by_id ON world_keys (id);
`;

/**
 * Opens or makes the list, in a file or in memory. Worlds that were open when the process was killed count as used until now. One that does not
 * hold together, as an older copy beside a newer log, is set aside: the directories of the worlds say what it should.
 *
 * @throws StoreError when the file cannot be used
 */
export function openWorldIndex(file: string, now: number): WorldIndex {
  if (file === ':memory:') return new WorldIndex(connect(file), now, undefined);
  forgetLogsWithout(file);
  const db = connect(file);
  if (holdsTogether(db))
    return orClosed(file, db, () => {
      if (isUnreleased(db)) throw unreleased(file);
      return new WorldIndex(db, now, undefined);
    });
  db.close();
  for (const ending of ['-wal', '-shm']) rmSync(file + ending, { force: true });
  renameSync(file, `${file}.damaged`);
  const again = connect(file);
  const problem = `The list of worlds ${file} was damaged: it is made again from the directories of the worlds; the former one is ${file}.damaged`;
  return orClosed(file, again, () => new WorldIndex(again, now, problem));
}

// The lists of builds from before the first release do not name the closings of worlds.
function isUnreleased(db: Database.Database): boolean {
  const columns = (db.pragma('table_info(worlds)') as { name: string }[]).map(({ name }) => name);
  return columns.length > 0 && !columns.includes('closing');
}

// With the indexes, which a quick check leaves out.
function holdsTogether(db: Database.Database): boolean {
  try {
    return db.pragma('integrity_check(1)', { simple: true }) === 'ok';
  } catch (error) {
    // A file that is no database at all is not our list: it is not set aside, and opening it fails.
    return !(isSqliteError(error) && error.code.startsWith('SQLITE_CORRUPT'));
  }
}

// SQLite would apply the logs of a list that is gone to the new one, which takes back the worlds that are there.
function forgetLogsWithout(file: string): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  for (const ending of ['-wal', '-shm']) rmSync(file + ending, { force: true });
}

interface DirRow extends Pick<IndexedWorld, 'id' | 'dir' | 'closing'> {
  is_new: number;
  open: number;
}

const columns = 'id, dir, facts, owner, ttl, port, blobs, closing';
const insertWorld = `INSERT OR REPLACE INTO worlds (${columns}, ends_at, is_new)
  VALUES (@id, @dir, @facts, @owner, @ttl, @port, @blobs, @closing, @now + @ttl, @isNew)`;

/** The list in an open database. */
export class WorldIndex {
  private readonly statements = new Map<string, Database.Statement>();
  private readonly checkpoints: ReturnType<typeof checkpointWhenIdle>;

  /** @param problem that of the list that was found; then this one is empty */
  constructor(
    private readonly db: Database.Database,
    now: number,
    readonly problem: string | undefined,
  ) {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    // Bringing 1,000 pages home takes 8 ms, as often as every 65 new worlds; of 8,000 most are the same pages.
    db.pragma('wal_autocheckpoint = 8000');
    db.pragma('foreign_keys = ON');
    db.exec(schema);
    this.checkpoints = checkpointWhenIdle(() => db);
    this.run('UPDATE worlds SET ends_at = @now + ttl WHERE ends_at IS NULL', { now });
    // A list that lacks a column is refused now, not when a world is made.
    this.statement(insertWorld);
  }

  private statement(sql: string): Database.Statement {
    const statement = this.statements.get(sql) ?? this.db.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }

  private run(sql: string, values: object): void {
    this.statement(sql).run(values);
    this.checkpoints.written();
  }

  private one<Row>(sql: string, values: object = {}): Row | undefined {
    return this.statement(sql).get(values) as Row | undefined;
  }

  private all<Row>(sql: string, values: object = {}): Row[] {
    return this.statement(sql).all(values) as Row[];
  }

  /**
   * In the place of what is listed of that id.
   *
   * @param isNew whether it was never open
   */
  add(world: IndexedWorld, now: number, keyHashes: readonly string[], isNew = true): void {
    this.db.transaction(() => {
      this.run(insertWorld, { ...world, now, isNew: isNew ? 1 : 0 });
      this.addKeys(world.id, keyHashes);
    })();
  }

  private addKeys(id: string, keyHashes: readonly string[]): void {
    for (const hash of keyHashes)
      this.run('INSERT OR IGNORE INTO world_keys (hash, id) VALUES (@hash, @id)', { hash, id });
  }

  get(id: string): FoundWorld | undefined {
    return this.one(`SELECT ${columns}, ends_at - ttl AS usedAt FROM worlds WHERE id = @id`, { id });
  }

  /** In order of their ids. */
  list({ prefix = '', after = '', limit }: WorldPage): string[] {
    const sql = `SELECT id FROM worlds
      WHERE id >= @prefix AND id < @prefix || '~' AND id > @after ORDER BY id LIMIT @limit`;
    return this.all<{ id: string }>(sql, { prefix, after, limit }).map(({ id }) => id);
  }

  count(prefix = ''): number {
    const sql = "SELECT count(*) AS count FROM worlds WHERE id >= @prefix AND id < @prefix || '~'";
    return this.one<{ count: number }>(sql, { prefix })?.count ?? 0;
  }

  countOf(owner: string): number {
    return (
      this.one<{ count: number }>('SELECT count(*) AS count FROM worlds WHERE owner = @owner', { owner })?.count ?? 0
    );
  }

  /** Whether it was never open. */
  isNew(id: string): boolean {
    return this.one<{ is_new: number }>('SELECT is_new FROM worlds WHERE id = @id', { id })?.is_new === 1;
  }

  /** Notes that the world is open, so that its ttl does not end it. */
  noteOpening(id: string): void {
    this.run('UPDATE worlds SET ends_at = NULL, blobs = NULL, is_new = 0 WHERE id = @id', { id });
  }

  closed({ keyHashes, ...world }: ClosedWorld): void {
    this.db.transaction(() => {
      const sql = `UPDATE worlds
        SET ends_at = @now + ttl, facts = @facts, blobs = @blobs, closing = @closing WHERE id = @id`;
      this.run(sql, world);
      this.noteKeys(world.id, keyHashes);
    })();
  }

  /** Takes the keys of an open world. */
  noteKeys(id: string, keyHashes: readonly string[]): void {
    this.db.transaction(() => {
      this.run('DELETE FROM world_keys WHERE id = @id', { id });
      this.addKeys(id, keyHashes);
    })();
  }

  /** Takes the description of an open world, for the case that the process is killed. */
  describe(id: string, facts: string): void {
    this.run('UPDATE worlds SET facts = @facts WHERE id = @id', { id, facts });
  }

  setPort(id: string, port: number): void {
    this.run('UPDATE worlds SET port = @port WHERE id = @id', { id, port });
  }

  remove(id: string): void {
    this.run('DELETE FROM worlds WHERE id = @id', { id });
  }

  /** A world that has a key of that hash. */
  ownerOfKey(hash: string): string | undefined {
    return this.one<{ id: string }>('SELECT id FROM world_keys WHERE hash = @hash', { hash })?.id;
  }

  withPorts(): { id: string; port: number }[] {
    return this.all('SELECT id, port FROM worlds WHERE port IS NOT NULL ORDER BY id');
  }

  /** The listed facts of worlds, by the names of their directories. */
  dirs(): Map<string, ListedDir> {
    const rows = this.all<DirRow>('SELECT dir, id, closing, is_new, blobs IS NULL AS open FROM worlds');
    return new Map(
      rows.map(({ dir, id, closing, is_new, open }) => [
        dir,
        { id, closing, isNew: is_new === 1, wasOpen: open === 1 },
      ]),
    );
  }

  /** The listed blobs of each world; null for a world that was open when the process was killed. */
  blobs(): { id: string; blobs: string | null }[] {
    return this.all("SELECT id, blobs FROM worlds WHERE blobs IS NOT '[]'");
  }

  /** The closed worlds whose time is over. */
  ended(now: number): string[] {
    const sql = 'SELECT id FROM worlds WHERE ends_at <= @now ORDER BY ends_at, id';
    return this.all<{ id: string }>(sql, { now }).map(({ id }) => id);
  }

  /** When the next closed world ends. */
  nextEnd(): number | undefined {
    return this.one<{ next: number | null }>('SELECT min(ends_at) AS next FROM worlds')?.next ?? undefined;
  }

  close(): void {
    this.checkpoints.cancel();
    this.db.close();
  }
}
