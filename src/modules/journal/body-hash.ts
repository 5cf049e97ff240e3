// The hash by which a journal knows a body: equal for equal bodies.

import { inOneOrder } from '../../core/json.js';
import type { Redactor } from '../../core/redact.js';
import type { World } from '../../world/world.js';

export interface BodyHashing {
  redactor: Redactor;
  /** A hash that cannot be computed outside of this world. */
  hash: (text: string) => string;
}

/** How the journal of a world hashes. */
export const bodyHashing = ({ redactor, random }: World): BodyHashing => ({
  redactor,
  hash: (text) => random.hex('request-body', text),
});

/** The hash of a body, whatever the order of its fields. */
export function bodyHashOf(body: string, { redactor, hash }: BodyHashing): string {
  return hash(redactor.withoutLive(inOneOrder(body)));
}
