// An emulator as the command runs it, with its controls at hand.

import type { Controls } from '../../src/app/controls.js';
import { type EmulatorOptions, type RunningEmulator, runEmulator } from '../../src/app/emulator.js';

export interface RunEmulator extends RunningEmulator {
  controls: Controls;
}

export async function runWithControls(options: EmulatorOptions): Promise<RunEmulator> {
  const running = await runEmulator(options);
  const { controlsOf } = await running.controlPlane();
  return { ...running, controls: controlsOf('default') };
}
