// Entry of the command's bundle.

import { loadCommands } from './all-commands.js';
import { runProcess } from './main.js';

runProcess(loadCommands);
