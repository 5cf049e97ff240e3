// The worlds of a shared emulator, by the directories that they are for: no directory gets the world of another one.

import { request, textOf } from '../control/request.js';
import { parsedJson } from '../core/json.js';
import { isTree } from '../core/tree.js';
import type { WorldInfo } from '../tools/worlds/request.js';
import { type Checkout, checkoutHere, nameOfCheckout, worldIdsOf } from './checkout.js';
import { note } from './print.js';
import { Refused, Unreachable } from './refusal.js';

/** Where a shared emulator answers. */
interface Place {
  local: string;
  token: string | undefined;
}

const usualMs = 5_000;

/**
 * The world of this directory and its branch; else, and it says so, that of another branch of it, the one that was used last.
 *
 * @param isNeeded whether it has to be there
 * @throws Unreachable where it is needed, and there is none
 */
export async function ownWorld(place: Place, isNeeded: boolean): Promise<WorldInfo | undefined> {
  const here = checkoutHere();
  const own = (await worldFor(place, here)) ?? (await ofOtherBranch(place, here));
  if (own !== undefined || !isNeeded) return own;
  throw new Unreachable(
    `The shared emulator at ${place.local} has no world of this directory yet, ${nameOfCheckout(here)}. \`cloudemu env\` makes it.`,
    { code: 'NO_WORLD', next: [['env']] },
  );
}

/** Whose a new world is that a command makes here. */
export function ofCheckout({ root, branch } = checkoutHere()): { checkout: { root: string; branch?: string } } {
  return { checkout: { root, ...(branch !== undefined && { branch }) } };
}

/** The world of a checkout. */
export async function worldFor(place: Place, checkout: Checkout): Promise<WorldInfo | undefined> {
  for (const id of worldIdsOf(checkout)) {
    const world = await worldOf(place, id);
    if (world !== undefined && isFor(world, checkout)) return world;
  }
  return undefined;
}

function isFor({ root, branch }: WorldInfo, checkout: Checkout): boolean {
  return root === checkout.root && branch === (checkout.branch ?? null);
}

async function ofOtherBranch(place: Place, here: Checkout): Promise<WorldInfo | undefined> {
  const [latest] = (await worldsOf(place))
    .filter(({ id, root, branch }) => {
      const then = { ...here, branch: branch ?? undefined };
      return root === here.root && worldIdsOf(then).includes(id);
    })
    .sort((a, b) => (b.usedAt ?? '').localeCompare(a.usedAt ?? ''));
  if (latest === undefined) return undefined;
  note(
    `note: this is the world ${latest.id} of ${nameOfCheckout({ root: here.root, branch: latest.branch ?? 'none' })}; now its branch is ${here.branch ?? 'none'}, and \`cloudemu env\` makes the world of that`,
  );
  return latest;
}

/**
 * The world of an id, if it is there.
 *
 * @throws Refused when it is for another directory
 */
export async function namedWorld(place: Place, id: string): Promise<WorldInfo | undefined> {
  const world = await worldOf(place, id);
  const { root } = checkoutHere();
  if (world === undefined || world.root === null || world.root === root) return world;
  throw new Refused(
    `The world ${id} belongs to ${world.root}, not to this directory, ${root}. \`cloudemu env\` gives the world of this one; --url ${place.local}/w/${id} or CLOUDEMU_URL means that one.`,
    {
      code: 'FOREIGN_WORLD',
      field: '--world',
      received: id,
      next: [['env'], ['world', 'list']],
    },
  );
}

async function worldOf(place: Place, id: string): Promise<WorldInfo | undefined> {
  const world = await read(place, `/w/${encodeURIComponent(id)}/_emulator/world`);
  return isTree(world) && world.id === id ? (world as unknown as WorldInfo) : undefined;
}

/** All worlds, however many pages of them there are. */
export async function worldsOf(place: Place): Promise<WorldInfo[]> {
  const all: WorldInfo[] = [];
  for (let after = ''; ; ) {
    const page = await read(place, `/_emulator/worlds${after && `?after=${encodeURIComponent(after)}`}`);
    const worlds = isTree(page) && Array.isArray(page.worlds) ? (page.worlds as WorldInfo[]) : [];
    all.push(...worlds);
    const last = worlds.at(-1)?.id ?? '';
    if (last === '' || last === after) return all;
    after = last;
  }
}

async function read({ local, token }: Place, path: string): Promise<unknown> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  try {
    const answer = await request(local + path, { method: 'GET', headers, signal: AbortSignal.timeout(usualMs) });
    return parsedJson(await textOf(answer));
  } catch {
    throw new Unreachable(`The shared emulator at ${local} does not answer.`, { code: 'NOT_ANSWERING' });
  }
}
