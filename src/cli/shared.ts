// The shared emulator: one a user, for all directories that have none of their own. It lives in the user's state directory.

import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { isScenarioFile } from '../config/names.js';
import { makeDataDir } from '../core/own-directory.js';
import { writePrivately } from '../core/private-files.js';
import { configFileName, rootOf } from '../core/root.js';
import { fail } from './print.js';
import { Refused, Unreachable } from './refusal.js';
import { answersAs, healthAt, type RunFile, readRunFile } from './run-file.js';
import type { StartOptions } from './start-options.js';

/**
 * The directory of the shared emulator: its settings file, its run file, its data.
 *
 * @example sharedDir() // '/home/ann/.local/state/cloudemu'
 */
export function sharedDir(env = process.env, platform: NodeJS.Platform = process.platform): string {
  const { XDG_STATE_HOME = '', LOCALAPPDATA = '' } = env;
  const home = env.HOME || homeDirectory();
  const usual: Partial<Record<NodeJS.Platform, string>> = {
    darwin: join(home, 'Library', 'Application Support'),
    win32: LOCALAPPDATA || join(home, 'AppData', 'Local'),
  };
  // The standard has a path that is not absolute ignored.
  const state = isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : (usual[platform] ?? join(home, '.local', 'state'));
  return join(state, 'cloudemu');
}

/** The shared emulator that runs. */
export function sharedRun(): RunFile | undefined {
  return readRunFile(sharedDir());
}

/**
 * Enters the directory of the shared emulator, which stays when those that it serves go, and reads its own settings there.
 *
 * @returns the options of a start in it; paths in them count from where the user is
 */
export async function enterShared({ config, flags, ...options }: StartOptions): Promise<StartOptions> {
  const dir = sharedDir();
  const given = flags['data-dir'];
  if (given !== undefined && resolve(String(given)) !== dir)
    fail(2, `--data-dir cannot be given with --shared: the shared emulator keeps its data in ${dir}`, {
      field: '--data-dir',
      next: [['start', '--shared', '--detach']],
    });
  const running = readRunFile(dir);
  if (running !== undefined && (await answersAs(running)))
    fail(
      2,
      `The shared emulator is already running: ${running.url} (pid ${running.pid}). \`cloudemu env\` uses it in any directory; \`cloudemu stop --shared\` stops it.`,
      { code: 'ALREADY_RUNNING', next: [['status', '--shared'], ['env']] },
    );
  const named = config ?? (process.env.CLOUDEMU_CONFIG || undefined);
  const { scenario } = flags;
  const isFile = typeof scenario === 'string' && isScenarioFile(scenario);
  const entered = {
    ...options,
    config: named === undefined ? undefined : resolve(named),
    flags: { ...flags, 'data-dir': dir, ...(isFile && { scenario: resolve(scenario) }) },
  };
  try {
    makeDataDir(dir);
    // Its being there makes the directory a root, whatever lies above it.
    const file = join(dir, configFileName);
    if (!existsSync(file)) writePrivately(file, '{}\n');
    process.chdir(realpathSync(dir));
  } catch (error) {
    fail(
      2,
      `The directory of the shared emulator, ${dir}, cannot be used (${(error as NodeJS.ErrnoException).code}): set XDG_STATE_HOME to one in which you may write`,
      { code: 'DATA_UNUSABLE' },
    );
  }
  return entered;
}

// A user that no file of users names, as in many containers, has none: there is no shared emulator then.
function homeDirectory(): string {
  try {
    return homedir();
  } catch {
    return '/nonexistent';
  }
}

// Whose emulator a command would speak to: that of another directory has to be named.

const usualMs = 5_000;

/** An emulator that a command has found. */
export interface Found {
  /** The URL that commands use, perhaps that of a world. */
  local: string;
  token: string | undefined;
  run: RunFile | undefined;
  /** Whether a flag or CLOUDEMU_URL names it: then it may be another directory's. */
  isNamed: boolean;
  /** Whether it is the shared emulator, which was found by its run file; its worlds have owners. */
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
