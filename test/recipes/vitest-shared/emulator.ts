// Starts the emulator that the workers of Vitest share: `cloudemu/vitest` creates its worlds at CLOUDEMU_URL.

import { createEmulator } from 'cloudemu';

export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  // One that runs already is used as it is.
  if (process.env.CLOUDEMU_URL !== undefined) return undefined;
  const emulator = await createEmulator();
  process.env.CLOUDEMU_URL = emulator.url;
  return () => emulator.close();
}
