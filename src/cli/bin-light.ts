// Entry of the bundle of those commands that need nothing of the emulator.

import { type Loaders, light } from './command-loader.js';
import { runProcess } from './main.js';

const loaders: Loaders = light;
runProcess(async (word = '') => loaders[word]?.() ?? []);
