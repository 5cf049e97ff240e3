// All commands, in the order of the help.

import { loadCommands } from '../../src/cli/all-commands.js';

export const commands = await loadCommands();
