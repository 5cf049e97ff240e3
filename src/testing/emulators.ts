// Emulators that several users of one process share: one for each set of options, until the last user has gone.

import { rmSync } from 'node:fs';
import { demandNoLinks } from '../core/checkout-files.js';
import { inRoot } from '../core/root.js';
import type { CreateEmulatorOptions, Emulator } from '../index.js';

export interface Emulators {
  /** The emulator with these options, which starts when it is first asked for. */
  of(options: CreateEmulatorOptions | undefined): Promise<Emulator>;
  /** Notes a user; the function that it returns ends this use, and closes all emulators if no other user is left. */
  hold(): () => Promise<void>;
}

/** @param start starts an emulator: the entries know where the library lies. */
export function createEmulators(start: (options: CreateEmulatorOptions) => Promise<Emulator>): Emulators {
  const started = new Map<string, Promise<Emulator>>();
  let users = 0;
  return {
    of(given) {
      const options = withReceipt(given);
      const key = JSON.stringify(options);
      const emulator = started.get(key) ?? start(options);
      started.set(key, emulator);
      return emulator;
    },
    hold() {
      users++;
      return async () => {
        if (--users > 0) return;
        const all = [...started.values()];
        started.clear();
        // A failed start was already reported to its caller.
        await Promise.allSettled(all.map(async (emulator) => (await emulator).close()));
      };
    },
  };
}

/** Removes the receipt of an earlier run: a running emulator writes one only if it was asked to. */
export function forgetReceipt(): void {
  demandNoLinks(usualReceipt());
  rmSync(usualReceipt(), { force: true });
}

const usualReceipt = (): string => inRoot('.cloudemu/receipt.json');

// Tests leave a receipt, unless their options say where else, or `data: { receipt: null }`.
function withReceipt(options: CreateEmulatorOptions | undefined): CreateEmulatorOptions {
  const isSaid = options?.receipt !== undefined || options?.data?.receipt !== undefined;
  return isSaid ? options : { receipt: usualReceipt(), ...options };
}

/** The address of an emulator in this process for clients on this machine, whatever its public URL is. */
export const localUrl = ({ port }: Emulator): string => `http://127.0.0.1:${port}`;
