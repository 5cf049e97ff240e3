// Ports of worlds: each serves one world only.

import { ApiError } from '../core/errors.js';
import { type Handlers, ListenError, type Listener, listen } from '../http/listen.js';
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
  portOf(id: string): number | null;
  close(id: string): void;
  closeAll(): Promise<void>;
}

/** No world has a port yet. */
export function createWorldPorts({ host, origin, handlers, worlds }: WorldPortsOptions): WorldPorts {
  const listeners = new Map<string, Listener>();

  async function listenFor(id: string, port: number): Promise<Listener> {
    try {
      return await listen(host, port, insideWorld(`/w/${id}`, origin, handlers()));
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
    portOf: (id) => listeners.get(id)?.port ?? null,
    close(id) {
      void listeners.get(id)?.close();
      listeners.delete(id);
    },
    async closeAll() {
      await Promise.all([...listeners.values()].map((listener) => listener.close()));
    },
  };
}

function insideWorld(prefix: string, origin: () => string, { request, upgrade, unreadable }: Handlers): Handlers {
  return {
    request(req, res) {
      leadInto(prefix, origin(), req);
      request(req, res);
    },
    upgrade(req, socket, head) {
      leadInto(prefix, origin(), req);
      upgrade(req, socket, head);
    },
    unreadable,
  };
}
