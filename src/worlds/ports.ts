// Ports of worlds: each serves one world only.

import type { IncomingMessage } from 'node:http';
import { ApiError } from '../core/errors.js';
import { type Handlers, ListenError, type Listener, listenRefusing, type RefusingListener } from '../http/listen.js';
import { leadInto } from '../http/request-world.js';
import type { Worlds } from '../world/worlds.js';

export interface WorldPortsOptions {
  /** The address to listen on. */
  host: string;
  /** The URL of the emulator, without a trailing slash. */
  origin: () => string;
  handlers: () => Handlers;
  worlds: Worlds;
}

export interface WorldPorts {
  /**
   * Opens the port of a world and resolves with its number.
   *
   * @param otherwise what becomes of the world when it cannot be had
   * @throws ApiError CONFLICT when it cannot be had, or the world has ended meanwhile
   */
  open(id: string, port: number, otherwise: 'dropped' | 'stays'): Promise<number>;
  /**
   * Listens on a free port for requests to the world that is meant when they come, where their path names none.
   *
   * @param worldOf its id
   */
  entrance(worldOf: () => string): Promise<Listener>;
  portOf(id: string): number | null;
  close(id: string): void;
  /** Refuses connections for some wall milliseconds. */
  refuse(ms: number): void;
  closeAll(): Promise<void>;
}

/** No world has a port yet. */
export function createWorldPorts({ host, origin, handlers, worlds }: WorldPortsOptions): WorldPorts {
  const listeners = new Map<string, RefusingListener>();
  const entrances: RefusingListener[] = [];
  const all = (): RefusingListener[] => [...listeners.values(), ...entrances];

  async function listenFor(id: string, port: number): Promise<RefusingListener> {
    try {
      return await listenRefusing(
        host,
        port,
        insideWorld(() => id, origin, handlers(), true),
      );
    } catch (error) {
      if (!(error instanceof ListenError)) throw error;
      throw new ApiError('CONFLICT', {
        message: `Port ${port} cannot be listened on (${error.code}); 0 picks a free one`,
      });
    }
  }
  return {
    async open(id, port, otherwise) {
      const isListed = worlds.followed(id);
      const listener = await listenFor(id, port).catch((error: unknown) => {
        if (otherwise === 'dropped' && isListed()) worlds.drop(id);
        throw error;
      });
      if (isListed()) {
        listeners.set(id, listener);
        return listener.port;
      }
      await listener.close();
      throw new ApiError('CONFLICT', { message: `The world "${id}" was dropped while its port was opened` });
    },
    async entrance(worldOf) {
      const listener = await listenRefusing(host, 0, insideWorld(worldOf, origin, handlers(), false));
      entrances.push(listener);
      return listener;
    },
    portOf: (id) => listeners.get(id)?.port ?? null,
    close(id) {
      void listeners.get(id)?.close();
      listeners.delete(id);
    },
    refuse(ms) {
      for (const listener of all()) listener.refuse(ms);
    },
    async closeAll() {
      await Promise.all(all().map((listener) => listener.close()));
    },
  };
}

/**
 * Handlers that lead into one world.
 *
 * @param worldOf the world's id at the time of a request
 * @param whatever requests whose path names another world, too
 */
function insideWorld(worldOf: () => string, origin: () => string, handlers: Handlers, whatever: boolean): Handlers {
  const lead = (req: IncomingMessage): void => {
    if (whatever || req.url?.startsWith('/w/') !== true) leadInto(`/w/${worldOf()}`, origin(), req);
  };
  return {
    request(req, res) {
      lead(req);
      return handlers.request(req, res);
    },
    upgrade(req, socket, head) {
      lead(req);
      handlers.upgrade(req, socket, head);
    },
    unreadable: handlers.unreadable,
  };
}
