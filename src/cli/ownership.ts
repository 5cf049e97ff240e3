// Whose emulator a command would speak to: that of another directory has to be named.

import { rootOf } from '../config/root.js';
import { healthAt } from './instance.js';
import { Refused } from './refusal.js';
import type { RunFile } from './run-file.js';

const usualMs = 5_000;

/** An emulator that a command has found. */
export interface Found {
  /** The URL that commands use, perhaps that of a world. */
  local: string;
  token: string | undefined;
  run: RunFile | undefined;
  /** Whether the user named it, and so means it, whoever's it is. */
  isNamed: boolean;
}

/**
 * Refuses the emulator of another root directory, unless the user named it. What does not answer as an emulator, the call itself tells.
 *
 * @throws Refused naming both directories
 */
export async function demandOwn({ local, token, run, isNamed }: Found, timeoutMs = usualMs): Promise<void> {
  if (isNamed) return;
  const url = new URL(local).origin;
  const health = await healthAt(url, { token, timeoutMs: Math.min(timeoutMs, usualMs) });
  const root = health?.identity?.root ?? run?.identity?.root;
  const here = rootOf(process.cwd());
  if (root === here || (root === undefined && (health === undefined || run !== undefined))) return;
  const owner = root ?? 'a directory that it does not name (an older version)';
  throw new Refused(
    `The emulator at ${url} belongs to ${owner}, not to this directory, ${here}. \`cloudemu start\` starts one here; --url ${url} or CLOUDEMU_URL means that one.`,
    {
      code: 'FOREIGN_EMULATOR',
      next: [
        ['start', '--detach'],
        ['status', '--url', url],
      ],
    },
  );
}
