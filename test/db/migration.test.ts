// A file of an older version becomes what a new one is, with its data.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDb } from '../../src/db/db.js';
import { nextEffectAt } from '../../src/db/effects.js';
import { migrations, schemaVersion } from '../../src/db/migrations.js';
import { schema } from '../../src/db/schema.js';
import { openSqlite } from '../../src/db/sqlite.js';
import { createUsage } from '../../src/db/usage.js';
import { createEmulator } from '../../src/index.js';
import { listContainerLines } from '../../src/modules/containers/lines-store.js';
import { findContainer } from '../../src/modules/containers/store.js';
import { replaceSignInKey } from '../../src/modules/wallets/store.js';
import { tempDir } from '../support/command.js';
import { openJournal } from '../support/raw-request.js';

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

function oldFile(version: number, name: string): string {
  const file = join(dir, name);
  const db = openSqlite(file);
  db.pragma('journal_mode = WAL');
  db.exec(readFileSync(new URL(`../support/schemas/v${version}.sql`, import.meta.url), 'utf8'));
  db.pragma(`user_version = ${version}`);
  const clock = {
    anchorVirtual: 1_767_225_600_000,
    anchorWall: 1_767_225_600_000,
    speed: 0,
    skewMs: 0,
    floor: 1_767_225_600_000,
  };
  db.prepare('INSERT INTO meta VALUES (?, ?), (?, ?)').run('seed', 'old', 'clock', JSON.stringify(clock));
  db.close();
  return file;
}

// The first run with a new version writes its file, to be committed; the next version is migrated from it.
it('the tables of this version are kept in a file', async () => {
  const changed = 'the tables have changed: add a step to `migrations` in src/db/migrations.ts, and run this again';
  await expect(schema, changed).toMatchFileSnapshot(`../support/schemas/v${schemaVersion}.sql`);
});

describe('a file of version', () => {
  it.each(migrations.map((_, index) => index + 1))('%i has the form of a new one once it was opened', (version) => {
    const fresh = join(dir, `fresh-${version}.db`);
    openDb(fresh).close();
    const old = oldFile(version, `old-${version}.db`);
    openDb(old).close();
    expect(formOf(old)).toEqual(formOf(fresh));
    expect(openSqlite(old, { readonly: true }).pragma('user_version', { simple: true })).toBe(schemaVersion);
  });

  it('1 goes on in the numbers of its requests', () => {
    const file = oldFile(1, 'numbers.db');
    const db = openSqlite(file);
    db.prepare('INSERT INTO journal VALUES (?, ?)').run(41, '[]');
    db.close();
    const opened = openDb(file);
    const journal = openJournal(opened);
    expect([createUsage(opened, null).nextRequest(), journal.last(), journal.records()]).toEqual([42, 41, []]);
  });

  it('6 keeps the requests in its containers’ logs', () => {
    const file = oldFile(6, 'lines.db');
    const db = openSqlite(file);
    db.pragma('foreign_keys = OFF');
    db.exec(
      `INSERT INTO containers (seq, id, organization_id, user_id, name, project_name, slug, created_at)
       VALUES (1, 'c', 'o', 'u', 'web', 'web', 'web', 0)`,
    );
    const insert = db.prepare('INSERT INTO container_requests VALUES (1, ?, 5, 7, ?, ?, ?, ?)');
    insert.run(1, 'GET', '/a', 200, 3);
    insert.run(2, 'POST', '/50%', 404, 4);
    insert.run(3, 'GET', '/b', 503, 5);
    db.close();
    expect(listContainerLines(openDb(file), 1, { from: 0, until: 9, tail: 9 })).toEqual([
      { seq: 1, at: 5, place: 7, level: 'info', message: 'GET /a 200 3ms' },
      { seq: 2, at: 5, place: 7, level: 'warn', message: 'POST /50% 404 4ms' },
      { seq: 3, at: 5, place: 7, level: 'error', message: 'GET /b 503 5ms' },
    ]);
  });

  it('7 remembers the key of a wallet’s last sign-in', () => {
    const file = oldFile(7, 'sign-ins.db');
    const db = openSqlite(file);
    db.exec(`
      INSERT INTO organizations (id, name, slug, plan, balance, created_at) VALUES ('o', 'o', 'o', 'free', 0, 0);
      INSERT INTO users (id, organization_id, name, role, wallet_address, created_at, updated_at)
        VALUES ('wallet', 'o', 'w', 'owner', '0x1', 0, 0), ('other', 'o', 'o', 'owner', NULL, 0, 0);
    `);
    const insert = db.prepare(`INSERT INTO api_keys (id, seq, organization_id, user_id, name, environment, hash, prefix,
      rate_limit, is_active, usage_count, created_at, updated_at)
      VALUES (@id, @seq, 'o', @user, @name, 'test', @id, 'ek_test_', 1000, @active, 0, 0, 0)`);
    const name = 'SIWE sign-in';
    insert.run({ id: 'ended', seq: 1, user: 'wallet', name, active: 0 });
    insert.run({ id: 'last', seq: 2, user: 'wallet', name, active: 1 });
    insert.run({ id: 'own', seq: 3, user: 'wallet', name: 'Laptop', active: 1 });
    insert.run({ id: 'no wallet', seq: 4, user: 'other', name, active: 1 });
    db.close();
    const opened = openDb(file);
    expect(['wallet', 'other'].map((user) => replaceSignInKey(opened, user, 'new'))).toEqual(['last', undefined]);
  });

  it('9 keeps the interventions on its deployments', () => {
    const file = oldFile(9, 'interventions.db');
    const db = openSqlite(file);
    db.pragma('foreign_keys = OFF');
    db.exec(
      `INSERT INTO containers (seq, id, organization_id, user_id, name, project_name, slug, created_at)
       VALUES (1, 'c', 'o', 'u', 'web', 'web', 'web', 0)`,
    );
    const interventions = [
      { at: 5_000, turn: 2, kind: 'crash', exitCode: 7 },
      { at: 5_000, turn: 3, kind: 'recover' },
    ];
    const insert = db.prepare(`INSERT INTO deployments
      (container_seq, number, id, kind, spec, plan, cost, started_at, acts, reads, turn)
      VALUES (1, @number, 'd' || @number, 'create', '{}', @plan, 0, 0, @acts, 0, @number)`);
    const times = { pending: 1, building: 1, deploying: 1, running: 1, limit: 9 };
    const plan = JSON.stringify({ progression: 'clock', readsPerStage: 1, times, mode: null, failure: null });
    insert.run({ number: 1, plan, acts: JSON.stringify(interventions) });
    insert.run({ number: 2, plan, acts: '[]' });
    db.close();
    const [first, second] = findContainer(openDb(file), 'c')?.deployments ?? [];
    expect([first?.interventions, second?.interventions]).toEqual([interventions, []]);
    expect(first?.timeline?.map(({ phase }) => phase.status)).toEqual([
      ...['pending', 'building', 'deploying', 'running', 'failed', 'running'],
    ]);
  });

  it('1 is billed from its next midnight on', () => {
    expect(nextEffectAt(openDb(oldFile(1, 'midnight.db')))).toBe(Date.parse('2026-01-02T00:00:00Z'));
  });

  it('1 goes on with its seed and clock, and can be reset', async () => {
    oldFile(1, 'world.db');
    const emulator = await createEmulator({ dataDir: dir });
    expect(emulator.controls.clock.get()).toMatchObject({ now: '2026-01-01T00:00:00.000Z', frozen: true });
    await emulator.controls.clock.advance('1h');
    await emulator.controls.reset();
    expect(emulator.controls.clock.get().now).toBe('2026-01-01T00:00:00.000Z');
    await emulator.close();
  });
});
