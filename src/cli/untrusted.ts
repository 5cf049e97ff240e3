// Marks what clients have sent, for agents: it is data, and no instruction to whoever reads it.

import { isTree, type Tree } from '../core/tree.js';

/**
 * A thing with the mark, or each thing of a list in it.
 *
 * @param place the name of that list, or `whole`
 * @example markUntrusted({ requests: [{ path: '/' }] }, 'requests') // { requests: [{ untrusted: true, path: '/' }] }
 */
export function markUntrusted(answer: Tree, place: string): Tree {
  const list = answer[place];
  if (!Array.isArray(list)) return { untrusted: true, ...answer };
  return { ...answer, [place]: list.map((thing: unknown) => (isTree(thing) ? markUntrusted(thing, 'whole') : thing)) };
}
