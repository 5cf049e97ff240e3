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

export interface WorldIndex {
  /** The problem of the list that was found; then this one is empty. */
  readonly problem: string | undefined;
  /**
   * In the place of what is listed of that id.
   *
   * @param isNew whether it was never open
   */
  add(world: IndexedWorld, now: number, keyHashes: readonly string[], isNew?: boolean): void;
  get(id: string): FoundWorld | undefined;
  /** In order of their ids. */
  list(page: WorldPage): string[];
  count(prefix?: string): number;
  countOf(owner: string): number;
  /** Whether it was never open. */
  isNew(id: string): boolean;
  /** Notes that the world is open, so that its ttl does not end it. */
  noteOpening(id: string): void;
  closed(world: ClosedWorld): void;
  /** Takes the keys of an open world. */
  noteKeys(id: string, keyHashes: readonly string[]): void;
  /** Takes the description of an open world, for the case that the process is killed. */
  describe(id: string, facts: string): void;
  setPort(id: string, port: number): void;
  remove(id: string): void;
  /** A world that has a key of that hash. */
  ownerOfKey(hash: string): string | undefined;
  withPorts(): { id: string; port: number }[];
  /** The listed facts of worlds, by the names of their directories. */
  dirs(): Map<string, ListedDir>;
  /** The listed blobs of each world; null for a world that was open when the process was killed. */
  blobs(): { id: string; blobs: string | null }[];
  /** The closed worlds whose time is over. */
  ended(now: number): string[];
  /** When the next closed world ends. */
  nextEnd(): number | undefined;
  close(): void;
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
  if (file === ':memory:') return indexIn(connect(file), now, undefined);
  forgetLogsWithout(file);
  const db = connect(file);
  if (holdsTogether(db))
    return orClosed(file, db, () => {
      if (isUnreleased(db)) throw unreleased(file);
      return indexIn(db, now, undefined);
    });
  db.close();
  for (const ending of ['-wal', '-shm']) rmSync(file + ending, { force: true });
  renameSync(file, `${file}.damaged`);
  const again = connect(file);
  const problem = `The list of worlds ${file} was damaged: it is made again from the directories of the worlds; the former one is ${file}.damaged`;
  return orClosed(file, again, () => indexIn(again, now, problem));
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

function indexIn(db: Database.Database, now: number, problem: string | undefined): WorldIndex {
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  // Bringing 1,000 pages home takes 8 ms, as often as every 65 new worlds; of 8,000 most are the same pages.
  db.pragma('wal_autocheckpoint = 8000');
  db.pragma('foreign_keys = ON');
  db.exec(schema);
  db.prepare('UPDATE worlds SET ends_at = @now + ttl WHERE ends_at IS NULL').run({ now });
  const checkpoints = checkpointWhenIdle(() => db);
  checkpoints.written();
  const columns = 'id, dir, facts, owner, ttl, port, blobs, closing';
  const add = db.prepare(`INSERT OR REPLACE INTO worlds (${columns}, ends_at, is_new)
    VALUES (@id, @dir, @facts, @owner, @ttl, @port, @blobs, @closing, @now + @ttl, @isNew)`);
  const addKey = db.prepare('INSERT OR IGNORE INTO world_keys (hash, id) VALUES (@hash, @id)');
  const forgetKeys = db.prepare('DELETE FROM world_keys WHERE id = @id');
  const get = db.prepare(`SELECT ${columns}, ends_at - ttl AS usedAt FROM worlds WHERE id = @id`);
  const noteOpening = db.prepare('UPDATE worlds SET ends_at = NULL, blobs = NULL, is_new = 0 WHERE id = @id');
  const closed = db.prepare(`UPDATE worlds
    SET ends_at = @now + ttl, facts = @facts, blobs = @blobs, closing = @closing WHERE id = @id`);
  const describe = db.prepare('UPDATE worlds SET facts = @facts WHERE id = @id');
  const list = db.prepare(`SELECT id FROM worlds
    WHERE id >= @prefix AND id < @prefix || '~' AND id > @after ORDER BY id LIMIT @limit`);
  const count = db.prepare("SELECT count(*) FROM worlds WHERE id >= @prefix AND id < @prefix || '~'").pluck();
  const countOf = db.prepare('SELECT count(*) FROM worlds WHERE owner = @owner').pluck();
  const ownerOfKey = db.prepare('SELECT id FROM world_keys WHERE hash = @hash').pluck();
  const remove = db.prepare('DELETE FROM worlds WHERE id = @id');
  const isNew = db.prepare('SELECT is_new FROM worlds WHERE id = @id').pluck();
  const setPort = db.prepare('UPDATE worlds SET port = @port WHERE id = @id');
  const nextEnd = db.prepare('SELECT min(ends_at) FROM worlds').pluck();
  const withKeys = (id: string, hashes: readonly string[]): void => {
    for (const hash of hashes) addKey.run({ hash, id });
  };
  const noteKeys = (id: string, hashes: readonly string[]): void => {
    forgetKeys.run({ id });
    withKeys(id, hashes);
  };
  const stored =
    <Args extends unknown[]>(act: (...args: Args) => unknown) =>
    (...args: Args): void => {
      act(...args);
      checkpoints.written();
    };
  return {
    problem,
    add: stored(
      db.transaction((world: IndexedWorld, at: number, keyHashes: readonly string[], isNew = true) => {
        add.run({ ...world, now: at, isNew: isNew ? 1 : 0 });
        withKeys(world.id, keyHashes);
      }),
    ),
    get: (id) => get.get({ id }) as FoundWorld | undefined,
    list: ({ prefix = '', after = '', limit }) => list.pluck().all({ prefix, after, limit }) as string[],
    count: (prefix = '') => count.get({ prefix }) as number,
    countOf: (owner) => countOf.get({ owner }) as number,
    isNew: (id) => isNew.get({ id }) === 1,
    noteOpening: stored((id: string) => noteOpening.run({ id })),
    closed: stored(
      db.transaction(({ keyHashes, ...world }: ClosedWorld) => {
        closed.run(world);
        noteKeys(world.id, keyHashes);
      }),
    ),
    noteKeys: stored(db.transaction(noteKeys)),
    describe: stored((id: string, facts: string) => describe.run({ id, facts })),
    setPort: stored((id: string, port: number) => setPort.run({ id, port })),
    remove: stored((id: string) => remove.run({ id })),
    ownerOfKey: (hash) => ownerOfKey.get({ hash }) as string | undefined,
    withPorts: () =>
      db.prepare('SELECT id, port FROM worlds WHERE port IS NOT NULL ORDER BY id').all() as {
        id: string;
        port: number;
      }[],
    dirs: () =>
      new Map(
        (db.prepare('SELECT dir, id, closing, is_new, blobs IS NULL AS open FROM worlds').all() as DirRow[]).map(
          ({ dir, id, closing, is_new, open }) => [dir, { id, closing, isNew: is_new === 1, wasOpen: open === 1 }],
        ),
      ),
    blobs: () =>
      db.prepare("SELECT id, blobs FROM worlds WHERE blobs IS NOT '[]'").all() as ReturnType<WorldIndex['blobs']>,
    ended: (at) =>
      db.prepare('SELECT id FROM worlds WHERE ends_at <= @at ORDER BY ends_at, id').pluck().all({ at }) as string[],
    nextEnd: () => (nextEnd.get() as number | null) ?? undefined,
    close() {
      checkpoints.cancel();
      db.close();
    },
  };
}
