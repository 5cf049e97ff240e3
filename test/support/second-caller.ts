// A second user of the seeded organization, with a key of his own.

import type { CreateEmulatorOptions } from '../../src/index.js';
import { type Platform, startEmulator } from './emulator.js';

export interface SecondCaller {
  userId: string;
  apiKey: string;
}

/** An emulator whose seeded organization has a second user with a key of his own. */
export async function startWithSecondCaller(
  options: CreateEmulatorOptions = {},
): Promise<{ emulator: Platform; second: SecondCaller }> {
  const emulator = await startEmulator(options);
  const { id: userId } = emulator.controls.users.create({ name: 'Second User' });
  return { emulator, second: { userId, apiKey: emulator.controls.keys.create({ userId }).apiKey } };
}
