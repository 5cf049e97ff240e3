// Lists of worlds whose files come from different moments: what a killed process left, mixed by who copies them.

import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../../src/db/sqlite.js';
import { openWorldIndex } from '../../src/db/world-index.js';
import { isFull } from '../support/campaign.js';
import { tempDir } from '../support/command.js';
import { numbersOf } from '../support/draws.js';
import { testSeed } from '../support/seed.js';

const list = 'index.db';
const log = 'index.db-wal';

function copy(from: string, to: string, ...names: string[]): void {
  for (const name of names) if (existsSync(join(from, name))) cpSync(join(from, name), join(to, name));
}

const world = (id: string, text: string) => ({
  ...{ id, dir: `${id}.12345678`, facts: text, owner: '', ttl: 1_000, port: null, blobs: '[]', closing: null },
});

/** Lists worlds, notes their ends and removes them; the files as a kill leaves them, every few steps. */
function momentsOf(seed: number): string[] {
  const draw = numbersOf(seed);
  const dir = tempDir();
  const index = openWorldIndex(join(dir, list), 0);
  const other = openSqlite(join(dir, list));
  const there: string[] = [];
  const moments: string[] = [];
  for (let step = 0; step < 160; step++) {
    const id = `world-${draw(1_000)}-${step}`;
    const which = draw(there.length);
    if (draw(3) > 0 || there.length === 0) there.push(id);
    if (there.includes(id)) index.add(world(id, 'x'.repeat(draw(900))), step, [`key-of-${id}`, `other-of-${id}`]);
    else if (draw(2) === 0) index.noteOpening(there[which] ?? '');
    else index.remove(there.splice(which, 1)[0] ?? '');
    if (draw(20) === 0) other.pragma('wal_checkpoint(PASSIVE)');
    if (step % 8 > 0) continue;
    const moment = tempDir();
    copy(dir, moment, list, log);
    moments.push(moment);
  }
  other.close();
  index.close();
  return moments;
}

/** Does everything to every world that the list names. */
function useWhole(dir: string): void {
  const index = openWorldIndex(join(dir, list), 10_000);
  try {
    for (const [name, { id }] of index.dirs()) {
      const row = index.get(id);
      expect(row?.dir).toBe(name);
      index.noteOpening(id);
      index.closed({ id, facts: '{}', blobs: '[]', closing: '1', now: 20_000, keyHashes: [`key-of-${id}`] });
      expect(index.ownerOfKey(`key-of-${id}`)).toBe(id);
    }
    const ids = index.list({ limit: 1_000 });
    expect(index.count()).toBe(ids.length);
    for (const id of index.ended(1_000_000)) index.remove(id);
    for (const id of ids) index.add(world(id, 'again'), 30_000, [`key-of-${id}`]);
    for (const id of ids) index.remove(id);
    expect([index.count(), index.nextEnd()]).toEqual([0, undefined]);
  } finally {
    index.close();
  }
}

it('the list of worlds is used whole where it is older than the log beside it, or set aside', () => {
  // A history in which a check that leaves the indexes out finds some damaged ones whole.
  const moments = momentsOf(testSeed + 2).slice(0, isFull ? 12 : 6);
  let aside = 0;
  for (const [older, from] of moments.entries()) {
    for (const newer of [undefined, ...moments.slice(older + 1)]) {
      const dir = tempDir();
      copy(from, dir, list);
      if (newer !== undefined) copy(newer, dir, log);
      useWhole(dir);
      if (existsSync(join(dir, `${list}.damaged`))) aside++;
    }
  }
  expect(aside).toBeGreaterThan(0);
});
