// Takes secrets out of the texts of a world, following its settings.

import type { Config } from '../config/schema.js';
import type { Random } from '../core/random.js';
import { createRedactor, type Redactor } from '../core/redact.js';
import type { Db } from '../db/db.js';
import { readMeta } from '../db/meta.js';

/** The redactor of a world, made anew when its settings or all its data have been replaced, which makes another `random`. */
export function redactorOf(db: Db, state: () => { config: Config; random: Random }): () => Redactor {
  let made: { config: Config; random: Random; redactor: Redactor } | undefined;
  return () => {
    const { config, random } = state();
    if (made?.config === config && made.random === random) return made.redactor;
    const { prefix, livePrefix } = config.keys;
    // The seeded key keeps the prefix that it was made with.
    const redactor = createRedactor([prefix, readMeta(db, 'keyPrefix') ?? prefix], livePrefix);
    made = { config, random, redactor };
    return redactor;
  };
}
