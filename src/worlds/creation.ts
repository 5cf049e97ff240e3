// Makes new worlds: each is filled in the template, listed, and given the port that it was asked to have.

import type { Config } from '../config/schema.js';
import { ApiError } from '../core/errors.js';
import type { Look } from '../tools/history/look.js';
import type { ForkedWorldRequest, NewWorldRequest } from '../tools/worlds/hosting.js';
import { beginClock } from '../world/initial-state.js';
import type { Worlds } from '../world/worlds.js';
import type { WorldPorts } from './ports.js';
import type { ListedWorlds } from './stored-worlds.js';
import { describeWorld, type NewWorld, type Template } from './template.js';

interface CreationOptions {
  worlds: Worlds;
  stored: ListedWorlds;
  ports: WorldPorts;
  template: Template;
  config: () => Config;
  look: Look;
}

export interface Creation {
  /**
   * Makes a world; it has its port when this resolves.
   *
   * @throws ApiError CONFLICT when the id or the port is taken
   */
  make(request: NewWorldRequest | ForkedWorldRequest): Promise<void>;
  /** Waits for a world that is being made. */
  beingMade(id: string): Promise<void> | undefined;
  /** Gives up a world that is being made and not listed yet: its request is refused. */
  drop(id: string): void;
  /** How many worlds are being made for a control token that are not listed yet. */
  countOf(owner: string): number;
}

interface Making extends Pick<NewWorldRequest, 'id' | 'owner'> {
  isMade: Promise<void>;
}

/** No world is being made yet. */
export function createCreation({ worlds, stored, ports, template, config, look }: CreationOptions): Creation {
  // No other request takes the id meanwhile.
  const making = new Map<string, Making>();

  function fill({ id, seed, scenario, settings, fill, ...start }: NewWorldRequest): Promise<NewWorld> {
    const clock = beginClock(config(), start);
    const beginning = { id, seed, scenario, settings, at: clock.floor, frozen: clock.speed === 0 };
    return template.create(beginning, fill);
  }
  const described = ({ image: bytes }: ForkedWorldRequest): NewWorld =>
    look(bytes, (world) => describeWorld(world, { bytes, isChecked: true }));
  async function makeAndList(request: NewWorldRequest | ForkedWorldRequest, isDropped: () => boolean): Promise<void> {
    const { id, asked, owner, port, ttl } = request;
    const { image, ...facts } = await ('image' in request ? described(request) : fill(request));
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

  return {
    async make(request) {
      const { id, owner } = request;
      // Nothing is awaited from the question whether the id is taken until here.
      const made = makeAndList(request, () => making.get(id) !== own);
      const own: Making = { id, owner, isMade: made.catch(() => {}) };
      making.set(id, own);
      await made.finally(() => {
        if (making.get(id) === own) making.delete(id);
      });
    },
    beingMade: (id) => making.get(id)?.isMade,
    drop: (id) => void making.delete(id),
    countOf: (owner) => [...making.values()].filter((one) => one.owner === owner && !worlds.has(one.id)).length,
  };
}
