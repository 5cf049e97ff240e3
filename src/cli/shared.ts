// The shared emulator: one a user, for all directories that have none of their own. It lives in the user's state directory.

import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { isScenarioFile } from '../config/names.js';
import { makeDataDir } from '../core/own-directory.js';
import { writePrivately } from '../core/private-files.js';
import { configFileName } from '../core/root.js';
import { answersAs } from './instance.js';
import { fail } from './print.js';
import { type RunFile, readRunFile } from './run-file.js';
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
  if (running !== undefined && (await answersAs(running))) failAsRunning(running);
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

/** Says that one runs, and where. */
export function failAsRunning({ url, pid }: RunFile): never {
  return fail(
    2,
    `The shared emulator is already running: ${url} (pid ${pid}). \`cloudemu env\` uses it in any directory; \`cloudemu stop --shared\` stops it.`,
    { code: 'ALREADY_RUNNING', next: [['status', '--shared'], ['env']] },
  );
}

// A user that no file of users names, as in many containers, has none: there is no shared emulator then.
function homeDirectory(): string {
  try {
    return homedir();
  } catch {
    return '/nonexistent';
  }
}
