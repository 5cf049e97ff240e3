// A file of an older version becomes what a new one is, with its data; one from before the first release is refused.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { openDb } from '../../src/db/db.js';
import { imageProblem } from '../../src/db/image-structure.js';
import { applicationId, formatMark, migrations, schemaVersion } from '../../src/db/migrations.js';
import { schema } from '../../src/db/schema.js';
import { openSqlite } from '../../src/db/sqlite.js';
import { createEmulator } from '../../src/index.js';
import { tempDir } from '../support/command.js';

const dir = tempDir();

/** Tables with their columns, and indexes, whatever their order. */
function formOf(file: string): Record<string, string[]> {
  const db = openSqlite(file, { readonly: true });
  const names = db.prepare("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name").pluck().all();
  const columns = (name: string) =>
    (db.pragma(`table_info(${name})`) as any[]).map((c) => `${c.name} ${c.type} ${c.notnull}`);
  const form = Object.fromEntries((names as string[]).map((name) => [name, columns(name).sort()]));
  db.close();
  return form;
}

/** A file of a version, with a seed and a frozen clock. */
function fileOf(version: number, name: string, mark = `PRAGMA application_id = ${applicationId}`): string {
  const file = join(dir, name);
  const db = openSqlite(file);
  db.pragma('journal_mode = WAL');
  db.exec(readFileSync(new URL(`../support/schemas/v${version}.sql`, import.meta.url), 'utf8'));
  db.exec(`${mark}; PRAGMA user_version = ${version}`);
  const floor = Date.parse('2026-01-01T00:00:00Z');
  const clock = { anchorVirtual: floor, anchorWall: floor, speed: 0, skewMs: 0, floor };
  db.prepare('INSERT INTO meta VALUES (?, ?), (?, ?)').run('seed', 'old', 'clock', JSON.stringify(clock));
  db.close();
  return file;
}

const versionOf = (file: string): unknown =>
  openSqlite(file, { readonly: true }).pragma('user_version', { simple: true });

// The first run with a new version writes its file, to be committed; the next version is migrated from it.
it('the tables of this version are kept in a file', async () => {
  const changed = 'the tables have changed: add a step to `migrations` in src/db/migrations.ts, and run this again';
  await expect(schema, changed).toMatchFileSnapshot(`../support/schemas/v${schemaVersion}.sql`);
});

describe('a file of version', () => {
  it.each([...migrations.keys(), migrations.length].map((index) => index + 1))(
    '%i has the form of a new one once it was opened',
    (version) => {
      const fresh = join(dir, `fresh-${version}.db`);
      openDb(fresh).close();
      const old = fileOf(version, `old-${version}.db`);
      openDb(old).close();
      expect(formOf(old)).toEqual(formOf(fresh));
      expect(versionOf(old)).toBe(schemaVersion);
    },
  );

  // Of version 2 only a table is missing, which holds nothing of a snapshot; version 4 has all tables, and stricter ones.
  it.each([...migrations.keys()].map((index) => index + 1).filter((version) => version !== 2 && version !== 4))(
    '%i may be a snapshot, but not with the mark of a later one',
    (version) => {
      const file = fileOf(version, `image-${version}.db`);
      const bytes = (): Buffer => {
        const db = openSqlite(file);
        db.pragma('wal_checkpoint(TRUNCATE)');
        db.close();
        return readFileSync(file);
      };
      expect(imageProblem(bytes())).toBeUndefined();
      const db = openSqlite(file);
      db.pragma(`user_version = ${schemaVersion}`);
      db.close();
      // One has something that later ones have not, or lacks tables of theirs.
      expect(imageProblem(bytes())).toMatch(/that cloudemu does not have|no world that this cloudemu can read/);
    },
  );

  it('4 keeps its containers with their deployments, and may then have two of one project', () => {
    const file = fileOf(4, 'containers.db');
    const container = (
      seq: number,
    ) => `INSERT INTO containers (seq, id, organization_id, user_id, name, project_name, slug,
      created_at, graces) VALUES (${seq}, 'c${seq}', 'o', 'u', 'web', 'web', 'o-web-${seq}', 0, '[]')`;
    const before = openSqlite(file);
    before.exec(`${container(1)}; INSERT INTO deployments (container_seq, number, id, kind, spec, plan, cost, started_at, reads)
      VALUES (1, 1, 'd', 'create', '{}', '{}', 0, 0, 0)`);
    before.close();
    const db = openDb(file);
    expect(db.get('SELECT id, slug, graces FROM containers')).toEqual({ id: 'c1', slug: 'o-web-1', graces: '[]' });
    expect(db.all('SELECT id FROM deployments')).toEqual([{ id: 'd' }]);
    db.run(container(2));
    db.run('DELETE FROM containers WHERE seq = 1');
    expect(db.all('SELECT id FROM deployments')).toEqual([]);
    db.close();
    // A snapshot of it may be imported elsewhere.
    const after = openSqlite(file);
    after.pragma('wal_checkpoint(TRUNCATE)');
    after.close();
    expect(imageProblem(readFileSync(file))).toBeUndefined();
  });

  it('1 goes on with its seed and clock', async () => {
    fileOf(1, 'world.db');
    const emulator = await createEmulator({ dataDir: dir });
    expect(emulator.controls.clock.get()).toMatchObject({ now: '2026-01-01T00:00:00.000Z', frozen: true });
    await emulator.close();
    const kept = openSqlite(join(dir, 'world.db'), { readonly: true });
    expect(kept.prepare("SELECT value FROM meta WHERE key = 'seed'").pluck().get()).toBe('old');
  });
});

describe('a step', () => {
  const step = `ALTER TABLE users ADD COLUMN note TEXT NOT NULL DEFAULT 'none';`;
  afterAll(() => void vi.doUnmock('../../src/db/migrations.js'));

  it('changes the tables of an older file, keeps its rows, and makes tables that it does not have', async () => {
    const file = fileOf(schemaVersion, 'step.db');
    const before = openSqlite(file);
    before.exec(`INSERT INTO organizations (id, name, slug, plan, balance, created_at) VALUES ('o', 'o', 'o', 'free', 7, 0);
      INSERT INTO users (id, organization_id, name, role, created_at, updated_at) VALUES ('u', 'o', 'u', 'owner', 0, 0);
      DROP TABLE usdc_balances`);
    before.close();
    vi.resetModules();
    vi.doMock('../../src/db/migrations.js', () => ({
      applicationId,
      migrations: [...migrations, step],
      schemaVersion: schemaVersion + 1,
      formatMark: () => formatMark().replace(/\d+;$/, `${schemaVersion + 1};`),
    }));
    const { openConnection } = await import('../../src/db/connection.js');
    openConnection(file).close();
    const after = openSqlite(file, { readonly: true });
    expect(after.prepare('SELECT id, note FROM users').all()).toEqual([{ id: 'u', note: 'none' }]);
    expect(after.prepare('SELECT balance FROM organizations').pluck().all()).toEqual([7]);
    expect(after.prepare('SELECT count(*) FROM usdc_balances').pluck().get()).toBe(0);
    expect(versionOf(file)).toBe(schemaVersion + 1);
    vi.doUnmock('../../src/db/migrations.js');
    vi.resetModules();
  });
});

describe('a file that cannot be read', () => {
  it.each([1, 5, 10])('says that it is from before the first release, in its version %i', async (version) => {
    const file = fileOf(1, `unreleased-${version}.db`, 'PRAGMA application_id = 0');
    const db = openSqlite(file);
    db.pragma(`user_version = ${version}`);
    db.close();
    expect(() => openDb(file)).toThrow(
      `${file} was written by a build of cloudemu from before its first release, which cannot be read. Use another --data-dir, or delete this one.`,
    );
    expect(versionOf(file)).toBe(version);
  });

  it('says that a newer cloudemu wrote it', () => {
    const file = fileOf(1, 'newer.db');
    const db = openSqlite(file);
    db.pragma(`user_version = ${schemaVersion + 1}`);
    db.close();
    expect(() => openDb(file)).toThrow(
      `was written by a newer cloudemu (format ${schemaVersion + 1}, this one knows ${schemaVersion})`,
    );
  });
});
