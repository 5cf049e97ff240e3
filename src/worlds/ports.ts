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

/** The ports of the worlds of an emulator. */
export class WorldPorts {
  private readonly listeners = new Map<string, RefusingListener>();
  private readonly entrances: RefusingListener[] = [];

  constructor(private readonly options: WorldPortsOptions) {}

  /**
   * Opens the port of a world and resolves with its number.
   *
   * @param otherwise what becomes of the world when it cannot be had
   * @throws ApiError CONFLICT when it cannot be had, or the world has ended meanwhile
   */
  async open(id: string, port: number, otherwise: 'dropped' | 'stays'): Promise<number> {
    const { host, worlds } = this.options;
    const isListed = worlds.followed(id);
    const inside = this.insideWorld(() => id, true);
    const listener = await listenRefusing(host, port, inside).catch((error: unknown) => {
      if (otherwise === 'dropped' && isListed()) worlds.drop(id);
      if (!(error instanceof ListenError)) throw error;
      throw new ApiError('CONFLICT', {
        message: `Port ${port} cannot be listened on (${error.code}); 0 picks a free one`,
      });
    });
    if (isListed()) {
      this.listeners.set(id, listener);
      return listener.port;
    }
    await listener.close();
    throw new ApiError('CONFLICT', { message: `The world "${id}" was dropped while its port was opened` });
  }

  /**
   * Listens on a free port for requests to the world that is meant when they come, where their path names none.
   *
   * @param worldOf its id
   */
  async entrance(worldOf: () => string): Promise<Listener> {
    const listener = await listenRefusing(this.options.host, 0, this.insideWorld(worldOf, false));
    this.entrances.push(listener);
    return listener;
  }

  portOf(id: string): number | null {
    return this.listeners.get(id)?.port ?? null;
  }

  close(id: string): void {
    void this.listeners.get(id)?.close();
    this.listeners.delete(id);
  }

  private all(): RefusingListener[] {
    return [...this.listeners.values(), ...this.entrances];
  }

  /** Refuses connections for some wall milliseconds. */
  refuse(ms: number): void {
    for (const listener of this.all()) listener.refuse(ms);
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.all().map((listener) => listener.close()));
  }

  /**
   * Handlers that lead into one world.
   *
   * @param worldOf the world's id at the time of a request
   * @param whatever requests whose path names another world, too
   */
  private insideWorld(worldOf: () => string, whatever: boolean): Handlers {
    const { origin } = this.options;
    const handlers = this.options.handlers();
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
}
