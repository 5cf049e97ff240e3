// Loads the commands that need nothing of the emulator: the build makes a bundle of them, which is read quickly.

import type { Command } from './command.js';

/** What loads commands, by the word with which they begin. */
export type Loaders = Record<string, () => Promise<readonly Command[]>>;

export const light = {
  status: async () => [(await import('./commands/status.js')).statusCommand],
  stop: async () => [(await import('./commands/stop.js')).stopCommand],
  open: async () => [(await import('./commands/open.js')).openCommand],
  docs: async () => [(await import('./commands/docs.js')).docsCommand],
  init: async () => [(await import('./commands/init.js')).initCommand],
  agent: async () => (await import('./commands/agent.js')).agentCommands,
} satisfies Loaders;
