// Finds the emulator that answers at an address: one that a run file names, another one, or none.

import { request, textOf } from '../control/request.js';
import type { Health } from '../tools/worlds/health.js';

// Only a holder that never answers takes all of it; an emulator on a crowded machine may need more than two seconds.
const answerMs = 5_000;

/** The health that is answered at an address, if it is an emulator's. */
export async function healthAt(
  url: string,
  { token, timeoutMs = answerMs }: { token?: string | undefined; timeoutMs?: number } = {},
): Promise<Partial<Health> | undefined> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    // Node 20's fetch never settles where the holder closes the connection at once, and the command would end without a word.
    const response = await request(`${url}/_emulator/health`, { method: 'GET', headers, signal });
    const health = JSON.parse(await textOf(response)) as Partial<Health> | null;
    return typeof health?.version === 'string' && typeof health.uptimeMs === 'number' ? health : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the emulator of a run file answers where that says: its process id and its port may be others' by now. */
export async function answersAs({
  local,
  instance,
}: {
  local: string;
  instance?: string | undefined;
}): Promise<boolean> {
  const health = await healthAt(local);
  return health !== undefined && health.instance === instance;
}
