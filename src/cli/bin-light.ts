// Entry of the bundle of those commands that need nothing of the emulator.

import { light } from './command-loader.js';
import { runProcess } from './main.js';

runProcess(async (word = '') => light[word]?.() ?? []);
