// Worlds in memory that were written longest ago rest: their connections are closed, and what they hold is kept as bytes until
// it is asked for again. Of 560 KB that a used world takes, its connection, statements and cached pages are most.

import type Database from 'better-sqlite3';
import { afterWall } from '../core/clock.js';
import { connect, migrate, type Session, sessionOn } from './connection.js';

/** A database in memory that can rest. */
export interface Sleeper {
  /** Closes its connection until it is next used, or keeps it for good if it holds too much; false: it is in use. */
  rest(): boolean;
}

/** The databases that have connections, and can rest. */
export interface Awake {
  add(sleeper: Sleeper): void;
  /** Notes that it is written: others rest before it. */
  used(sleeper: Sleeper): void;
  remove(sleeper: Sleeper): void;
}

// Others get their turn meanwhile: each takes 0.13 ms.
const mostAtOnce = 20;

/** @param most how many have one at most, if the others can rest */
export function createAwake(most: number): Awake {
  const awake = new Set<Sleeper>();
  let isDue = false;

  // After the request that has opened one too many.
  function trimSoon(): void {
    if (awake.size <= most || isDue) return;
    isDue = true;
    afterWall(0, trim);
  }
  function trim(): void {
    isDue = false;
    // Others may have closed meanwhile.
    let left = Math.max(0, Math.min(awake.size - most, mostAtOnce));
    // A copy: what writes before it rests moves to the end.
    for (const sleeper of [...awake]) {
      if (left === 0) break;
      if (!rests(sleeper)) continue;
      awake.delete(sleeper);
      left--;
    }
    // Those that are in use are asked again when the next one opens.
    if (left === 0) trimSoon();
  }
  return {
    add(sleeper) {
      awake.add(sleeper);
      trimSoon();
    },
    used(sleeper) {
      if (awake.delete(sleeper)) awake.add(sleeper);
    },
    remove: (sleeper) => void awake.delete(sleeper),
  };
}

// A world stays awake if nothing can be stored.
function rests(sleeper: Sleeper): boolean {
  try {
    return sleeper.rest();
  } catch {
    return false;
  }
}

// A copy of more takes longer than others should wait for.
const mostBytes = 1_000_000;

/**
 * Closes a connection to a database in memory.
 *
 * @param onWake gets the session to go on with
 * @returns a session that wakes on first use, if that is not to close it; undefined if there is too much to copy, and the
 *   connection stays
 */
export function asleep(connection: Database.Database, onWake: (session: Session) => void): Session | undefined {
  const pragma = (name: string): number => connection.pragma(name, { simple: true }) as number;
  if (pragma('page_count') * pragma('page_size') > mostBytes) return undefined;
  const image = connection.serialize();
  connection.close();
  let session: Session | undefined;
  let isClosed = false;
  const close = (): void => {
    isClosed = true;
  };
  return new Proxy({} as Session, {
    get(_, name: keyof Session) {
      if (name === 'close' && session === undefined) return close;
      if (isClosed) throw new TypeError('The database connection is not open');
      session ??= wake(image, onWake);
      return session[name];
    },
  });
}

function wake(image: Buffer, onWake: (session: Session) => void): Session {
  const connection = connect(image);
  migrate(connection, ':memory:');
  const session = sessionOn(connection);
  onWake(session);
  return session;
}
