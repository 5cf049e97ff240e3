// Snapshots from elsewhere: looked at before anything is asked of them, so that none keeps the emulator busy or harms it.

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkImage } from '../../../src/db/image-check.js';
import { openSqlite } from '../../../src/db/sqlite.js';
import type { PortableSnapshot } from '../../../src/tools/snapshots/schema.js';
import { createAgent } from '../../support/agents.js';
import { tempDir } from '../../support/command.js';
import { deploy, startEmulator, startWorld } from '../../support/emulator.js';

const endless = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n';

/** A snapshot whose database somebody has changed. */
function altered(snapshot: PortableSnapshot, sql: string): PortableSnapshot {
  const image = Buffer.from(snapshot.image, 'base64');
  const db = openSqlite(gunzipSync(image));
  db.unsafeMode();
  db.pragma('writable_schema = ON');
  db.exec(sql);
  return packed(snapshot, db.serialize());
}

function packed(snapshot: PortableSnapshot, image: Buffer): PortableSnapshot {
  return {
    ...snapshot,
    name: 'evil',
    sha256: createHash('sha256').update(image).digest('hex'),
    image: gzipSync(image).toString('base64'),
  };
}

const tricks: [what: string, sql: string, reason: RegExp][] = [
  [
    'meta is a view over an endless query',
    `DROP TABLE meta; CREATE VIEW meta AS SELECT 'seed' AS key, value FROM (${endless.replace('max(i)', 'max(i) AS value')});`,
    /a view "meta"/,
  ],
  [
    'a table is computed',
    `DROP TABLE meta; CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT AS (hex(zeroblob(100000000))))`,
    /a table "meta"/,
  ],
  [
    'a table checks',
    'DROP TABLE usdc_balances; CREATE TABLE usdc_balances (address TEXT CHECK (length(address) > 1))',
    /a table "usdc_balances"/,
  ],
  [
    'an index computes',
    'DROP INDEX effects_by_due; CREATE INDEX effects_by_due ON effects (hex(due_at))',
    /an? index "effects_by_due"/,
  ],
  ['a trigger', 'CREATE TRIGGER spoil AFTER INSERT ON meta BEGIN DELETE FROM counters; END', /a trigger "spoil"/],
  ['a virtual table', 'CREATE VIRTUAL TABLE found USING fts5 (words)', /a table "found/],
  [
    'a virtual table by the name of one of ours',
    'DROP TABLE usdc_balances; CREATE VIRTUAL TABLE usdc_balances USING fts5 (words)',
    /a table "usdc_balances/,
  ],
  ['a table that is none of ours', 'CREATE TABLE smuggled (x)', /a table "smuggled"/],
  ['another version', 'PRAGMA user_version = 99', /a newer cloudemu wrote it/],
  ['no version', 'PRAGMA user_version = 0', /holds no world/],
  ['a build from before the first release', 'PRAGMA application_id = 0', /from before its first release wrote it/],
  [
    'JSON is broken',
    `UPDATE deployments SET plan = '{"progression":' WHERE number = 1`,
    /deployments\.plan is no JSON object in the row container_seq 1, number 1$/,
  ],
  ['JSON is of another kind', "UPDATE agents SET bio = 'null'", /agents\.bio is no JSON array in the row seq 1$/],
  [
    'JSON in bytes is broken',
    `INSERT INTO registry_manifests (repository, digest, media_type, body, refers_to, bytes, pushed_at)
      VALUES ('r', 'sha256:1', '', x'7b00', '[]', 0, 0)`,
    /registry_manifests\.body is no JSON object in the row repository "r", digest "sha256:1"$/,
  ],
  [
    'an instant is a text',
    "UPDATE users SET created_at = 'abc'",
    /users\.created_at is not of its type in the row id /,
  ],
  ['an instant cannot be', 'UPDATE users SET created_at = 9e15', /users\.created_at is not of its type/],
  ['a number is too large', 'UPDATE organizations SET balance = 9e300', /organizations\.balance is not of its type/],
  [
    'a text is bytes',
    "UPDATE meta SET value = x'ff00' WHERE key = 'seed'",
    /meta\.value is not of its type in the row key "seed"$/,
  ],
  [
    'an effect is due for ever',
    "INSERT INTO effects VALUES ('a', 'b', -8e15)",
    /effects\.due_at is long before the time of its clock/,
  ],
  [
    'a window is full for ever',
    "INSERT INTO rate_windows VALUES ('a', 'b', 0, 1, 9007199254740991)",
    /rate_windows\.full_until is not of its type/,
  ],
  ['the clock is broken', "UPDATE meta SET value = '12' WHERE key = 'clock'", /meta\.value .* the key "clock"$/],
  ['no seed', "DELETE FROM meta WHERE key = 'seed'", /holds no world/],
];

describe('an import is refused where', () => {
  it.each(tricks)('%s', async (_, sql, reason) => {
    const world = await startWorld();
    const { controls } = world;
    await deploy(world);
    await createAgent(world);
    controls.snapshots.take({ name: 'good' });
    const document = altered(controls.snapshots.export('good'), sql);
    await expect(controls.snapshots.import(document)).rejects.toThrow(reason);
    expect(controls.snapshots.list().map(({ name }) => name)).toEqual(['good']);
  });
});

it.each([18, 19])('an import whose header says at byte %i that a later SQLite wrote it is refused', async (at) => {
  const { controls } = await startWorld();
  controls.snapshots.take({ name: 'good' });
  const document = controls.snapshots.export('good');
  const image = gunzipSync(Buffer.from(document.image, 'base64'));
  image[at] = 3;
  await expect(controls.snapshots.import(packed(document, image))).rejects.toThrow(/holds no world/);
});

it('a file in the snapshots folder is checked like an import before it is restored', async () => {
  const dataDir = tempDir();
  const emulator = await startEmulator({ dataDir });
  await deploy(emulator);
  emulator.controls.snapshots.take({ name: 'good' });
  const document = altered(emulator.controls.snapshots.export('good'), tricks[0]?.[1] ?? '');
  writeFileSync(`${dataDir}/snapshots/evil.snapshot.json`, JSON.stringify(document));
  await expect(emulator.controls.snapshots.restore('evil')).rejects.toThrow(/cannot be used: it has a view "meta"/);
  expect(emulator.controls.containers.list()).toHaveLength(1);
  await emulator.close();
  const again = await startEmulator({ dataDir });
  await again.controls.snapshots.restore('good');
  expect(again.controls.containers.list()).toHaveLength(1);
});

it.each([true, false])(
  'a snapshot with a bad clock is reported as damaged, not the world that it is put into (in memory: %s)',
  async (ephemeral) => {
    const { controls } = await startEmulator(ephemeral ? {} : { dataDir: tempDir() });
    controls.snapshots.take({ name: 'good' });
    const document = altered(controls.snapshots.export('good'), "UPDATE meta SET value = '{}' WHERE key = 'clock'");
    await controls.snapshots.import(document);
    await expect(controls.snapshots.restore('evil')).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('The snapshot "evil" cannot be used: it is damaged: the row "clock"'),
    });
    expect(controls.clock.get().now).toBe('2026-01-01T00:00:00.000Z');
  },
);

it('an import whose check takes too long is refused', async () => {
  const { controls } = await startWorld();
  controls.snapshots.take({ name: 'good' });
  const bytes = gunzipSync(Buffer.from(controls.snapshots.export('good').image, 'base64'));
  const image = { bytes, isChecked: false };
  expect(await checkImage(image, 0)).toMatch(/took longer than 0 s/);
  expect(await checkImage(image)).toBeUndefined();
});
