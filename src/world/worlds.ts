// The worlds of one process, by id: the default one, and those beside it, which are open only while they are in use.

import { afterWall } from '../core/clock.js';
import { ApiError } from '../core/errors.js';
import { nearest } from '../core/nearest.js';
import { elapsed } from '../core/real-time.js';
import type { StoredWorlds } from './stored.js';
import type { World } from './world.js';

interface Page {
  prefix?: string | undefined;
  after?: string | undefined;
  limit?: number | undefined;
}

interface Entry {
  world: World;
  ttl: number;
  usedAt: number;
  /** By how many it is in use now. */
  users: number;
}

const idleMs = ({ users, usedAt }: Entry): number => (users > 0 ? 0 : Math.round(elapsed() - usedAt));

// A timer of Node waits no longer: some 24 days.
const longestTimer = 2 ** 31 - 1;

// Each takes about a millisecond.
const mostClosedAtOnce = 20;

export interface WorldsOptions {
  /** Opens the default world, when it is first asked for. */
  openDefault: () => World;
  /** The worlds beside it. */
  stored: StoredWorlds;
  /** Hears of a world that has just been dropped. */
  onDrop?: (id: string) => void;
  /** Hears of one that will be, while it can be asked. */
  onEnd?: (id: string) => void;
  /**
   * More worlds than this, the default one aside, are closed again where they are idle: those in use or busy stay open, and
   * those that would take long.
   */
  mostOpen?: number;
  /** Whether an unknown id is answered with the nearest one. */
  suggests?: boolean;
}

/** A collection of worlds: none is open at first. */
export class Worlds {
  private first: World | undefined;
  /** The open ones beside the default one; the first of them is the one that was asked for longest ago. */
  private readonly entries = new Map<string, Entry>();
  private cancelSweep: (() => void) | undefined;
  private cancelTrim: (() => void) | undefined;
  private closed = false;

  constructor(private readonly options: WorldsOptions) {}

  /** @throws ApiError NOT_FOUND naming the nearest world */
  get(id: string): World {
    const world = this.find(id);
    if (world !== undefined) return world;
    this.requireOpen();
    throw this.unknown(id);
  }

  find(id: string): World | undefined {
    if (this.closed) return undefined;
    if (id === 'default') {
      this.first ??= this.options.openDefault();
      return this.first;
    }
    const known = this.entries.get(id);
    const entry = known ?? this.openEntry(id);
    if (entry === undefined) return undefined;
    this.entries.delete(id);
    this.entries.set(id, entry);
    entry.usedAt = elapsed();
    if (known === undefined) this.trimSoon();
    return entry.world;
  }

  private openEntry(id: string): Entry | undefined {
    const { stored } = this.options;
    const ttl = stored.index.get(id)?.ttl;
    return ttl === undefined ? undefined : { world: stored.open(id), ttl, usedAt: 0, users: 0 };
  }

  // After the request that has opened one too many: closing takes as long as opening.
  private trimSoon(): void {
    const { mostOpen = Infinity, stored } = this.options;
    if (this.entries.size <= mostOpen) return;
    this.cancelTrim ??= afterWall(0, () => {
      this.cancelTrim = undefined;
      // Others get their turn meanwhile.
      const surplus = Math.min(this.entries.size - mostOpen, mostClosedAtOnce);
      let left = surplus;
      for (const [id, entry] of this.entries) {
        const { world, users } = entry;
        if (left <= 0) break;
        if (users > 0 || world.isBusy() || !stored.closesSoon(world)) continue;
        this.entries.delete(id);
        left--;
        stored.close(world, idleMs(entry));
      }
      if (left < surplus) this.trimSoon();
    });
  }

  /** @throws ApiError SERVICE_UNAVAILABLE when the world that is named, or the emulator with all of them, has ended */
  requireOpen(world?: World): void {
    if (world === undefined ? this.closed : this.peek(world.id) !== world) throw this.ended(world?.id);
  }

  private ended(id: string | undefined): ApiError {
    const message = this.closed ? 'The emulator is closed' : `The world "${id}" has ended`;
    return new ApiError('SERVICE_UNAVAILABLE', { message });
  }

  /** The error of a world that does not exist. */
  unknown(id: string): ApiError {
    const { suggests = true } = this.options;
    const suggestion = suggests ? nearest(id, this.list({ limit: 1_000 })) : undefined;
    return new ApiError('NOT_FOUND', {
      message: `There is no world "${id.slice(0, 60)}"${suggestion === undefined ? '' : `; did you mean "${suggestion}"?`}`,
    });
  }

  has(id: string): boolean {
    return (
      !this.closed && (id === 'default' || this.entries.has(id) || this.options.stored.index.get(id) !== undefined)
    );
  }

  /** The worlds whose ids begin with a text, `default` first, then in order of their ids; none is opened. */
  list({ prefix = '', after: last = '', limit = Infinity }: Page = {}): string[] {
    if (this.closed) return [];
    const after = last === 'default' ? '' : last;
    const isFirst = last === '' && 'default'.startsWith(prefix);
    const others = this.options.stored.index.list({ prefix, after, limit: Number.isFinite(limit) ? limit : -1 });
    return [...(isFirst ? ['default'] : []), ...others].slice(0, limit);
  }

  count(prefix = ''): number {
    return this.closed ? 0 : ('default'.startsWith(prefix) ? 1 : 0) + this.options.stored.index.count(prefix);
  }

  /** The world of this id if it is open; its place in the order of use stays. */
  peek(id: string): World | undefined {
    return id === 'default' ? this.first : this.entries.get(id)?.world;
  }

  /** The world that has this id now, whenever it is asked for; throws once that one has ended. */
  follow(id: string): () => World {
    const isThere = this.followed(id);
    return () => {
      if (this.closed || !isThere()) throw this.ended(id);
      return this.get(id);
    };
  }

  /** A function that says whether the world that has this id now is still listed. */
  followed(id: string): () => boolean {
    // Another world of this id has another directory.
    const dirNow = (): unknown => (id === 'default' ? id : this.options.stored.index.get(id)?.dir);
    const dir = this.closed ? undefined : dirNow();
    return () => dir !== undefined && !this.closed && dirNow() === dir;
  }

  /** The open worlds. */
  opened(): World[] {
    return [this.first ?? [], [...this.entries.values()].map(({ world }) => world)].flat();
  }

  /** Ends those whose time is over, and waits for the next: to be called when one was added. */
  sweep(): void {
    const { stored } = this.options;
    this.cancelSweep?.();
    const now = elapsed();
    let next = Infinity;
    for (const [id, { ttl, usedAt: last, users }] of this.entries) {
      const usedAt = users > 0 ? now : last;
      if (usedAt + ttl <= now) this.drop(id);
      else next = Math.min(next, usedAt + ttl - now);
    }
    for (const id of stored.ended()) if (!this.entries.has(id)) this.drop(id);
    next = Math.min(next, stored.untilEnd());
    if (next !== Infinity) this.cancelSweep = afterWall(Math.min(Math.ceil(next), longestTimer), () => this.sweep());
  }

  /** Ends a world with everything in it. */
  drop(id: string): void {
    const { stored, onEnd, onDrop } = this.options;
    if (id === 'default' || !this.has(id)) return;
    onEnd?.(id);
    const world = this.entries.get(id)?.world;
    this.entries.delete(id);
    const remove = stored.remove(id);
    onDrop?.(id);
    world?.endStreams();
    // Streams hear of the end a moment later and may look at the world once more.
    const finish = (): void => {
      world?.close();
      remove();
    };
    if (world === undefined) finish();
    else afterWall(0, finish);
  }

  /** Notes that a world is in use, from now until the returned function is called. */
  use(id: string): () => void {
    const entry = this.entries.get(id);
    if (entry === undefined) return () => {};
    entry.users++;
    return () => {
      entry.users--;
      entry.usedAt = elapsed();
      this.trimSoon();
    };
  }

  /** Milliseconds of wall time without a request after which it ends; null: never. */
  ttlOf(id: string): number | null {
    if (this.closed || id === 'default') return null;
    return this.entries.get(id)?.ttl ?? this.options.stored.index.get(id)?.ttl ?? null;
  }

  /** Milliseconds of wall time since the last use of an open world; 0 while it is in use, undefined where it is not open. */
  idleMsOf(id: string): number | undefined {
    const entry = this.entries.get(id);
    return entry && idleMs(entry);
  }

  close(): void {
    const { stored } = this.options;
    this.cancelSweep?.();
    this.cancelTrim?.();
    this.closed = true;
    this.first?.close();
    for (const entry of this.entries.values()) {
      if (stored.outlive) stored.close(entry.world, idleMs(entry));
      else entry.world.close();
    }
    this.first = undefined;
    this.entries.clear();
    stored.finish();
  }
}
