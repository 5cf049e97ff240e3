// Makes new worlds: each is filled in one world, whose statements are already prepared, listed, and given the port that it was
// asked to have.

import type { Config } from '../config/schema.js';
import { type ClockState, nextTurn, oneATurn } from '../core/clock.js';
import { ApiError } from '../core/errors.js';
import type { WorldImage } from '../db/image.js';
import { forgetNumbers } from '../db/meta.js';
import { listKeyHashes } from '../platform/keys/store.js';
import { listBlobs } from '../platform/registry/store.js';
import type { Look } from '../tools/history/look.js';
import { journalOf } from '../tools/journal/journal.js';
import type { ForkedWorldRequest, NewWorldRequest } from '../tools/worlds/hosting.js';
import { beginClock } from '../world/initial-state.js';
import type { MadeWorld } from '../world/made-world.js';
import { seededIdentity } from '../world/seeded.js';
import type { World } from '../world/world.js';
import type { Worlds } from '../world/worlds.js';
import type { WorldPorts } from './ports.js';
import type { ListedWorlds } from './stored-worlds.js';

/** The data of a new world, and what the list of worlds keeps of them. */
interface NewWorld extends Pick<MadeWorld, 'identity' | 'clock' | 'hashes' | 'blobs'> {
  image: WorldImage;
}

interface NewWorldsOptions {
  worlds: Worlds;
  stored: ListedWorlds;
  ports: WorldPorts;
  config: () => Config;
  /** Opens the world that others are filled in. */
  openTemplate: () => World;
  look: Look;
}

interface Making extends Pick<NewWorldRequest, 'id' | 'owner'> {
  isMade: Promise<void>;
}

/** The making of worlds. */
export class NewWorlds {
  private readonly oneByOne = oneATurn();
  private open: World | undefined;
  /** No other request takes these ids meanwhile. */
  private readonly making = new Map<string, Making>();

  constructor(private readonly options: NewWorldsOptions) {}

  /** The world that others are filled in, opened when it is first needed. */
  template(): World {
    this.open ??= this.options.openTemplate();
    return this.open;
  }

  opened(): World | undefined {
    return this.open;
  }

  /**
   * Makes a world; it has its port when this resolves.
   *
   * @throws ApiError CONFLICT when the id or the port is taken
   */
  async make(request: NewWorldRequest | ForkedWorldRequest): Promise<void> {
    const { id, owner } = request;
    // Nothing is awaited from the question whether the id is taken until here.
    const made = this.makeAndList(request, () => this.making.get(id) !== own);
    const own: Making = { id, owner, isMade: made.catch(() => {}) };
    this.making.set(id, own);
    await made.finally(() => {
      if (this.making.get(id) === own) this.making.delete(id);
    });
  }

  private async makeAndList(request: NewWorldRequest | ForkedWorldRequest, isDropped: () => boolean): Promise<void> {
    const { worlds, stored, ports } = this.options;
    const { id, asked, owner, port, ttl } = request;
    const { image, ...facts } = await this.dataOf(request);
    worlds.requireOpen();
    if (isDropped()) throw new ApiError('CONFLICT', { message: `The world "${id}" was dropped while it was made` });
    stored.add({ id, asked, owner, ttl, port: null, ...facts }, image.bytes);
    worlds.sweep();
    const begin = 'begin' in request ? request.begin : undefined;
    await begin?.(worlds.get(id)).catch((error: unknown) => {
      worlds.drop(id);
      throw error;
    });
    if (port === undefined) return;
    const own = await ports.open(id, port, 'dropped');
    stored.setPort(id, own);
  }

  private async dataOf(request: NewWorldRequest | ForkedWorldRequest): Promise<NewWorld> {
    if ('image' in request) {
      const image = { bytes: request.image, isChecked: true };
      return this.options.look(request.image, (world) => describeWorld(world, image));
    }
    const clock = beginClock(this.options.config(), request);
    return this.oneByOne(() => this.fill(request, clock));
  }

  // The module of scenarios, which most starts do not load, brings the function that fills.
  private async fill({ id, seed, scenario, settings, fill }: NewWorldRequest, clock: ClockState): Promise<NewWorld> {
    const { worlds } = this.options;
    // Others may have had their turn before, and the emulator its end.
    worlds.requireOpen();
    const { floor: at, speed } = clock;
    const world = this.template();
    world.standFor(id);
    world.reset(
      { event: 'reset', subject: '', ownSeed: seed, seed, scenario, settings, at, frozen: speed === 0 },
      () => {},
    );
    fill(world);
    // The image of a large one takes as long as a turn may.
    await nextTurn();
    worlds.requireOpen();
    journalOf(world).clear();
    forgetNumbers(world.db);
    return describeWorld(world, world.image());
  }

  /** Waits for a world that is being made. */
  beingMade(id: string): Promise<void> | undefined {
    return this.making.get(id)?.isMade;
  }

  /** Gives up a world that is being made and not listed yet: its request is refused. */
  drop(id: string): void {
    this.making.delete(id);
  }

  /** How many worlds are being made for a control token that are not listed yet. */
  countOf(owner: string): number {
    const { worlds } = this.options;
    return [...this.making.values()].filter((one) => one.owner === owner && !worlds.has(one.id)).length;
  }
}

/** What the list of worlds keeps of a world whose data are an image. */
function describeWorld(world: World, image: WorldImage): NewWorld {
  return {
    image,
    identity: seededIdentity(world),
    hashes: listKeyHashes(world.db),
    blobs: listBlobs(world.db),
    clock: world.clock.state(),
  };
}
