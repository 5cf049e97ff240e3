// Whose emulator a command would speak to: that of another directory has to be named.

import { rootOf } from '../core/root.js';
import { healthAt } from './instance.js';
import { Refused, Unreachable } from './refusal.js';
import type { RunFile } from './run-file.js';
import { sharedDir } from './shared.js';

const usualMs = 5_000;

/** An emulator that a command has found. */
export interface Found {
  /** The URL that commands use, perhaps that of a world. */
  local: string;
  token: string | undefined;
  run: RunFile | undefined;
  /** Whether the user named it, and so means it, whoever's it is. */
  isNamed: boolean;
  /** Whether it is the shared emulator, by its run file. */
  isShared?: true;
}

/**
 * Refuses the emulator of another root directory, unless the user named it. What does not answer as an emulator, the call itself tells.
 *
 * @throws Refused naming both directories
 */
export async function demandOwn({ local, token, run, isNamed, isShared }: Found, timeoutMs = usualMs): Promise<void> {
  // That was looked at when it was found, and so was the world in it.
  if (isNamed || isShared) return;
  const url = new URL(local).origin;
  const health = await healthAt(url, { token, timeoutMs: Math.min(timeoutMs, usualMs) });
  const root = health?.identity?.root ?? run?.identity?.root;
  const here = rootOf(process.cwd());
  if (root === here || (root === undefined && (health === undefined || run !== undefined))) return;
  const owner = root ?? 'a directory that it does not name (an older version)';
  if (health?.identity?.shared === true)
    throw new Refused(
      `The emulator at ${url} is a shared one, whose run file is not ${sharedDir()}: it belongs to ${root}, not to this directory, ${here}. Set XDG_STATE_HOME as its start had it; --url ${url} or CLOUDEMU_URL means it.`,
      { code: 'FOREIGN_EMULATOR', next: [['status', '--url', url]] },
    );
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

/**
 * Demands that what answers is the shared emulator of the run file: its process id and its port may be others' by now.
 *
 * @throws Unreachable when it is not
 */
export async function demandShared({ local, token, run }: Found): Promise<void> {
  const health = await healthAt(local, { token, timeoutMs: usualMs });
  if (health?.identity?.shared === true && health.instance === run?.instance) return;
  throw new Unreachable(
    `The shared emulator does not answer at ${local}, where its run file says. \`cloudemu start --shared\` runs one.`,
    { code: 'NOT_RUNNING', next: [['start', '--shared', '--detach']] },
  );
}
