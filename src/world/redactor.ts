// Takes secrets out of the texts of a world, following its settings.

import type { Config } from '../config/schema.js';
import { createRedactor, type Redactor } from '../core/redact.js';
import type { Db } from '../db/db.js';
import { readMeta } from '../db/meta.js';

/** The redactor of a world, made anew only when its settings have changed. */
export function redactorOf(db: Db, configOf: () => Config): () => Redactor {
  let made: { config: Config; redactor: Redactor } | undefined;
  return () => {
    const config = configOf();
    if (made?.config === config) return made.redactor;
    const { prefix, livePrefix } = config.keys;
    // The seeded key keeps the prefix that it was made with.
    const redactor = createRedactor([prefix, readMeta(db, 'keyPrefix') ?? prefix], livePrefix);
    made = { config, redactor };
    return redactor;
  };
}
