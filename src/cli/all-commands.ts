// Loads any command: those that have a module of their own alone, all others with the operations that they call.

import { type LoadCommands, light } from './command-loader.js';

const alone: typeof light = {
  ...light,
  start: async () => [(await import('./commands/start.js')).startCommand],
  env: async () => [(await import('./commands/env.js')).envCommand],
  run: async () => [(await import('./commands/run.js')).runCommand],
  explore: async () => [(await import('./commands/explore.js')).exploreCommand],
};

export const loadCommands: LoadCommands = async (word = '') =>
  Object.hasOwn(alone, word) ? (alone[word]?.() ?? []) : (await import('./command-table.js')).commands;
