// What the journal of a world makes its entries with, following the settings in force.

import type { Config } from '../config/schema.js';
import type { Random } from '../kernel/random.js';
import type { Db } from '../store/db.js';
import { readMeta } from '../store/meta.js';
import type { EntryTools } from '../store/raw-request.js';
import { createRedactor } from '../store/redact.js';

/** The tools of a world, made anew only when its settings or its seed have changed. */
export function entryToolsOf(db: Db, inForce: () => { config: Config; random: Random }): () => EntryTools {
  let made: { config: Config; random: Random; tools: EntryTools } | undefined;
  return () => {
    const { config, random } = inForce();
    if (made?.config === config && made.random === random) return made.tools;
    const { prefix, livePrefix, acceptLive } = config.keys;
    const tools: EntryTools = {
      // The seeded key keeps the prefix that it was made with.
      redactor: createRedactor([prefix, readMeta(db, 'keyPrefix') ?? prefix], livePrefix),
      hash: (text) => random.hex('request-body', text),
      refusesLive: !acceptLive,
    };
    made = { config, random, tools };
    return tools;
  };
}
