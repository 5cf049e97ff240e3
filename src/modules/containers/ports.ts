// Listeners of running containers: each has an origin of its own.

import { type Handlers, ListenError, type Listener, listen } from '../../http/listen.js';
import type { World } from '../../world/world.js';
import { serveById, upgradeContainer } from './container-server.js';
import type { LocalPorts } from './local-ports.js';
import { refuseSocket } from './refusal.js';
import { findContainer } from './store.js';

/**
 * The container listeners of a world.
 *
 * @param host the address to listen on: the emulator's own
 * @param use notes that the world is in use until the returned function is called
 */
export function createLocalPorts(
  world: World,
  host: string,
  use: () => () => void,
  onError: (error: unknown) => void,
): LocalPorts {
  const listeners = new Map<string, Promise<Listener | undefined>>();

  async function openListener(id: string, wanted: number): Promise<Listener | undefined> {
    const handlers: Handlers = {
      request(req, res) {
        res.once('close', use());
        serveById(world, id, req, res).catch((error: unknown) => {
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
    for (const port of [wanted, wanted + 1, wanted + 2, 0]) {
      try {
        return await listen(host, port, handlers);
      } catch (error) {
        if (!(error instanceof ListenError) || error.code !== 'EADDRINUSE') break;
      }
    }
    return undefined;
  }

  function close(id: string): void {
    const listener = listeners.get(id);
    listeners.delete(id);
    void listener?.then((open) => open?.close());
  }

  return {
    isOpen: (id) => listeners.has(id),
    async open(id, wanted) {
      const listener = listeners.get(id) ?? openListener(id, wanted);
      listeners.set(id, listener);
      const port = (await listener)?.port;
      if (port === undefined) listeners.delete(id);
      return port ?? 0;
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
