import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { connect } from '../../src/db/connection.js';
import { type Db, openDb } from '../../src/db/db.js';
import { imageOf, replaceContent, type WorldImage } from '../../src/db/image.js';
import { readMeta, writeMeta } from '../../src/db/meta.js';
import { sampleOf } from '../support/campaign.js';
import { tempDir } from '../support/command.js';

const opened: Db[] = [];
let files = 0;

afterEach(() => {
  for (const db of opened.splice(0)) db.close();
});

function open(where: string): Db {
  const db = openDb(where === 'memory' ? ':memory:' : join(tempDir(), `${files++}.db`));
  opened.push(db);
  return db;
}

const takeImage = (db: Db): WorldImage => imageOf(db);

const journalOf = (db: Db): string[] =>
  db.all<{ records: string }>('SELECT records FROM journal ORDER BY last_seq').map(({ records }) => records);

const addJournal = (db: Db, seq: number, records: string): number =>
  db.run('INSERT INTO journal (last_seq, count, records) VALUES (@seq, 1, @records)', { seq, records });

/** An image with something done to it by hand. */
function altered(image: WorldImage, sql: string): WorldImage {
  const hand = connect(image.bytes);
  hand.unsafeMode();
  hand.exec(sql);
  const bytes = hand.serialize();
  hand.close();
  return { bytes, isChecked: false };
}

const places = [
  ['memory', 'memory'],
  ['memory', 'a file'],
  ['a file', 'memory'],
  ['a file', 'a file'],
];

describe.each(sampleOf(places, 2))('an image of %s put back into %s', (from, into) => {
  it('replaces the data but not the journal', () => {
    const one = open(from);
    writeMeta(one, 'seed', 'one');
    addJournal(one, 1, '["of the image"]');
    const image = takeImage(one);
    const two = open(into);
    writeMeta(two, 'seed', 'two');
    writeMeta(two, 'other', 'gone');
    addJournal(two, 7, '["its own, with ä and 🚀"]');
    for (let round = 0; round < 3; round++) {
      replaceContent(two, image, () => writeMeta(two, 'also', `round ${round}`));
      expect(['seed', 'other', 'also'].map((key) => readMeta(two, key))).toEqual(['one', undefined, `round ${round}`]);
      expect(journalOf(two)).toEqual(['["its own, with ä and 🚀"]']);
      writeMeta(two, 'seed', 'changed');
    }
  });

  it('leaves all as it was when something fails', async () => {
    const one = open(from);
    const image = takeImage(one);
    const two = open(into);
    writeMeta(two, 'seed', 'two');
    addJournal(two, 7, '["its own"]');
    const fail = (): never => {
      writeMeta(two, 'seed', 'half');
      throw new Error('on purpose');
    };
    expect(() => replaceContent(two, image, fail)).toThrow('on purpose');
    expect(readMeta(two, 'seed')).toBe('two');
    expect(journalOf(two)).toEqual(['["its own"]']);
    await two.group(() => writeMeta(two, 'later', 'works'));
    expect(readMeta(two, 'later')).toBe('works');
  });

  it('brings its rows only: tables, indexes and triggers stay as they are here', () => {
    const one = open(from);
    writeMeta(one, 'seed', 'one');
    const image = altered(
      takeImage(one),
      `CREATE TABLE smuggled (x); DROP INDEX effects_by_due;
       CREATE TRIGGER spoil AFTER INSERT ON meta BEGIN DELETE FROM counters; END;`,
    );
    const two = open(into);
    replaceContent(two, image, () => {});
    expect(readMeta(two, 'seed')).toBe('one');
    const names = two.all<{ name: string }>('SELECT name FROM sqlite_schema').map(({ name }) => name);
    expect(names).toContain('effects_by_due');
    expect(names).not.toContain('smuggled');
    expect(names).not.toContain('spoil');
  });

  it('is refused with rows that point at nothing', () => {
    const image = altered(
      takeImage(open(from)),
      `PRAGMA foreign_keys = OFF; INSERT INTO users (id, organization_id, name, role, created_at, updated_at)
       VALUES ('u', 'nobody', 'n', 'owner', 0, 0)`,
    );
    refused(image);
  });

  it('is refused with a page that is overwritten', () => {
    const one = open(from);
    writeMeta(one, 'seed', 'one');
    const bytes = Buffer.from(takeImage(one).bytes);
    const page = one.get<{ rootpage: number }>("SELECT rootpage FROM sqlite_schema WHERE name = 'meta'")?.rootpage ?? 0;
    const size = bytes.readUInt16BE(16);
    bytes.fill(0xee, (page - 1) * size, page * size);
    refused({ bytes, isChecked: false });
  });

  function refused(image: WorldImage): void {
    const two = open(into);
    writeMeta(two, 'seed', 'two');
    expect(() => replaceContent(two, image, () => {})).toThrow();
    expect(readMeta(two, 'seed')).toBe('two');
  }
});

describe.each(sampleOf(['memory', 'a file', 'a file of one process'], 3))('an image of much data in %s', (where) => {
  it('is as of its making, and holds nothing of the journal', () => {
    const one = where.endsWith('process') ? openDb(join(tempDir(), `${files++}.db`), { exclusive: true }) : open(where);
    if (!opened.includes(one)) opened.push(one);
    const value = 'x'.repeat(1_000);
    for (let row = 0; row < 1_500; row++) writeMeta(one, `row ${row}`, value);
    addJournal(one, 1, '["of the journal"]');
    const image = imageOf(one);
    writeMeta(one, 'later', 'written later');
    expect(image.bytes.includes('of the journal')).toBe(false);
    for (const into of ['memory', 'a file']) {
      const two = open(into);
      replaceContent(two, image, () => {});
      expect([readMeta(two, 'row 1499'), readMeta(two, 'later')]).toEqual([value, undefined]);
    }
    expect(readMeta(one, 'later')).toBe('written later');
    expect(journalOf(one)).toEqual(['["of the journal"]']);
    expect(() => one.run("INSERT INTO ai_items (id, response_seq) VALUES ('i', 7)")).toThrow('FOREIGN KEY');
  });
});

it('taking an image of a file leaves the file’s locks as they are', () => {
  const file = join(tempDir(), 'locked.db');
  const one = openDb(file);
  opened.push(one);
  for (let row = 0; row < 1_500; row++) writeMeta(one, `row ${row}`, 'x'.repeat(1_000));
  imageOf(one);
  // Another process that is the last to close a database takes its log away.
  const name = Number.parseInt(process.versions.node, 10) < 22 ? 'better-sqlite3-node20' : 'better-sqlite3';
  const look = `const db = new (require('${name}'))(process.argv[1]); db.pragma('user_version'); db.close();`;
  execFileSync(process.execPath, ['-e', look, file]);
  expect(existsSync(`${file}-wal`)).toBe(true);
});

describe('an image put back where it was put back before', () => {
  const organization = { id: 'o', name: 'O', slug: 'o', plan: 'free', balance: 1, created_at: 1 };
  const addOrganization = (db: Db, values = organization): number =>
    db.run(
      `INSERT INTO organizations (id, name, slug, plan, balance, created_at)
        VALUES (@id, @name, @slug, @plan, @balance, @created_at)`,
      values,
    );
  const addUser = (db: Db): number =>
    db.run(
      `INSERT INTO users (id, organization_id, name, role, created_at, updated_at) VALUES ('u', 'o', 'U', 'owner', 1, 1)`,
    );
  const stateOf = (db: Db): unknown[] =>
    ['meta', 'organizations', 'users', 'counters'].map((table) => db.all(`SELECT * FROM ${table}`));

  function filled(): { db: Db; image: WorldImage; state: unknown[] } {
    const db = open('a file');
    writeMeta(db, 'seed', 'one');
    addOrganization(db);
    addUser(db);
    return { db, image: takeImage(db), state: stateOf(db) };
  }
  const nothing = (): void => {};

  it.each<[string, (db: Db) => void]>([
    ['is written', (db) => addOrganization(db, { ...organization, id: 'p', slug: 'p' })],
    ['is emptied, and takes others along', (db) => db.run('DELETE FROM organizations')],
    [
      'is written by `also`',
      (db) => replaceContent(db, takeImage(open('a file')), () => writeMeta(db, 'seed', 'other')),
    ],
    [
      'is written in a transaction that is undone',
      (db) => {
        const undone = (): never => {
          addOrganization(db, { ...organization, id: 'p', slug: 'p' });
          throw new Error('on purpose');
        };
        expect(() => db.transaction(undone)).toThrow('on purpose');
      },
    ],
    [
      'is written by another process',
      (db) => {
        const other = connect(db.exclusive(({ name }) => name));
        other.exec("UPDATE organizations SET name = 'Another'");
        other.close();
      },
    ],
    [
      'is written, and another image is put back in vain',
      (db) => {
        db.run("UPDATE organizations SET name = 'Another'");
        const fail = (): never => {
          throw new Error('on purpose');
        };
        expect(() => replaceContent(db, takeImage(open('a file')), fail)).toThrow('on purpose');
      },
    ],
  ])('brings back all when a table %s', (_, change) => {
    const { db, image, state } = filled();
    for (let round = 0; round < 2; round++) {
      change(db);
      replaceContent(db, image, nothing);
      expect(stateOf(db)).toEqual(state);
    }
  });

  it('brings back all in memory, too, when an image of other tables comes again after one of ours', () => {
    const { image, state } = filled();
    const other = connect(image.bytes);
    other.exec('ALTER TABLE users ADD COLUMN former');
    const old = { bytes: other.serialize(), isChecked: false };
    other.close();
    const db = openDb(':memory:');
    const own = takeImage(db);
    for (const next of [old, own, old]) replaceContent(db, next, nothing);
    expect(stateOf(db)).toEqual(state);
    db.close();
  });
});

it('an image has no room for the records of the past, however many there are', () => {
  const db = openDb(':memory:');
  const records = JSON.stringify('x'.repeat(100_000));
  for (let n = 1; n <= 30; n++)
    db.run('INSERT INTO journal (last_seq, count, records) VALUES (@n, 1, @records)', { n, records });
  expect(imageOf(db).bytes.length).toBeLessThan(1_000_000);
  db.close();
});
