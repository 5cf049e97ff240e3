// Makes new worlds: each is filled in the template, listed, and given the port that it was asked to have.

import type { Config } from '../config/schema.js';
import { ApiError } from '../core/errors.js';
import type { OpenRequest } from '../modules/worlds/hosting.js';
import { beginClock } from '../world/initial-state.js';
import { askAgain, type Worlds } from '../world/worlds.js';
import type { WorldPorts } from './ports.js';
import type { ListedWorlds } from './stored-worlds.js';
import type { Template } from './template.js';

interface CreationOptions {
  worlds: Worlds;
  stored: ListedWorlds;
  ports: WorldPorts;
  template: Template;
  config: () => Config;
}

export interface Creation {
  /**
   * Makes a world; it has its port when this resolves.
   *
   * @throws ApiError SERVICE_UNAVAILABLE while new ones are refused, CONFLICT when the id or the port is taken
   */
  open(request: OpenRequest): Promise<void>;
  /** Waits for a world that is being made. */
  opened(id: string): Promise<void> | undefined;
  /** Gives up a world that is being made and not listed yet: its request is refused. */
  drop(id: string): void;
  /** How many worlds are being made for a control token that are not listed yet. */
  countOf(owner: string): number;
}

interface Opening extends Pick<OpenRequest, 'id' | 'owner'> {
  isOpen: Promise<void>;
}

/** No world is being made yet. */
export function createCreation({ worlds, stored, ports, template, config }: CreationOptions): Creation {
  // No other request takes the id meanwhile.
  const opening = new Map<string, Opening>();

  async function make(
    { id, asked, owner, port, ttl, seed, scenario, fill, ...start }: OpenRequest,
    isDropped: () => boolean,
  ): Promise<void> {
    const clock = beginClock(config(), start);
    const beginning = { id, seed, scenario, at: clock.floor, frozen: clock.speed === 0 };
    const { image, ...facts } = await template.create(beginning, fill);
    worlds.requireOpen();
    if (isDropped()) throw new ApiError('CONFLICT', { message: `The world "${id}" was dropped while it was made` });
    // Another process may have moved a world of this id here.
    if (worlds.has(id)) throw new ApiError('CONFLICT', { message: `There is a world "${id}" already` });
    stored.add({ id, asked, owner, ttl, port: null, ...facts }, image.bytes);
    worlds.sweep();
    if (port === undefined) return;
    const own = await ports.open(id, port);
    stored.setPort(id, own);
  }

  return {
    async open(request) {
      if (worlds.draining)
        throw new ApiError('SERVICE_UNAVAILABLE', {
          message: 'This emulator takes no new worlds: it drains',
          ...askAgain,
        });
      const { id, owner } = request;
      const made = make(request, () => opening.get(id) !== own);
      const own: Opening = { id, owner, isOpen: made.catch(() => {}) };
      opening.set(id, own);
      await made.finally(() => {
        if (opening.get(id) === own) opening.delete(id);
      });
    },
    opened: (id) => opening.get(id)?.isOpen,
    drop: (id) => void opening.delete(id),
    countOf: (owner) => [...opening.values()].filter((one) => one.owner === owner && !worlds.has(one.id)).length,
  };
}
