// The worlds of failed tests: they stay for a while, so that a person can open them.

import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { worldIds } from '../config/names.js';
import { afterWall } from '../core/clock.js';
import { whyUnwritten } from '../core/files.js';
import { makeDataDir, markFile, ownDirectory } from '../core/own-directory.js';
import { makeDirectory, privateDir, writePrivately } from '../core/private-files.js';
import { inRoot } from '../core/root.js';
import { withoutWal } from '../db/wal-header.js';
import { journalOf } from '../tools/journal/journal.js';
import type { Hosting, Kept } from '../tools/worlds/hosting.js';
import { endless } from '../world/made-world.js';
import type { World } from '../world/world.js';
import type { Worlds } from '../world/worlds.js';
import type { ListedWorlds } from './stored-worlds.js';

/**
 * How an emulator keeps the world of a failed test: in the emulator, where that goes on after the tests; in a file, where it
 * ends with them; or not at all.
 */
export type Keeping = 'worlds' | 'files' | 'nothing';

interface KeptWorldsOptions {
  keeping: Keeping;
  /** The data directory, of an emulator that has one. */
  dataDir: string | undefined;
  worlds: Worlds;
  stored: ListedWorlds;
}

const most = 20;
const hour = 3_600_000;

/** Worlds of failed tests. */
export interface KeptWorlds extends Pick<Hosting, 'keep' | 'giveWay'> {
  forget(id: string): void;
}

/** No world is kept yet. */
export function createKeptWorlds({
  keeping,
  dataDir = inRoot('.cloudemu'),
  worlds,
  stored,
}: KeptWorldsOptions): KeptWorlds {
  // The oldest first.
  const staying = new Map<string, { owner: string; forget: () => void }>();
  function forget(id: string): void {
    staying.get(id)?.forget();
    staying.delete(id);
  }
  function stay({ id }: World, owner: string): void {
    forget(id);
    // As if it were used, so that no shorter time without a request ends it.
    const release = worlds.use(id);
    const cancel = afterWall(hour, () => worlds.drop(id));
    staying.set(id, {
      owner,
      forget() {
        cancel();
        release();
      },
    });
    const ofOwner = [...staying].filter(([, one]) => one.owner === owner).map(([one]) => one);
    for (const oldest of ofOwner.slice(0, -most)) worlds.drop(oldest);
  }
  return {
    keep(world) {
      if (keeping === 'nothing') return { as: null, why: 'an exploration makes tests fail on purpose' };
      const { owner = '', ttl = endless } = stored.read(world.id) ?? {};
      // Not even without requests: the default world, and those of directories.
      const isForGood = world.id === 'default' || ttl === endless;
      if (keeping === 'worlds' && isForGood) return { as: 'world', isForGood, dataDir: null };
      const file = saved(world, dataDir);
      if (keeping === 'files') return file;
      stay(world, owner);
      // Runners of tests start an emulator for a session, too, and end it.
      return { as: 'world', dataDir: file.as === 'file' ? file.dataDir : null };
    },
    giveWay(id) {
      const isKept = staying.has(id);
      if (isKept) worlds.drop(id);
      return isKept;
    },
    forget,
  };
}

function saved(world: World, parent: string): Kept {
  const all = join(parent, 'failed');
  const dataDir = join(all, world.id);
  try {
    makeDataDir(parent);
    ownDirectory(all, worldIds);
    // The tests may run anew, and what they leave belongs to them.
    rmSync(dataDir, { recursive: true, force: true });
    makeDirectory(dataDir, privateDir);
    journalOf(world).flush();
    world.flush(() => world.remembered.history?.write());
    const whole = world.db.exclusive((connection) => connection.serialize());
    writePrivately(join(dataDir, 'world.db'), withoutWal(whole));
    for (const old of namesByAge(all).slice(0, -most)) rmSync(join(all, old), { recursive: true, force: true });
  } catch (error) {
    return { as: null, why: `${dataDir} ${whyUnwritten(error)}` };
  }
  return { as: 'file', dataDir: relative(process.cwd(), dataDir) };
}

/** Removes a world that was kept in a file. */
export function forgetKept(dataDir: string): void {
  ownDirectory(dirname(resolve(dataDir)), worldIds);
  rmSync(dataDir, { recursive: true, force: true });
}

// Another process may remove some meanwhile.
function namesByAge(directory: string): string[] {
  const names = readdirSync(directory).filter((name) => name !== markFile);
  const ages = names.map((name) => ({
    name,
    at: lstatSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  return ages.sort((a, b) => a.at - b.at).map(({ name }) => name);
}
