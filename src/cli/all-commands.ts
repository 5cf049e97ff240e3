// All commands, each with what loads its module. Help, parsing and usage errors are derived from them.

import type { Command } from './command.js';
import { type Loaders, light } from './command-loader.js';

/** In the order of the help, by the word whose commands are in one module: nothing else is loaded for it. */
const alone: Loaders = {
  start: async () => [(await import('./commands/start.js')).startCommand],
  run: async () => [(await import('./commands/run.js')).runCommand],
  explore: async () => [(await import('./commands/explore.js')).exploreCommand],
  import: async () => (await import('./commands/import.js')).importCommands,
  drift: async () => (await import('./commands/drift.js')).driftCommands,
  init: light.init,
  env: async () => [(await import('./commands/env.js')).envCommand],
  docs: light.docs,
  agent: light.agent,
  completion: async () => [(await import('./commands/completion.js')).completionCommand],
  status: light.status,
  open: light.open,
  stop: light.stop,
  verdicts: async () => [(await import('./commands/verdicts.js')).verdictsCommand],
  openapi: async () => [(await import('./commands/openapi.js')).openapiCommand],
};

/** Those that share a word with operations come before these. */
const others: Loaders[string][] = [
  async () => [(await import('./commands/container-logs.js')).containerLogsCommand],
  async () => (await import('./commands/wallet-sign.js')).signCommands,
  async () => [(await import('./commands/world-gc.js')).worldGcCommand],
  async () => [(await import('./commands/receipt.js')).receiptCommand],
  async () => (await import('./commands/scenario.js')).scenarioCommands,
  async () => (await import('./commands/config.js')).configCommands,
  async () => (await import('./operation-command.js')).operationCommands(),
];

/** The commands that begin with a word, or all. */
export async function loadCommands(word = ''): Promise<readonly Command[]> {
  const own = Object.hasOwn(alone, word) ? alone[word] : undefined;
  return own?.() ?? (await Promise.all([...Object.values(alone), ...others].map((load) => load()))).flat();
}
