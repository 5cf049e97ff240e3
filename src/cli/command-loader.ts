// Loads the commands that a command line can mean: of most it is one module.

import type { Command } from './command.js';

/** What loads the commands that begin with a word. */
export type LoadCommands = (word: string | undefined) => Promise<readonly Command[]>;

type Loaders = Record<string, () => Promise<readonly Command[]>>;

/** Commands that need nothing of the emulator: the build makes a bundle of them, which is read quickly. */
export const light: Loaders = {
  status: async () => [(await import('./commands/status.js')).statusCommand],
  stop: async () => [(await import('./commands/stop.js')).stopCommand],
  open: async () => [(await import('./commands/open.js')).openCommand],
  docs: async () => [(await import('./commands/docs.js')).docsCommand],
  init: async () => [(await import('./commands/init.js')).initCommand],
  agent: async () => (await import('./commands/agent.js')).agentCommands,
};
