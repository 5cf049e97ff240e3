// A listener that can be away for a while: it refuses connections, as a platform does that restarts.

import { afterWall } from '../core/clock.js';
import { type Handlers, type Listener, listen } from './listen.js';

export interface RefusingListener extends Listener {
  /** Refuses connections for some wall milliseconds, from now on, and ends those that are open. */
  refuse(ms: number): void;
}

/** Somebody else may have taken the port for a moment. */
const againMs = 50;

/**
 * Listens as `listen` does.
 *
 * @throws ListenError
 */
export async function listenRefusing(host: string, port: number, handlers: Handlers): Promise<RefusingListener> {
  return canRefuse(await listen(host, port, handlers), (again) => listen(host, again, handlers));
}

/** @param again listens on a port once more */
export function canRefuse(first: Listener, again: (port: number) => Promise<Listener>): RefusingListener {
  const { port } = first;
  let present: Listener | undefined = first;
  let returning = Promise.resolve();
  let isClosed = false;
  let wake = (): void => {};
  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
      afterWall(ms, resolve);
    });
  const comeBack = async (ms: number, gone: Promise<void>): Promise<void> => {
    await Promise.all([wait(ms), gone]);
    while (present === undefined && !isClosed) {
      present = await again(port).catch(() => undefined);
      if (present === undefined) await wait(againMs);
    }
  };
  return {
    port,
    refuse(ms) {
      if (present === undefined || isClosed) return;
      const gone = present.close();
      present = undefined;
      returning = comeBack(ms, gone);
    },
    async close() {
      isClosed = true;
      wake();
      await returning;
      await present?.close();
    },
  };
}
