// What every test file ends with. Files share their modules, so hooks belong here and not into the modules.

import { afterAll, afterEach } from 'vitest';
import { endCommands } from './command.js';
import { closeEmulators } from './emulator.js';

afterEach(closeEmulators);
afterAll(endCommands);
