// Listeners of running containers: each has an origin of its own.

import { type Handlers, ListenError, type Listener, listen } from '../../../http/listen.js';
import type { World } from '../../../world/world.js';
import { findContainer } from '../store.js';
import { refuseSocket } from '../wire/refusal.js';
import { serveById, upgradeContainer } from './container-server.js';
import type { LocalPorts } from './open-addresses.js';

/** How many more listeners the worlds of an emulator may open together. */
export interface PortBudget {
  left: number;
}

/**
 * At most so many: each takes one or two of the files that a process may have open, of which many systems give 1,024, and
 * a third of a millisecond.
 */
export function portBudget(): PortBudget {
  return { left: 256 };
}

interface PortOptions {
  /** The address to listen on: the emulator's own. */
  host: string;
  budget: PortBudget;
  /** Notes that the world is in use until the returned function is called. */
  use: () => () => void;
  onError: (error: unknown) => void;
}

/** The container listeners of a world. */
export function createLocalPorts(world: World, { host, budget, use, onError }: PortOptions): LocalPorts {
  const listeners = new Map<string, Promise<Listener | undefined>>();
  let exhausted = false;

  async function openListener(id: string, wanted: number): Promise<Listener | undefined> {
    const handlers: Handlers = {
      request(req, res) {
        res.once('close', use());
        return serveById(world, id, req, res).catch((error: unknown) => {
          onError(error);
          res.destroy();
        });
      },
      upgrade(req, socket, head) {
        socket.once('close', use());
        upgradeContainer(world, findContainer(world.db, id), req, socket, head).catch(onError);
      },
      unreadable: (error, socket) => refuseSocket(world, error, socket),
    };
    if (budget.left === 0) return undefined;
    budget.left--;
    for (const port of [wanted, wanted + 1, wanted + 2, 0]) {
      try {
        return await listen(host, port, handlers);
      } catch (error) {
        if (!(error instanceof ListenError) || error.code !== 'EADDRINUSE') break;
      }
    }
    budget.left++;
    return undefined;
  }

  function close(id: string): void {
    const listener = listeners.get(id);
    listeners.delete(id);
    void listener?.then(async (open) => {
      if (open === undefined) return;
      await open.close();
      budget.left++;
    });
  }

  return {
    isOpen: (id) => listeners.has(id),
    isBusy: () => listeners.size > 0,
    get exhausted() {
      return exhausted;
    },
    async open(id, wanted) {
      const listener = listeners.get(id) ?? openListener(id, wanted);
      listeners.set(id, listener);
      const port = (await listener)?.port;
      if (port !== undefined) return port;
      listeners.delete(id);
      exhausted = true;
      return 0;
    },
    closePort: close,
    keepOnly(ids) {
      for (const id of [...listeners.keys()]) if (!ids.has(id)) close(id);
    },
    close() {
      for (const id of [...listeners.keys()]) close(id);
    },
  };
}
