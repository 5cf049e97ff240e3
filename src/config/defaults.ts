// The settings of each profile alone, ready-made by the build: most of a start's schemas would be for these.

import { type Config, configSchema } from './schema.js';

/** By the text of a profile, the JSON of its settings. The build fills it (src/build/build.mjs). */
const ready: Readonly<Record<string, string>> = {};

/** The settings of a profile, by the text of its file; undefined where they are no good. */
export function settingsOfProfile(text: string): Config | undefined {
  const json = ready[text];
  if (json !== undefined) return JSON.parse(json) as Config;
  return configSchema.safeParse(JSON.parse(text), { jitless: true }).data;
}
