// A second user of the seeded organization, with a key of his own.

import type { CreateEmulatorOptions, Emulator } from '../../src/index.js';
import { startEmulator } from './emulator.js';

export interface SecondCaller {
  userId: string;
  apiKey: string;
}

/** An emulator whose seeded organization has a second user with a key of his own. */
export async function startWithSecondCaller(
  options: CreateEmulatorOptions = {},
): Promise<{ emulator: Emulator; second: SecondCaller }> {
  const emulator = await startEmulator(options);
  const { id: userId } = emulator.controls.users.create({ name: 'Second User' });
  return { emulator, second: { userId, apiKey: emulator.controls.keys.create({ userId }).apiKey } };
}
