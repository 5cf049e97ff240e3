// An emulator in the test's own process, for commands that need one at a URL.

import { createEmulator, type Emulator } from '../../src/index.js';

const open: Emulator[] = [];

export interface Served {
  url: string;
  apiKey: string;
  control: string;
}

/** Starts one with a frozen clock, which ends with the file: tests of commands run at the same time. */
export async function startServed(): Promise<Served> {
  const emulator = await createEmulator({ clock: '2030-01-01T00:00:00Z', frozen: true });
  open.push(emulator);
  const { url, apiKey } = emulator;
  return { url, apiKey, control: `${url}/_emulator` };
}

export async function closeServed(): Promise<void> {
  await Promise.all(open.splice(0).map((emulator) => emulator.close()));
}
