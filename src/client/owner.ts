// Whose emulator answers where nobody has named one: the usual port may be that of another directory.

import type { Caller } from '../control/call.js';
import { rootOf } from '../core/root.js';
import type { Health } from '../tools/worlds/health.js';

/**
 * Asks once whose emulator it is; what does not answer is asked again with the next call.
 *
 * @returns a function that rejects when it belongs to another directory, and serves that one alone
 */
export function createOwnerCheck(url: string, { call }: Caller): () => Promise<void> {
  let checked: Promise<void> | undefined;
  const check = async (): Promise<void> => {
    // An emulator of an older version does not name its directory.
    const { identity } = await call<Partial<Health>>('GET', '/health');
    const here = rootOf(process.cwd());
    if (identity?.shared === true || identity?.root === here) return;
    const owner = identity?.root ?? 'a directory that it does not name (an older version)';
    throw new Error(
      `The emulator at ${url} belongs to ${owner}, not to this directory, ${here}. If you mean it, say so: connect({ url: '${url}' }), or CLOUDEMU_URL=${url}. \`cloudemu start\` starts one here, and \`cloudemu status\` tells its URL.`,
    );
  };
  return () => {
    checked ??= check().catch((error: unknown) => {
      checked = undefined;
      throw error;
    });
    return checked;
  };
}

/** The same calls, each after the check. */
export function checkedCaller({ call, events }: Caller, demandOwn: () => Promise<void>): Caller {
  return {
    async call(method, path, options) {
      await demandOwn();
      return call(method, path, options);
    },
    async *events(path, options) {
      await demandOwn();
      yield* events(path, options);
    },
  };
}
