// All kinds of network faults, by the names that rules have for them.

import { close, hang, reset, truncate } from './breaking.js';
import { buffer } from './buffer.js';
import { drip } from './drip.js';
import type { NetworkFaultKind } from './kind.js';
import { malformed } from './malformed.js';
import { refuse } from './refuse.js';

const kinds = { reset, close, hang, truncate, malformed, drip, buffer, refuse } satisfies Record<
  string,
  NetworkFaultKind
>;

export type NetworkFault = keyof typeof kinds;

export const networkFaults = Object.keys(kinds) as NetworkFault[];

/** The kind of a name. */
export function kindOf(name: NetworkFault): NetworkFaultKind {
  return kinds[name];
}
