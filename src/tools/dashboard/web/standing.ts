// The point of a world's history at which this page stands: every view is that of a world that begins there, with its
// clock frozen, and ends soon after the page has left it.

import { pageOf, post, remove, worldId } from './api.js';

interface Standing {
  /** The world whose history it is. */
  of: string;
  point: number;
}

const query = new URLSearchParams(location.search);

/** undefined: the page shows a world as it is now. */
export const standing: Standing | undefined =
  query.get('of') === null ? undefined : { of: query.get('of') ?? '', point: Number(query.get('point')) };

/** The world whose history can be gone through on this page. */
export const source = standing?.of ?? worldId;

const lifetime = '10m';

/** Shows every view as of a point of the history. */
export async function standAt(point: number): Promise<void> {
  const request = { at: { world: source, point }, clock: { frozen: true }, ttl: lifetime };
  const { id } = await post<{ id: string }>('/worlds', request, source);
  await leave();
  // The browser's way back leads to now, not through all points.
  const go = standing === undefined ? 'assign' : 'replace';
  location[go](`${pageOf(id)}?of=${encodeURIComponent(source)}&point=${point}${location.hash}`);
}

/** Shows the world as it is now. */
export async function backToNow(): Promise<void> {
  await leave();
  location.replace(pageOf(source) + location.hash);
}

/** Begins a world at a point, and goes there. */
export async function beginAt(at: { point: number } | { requestId: string; side: 'before' | 'after' }): Promise<void> {
  const { id } = await post<{ id: string }>('/worlds', { at: { world: source, ...at } }, source);
  await leave();
  location.assign(pageOf(id) + location.hash.split('/').slice(0, 2).join('/'));
}

// It would end by itself, or has done so.
async function leave(): Promise<void> {
  if (standing !== undefined) await remove(`/worlds/${encodeURIComponent(worldId)}`, source).catch(() => {});
}
