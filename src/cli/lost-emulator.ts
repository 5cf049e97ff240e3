// Emulators that no run file names, because their data directory was removed (`git clean -xfd`) or is another one's.

import { resolve } from 'node:path';
import { rootOf } from '../core/root.js';
import { healthAt } from './instance.js';
import { type Listener, listeners } from './listeners.js';
import { isHere } from './run-file.js';

export interface LostEmulator {
  pid: number;
  url: string;
}

/** The process behind a URL of this machine, if an emulator answers there and a process of this user listens. */
export async function emulatorAt(url: string, token: string | undefined): Promise<LostEmulator | undefined> {
  if (!isHere(url)) return undefined;
  const [[holder], health] = await Promise.all([listeners(Number(new URL(url).port)), healthAt(url, { token })]);
  return holder === undefined || health === undefined ? undefined : { pid: holder.pid, url };
}

/** The emulator of this directory, or the shared one, wherever it listens. */
export async function runningEmulator(isShared: boolean, token: string | undefined): Promise<LostEmulator | undefined> {
  const here = rootOf(process.cwd());
  const found = await Promise.all(
    (await listeners()).filter(isStart).map(async ({ pid, port }) => {
      const url = `http://127.0.0.1:${port}`;
      const { root, shared = false } = (await healthAt(url, { token }))?.identity ?? {};
      return isShared === shared && (shared || root === here) ? [{ pid, url }] : [];
    }),
  );
  return found.flat()[0];
}

/** The emulator that was started with a data directory, which may be gone by now. */
export async function startedWith(dataDir: string, token: string | undefined): Promise<LostEmulator | undefined> {
  const ofDirectory = (await listeners()).filter((one) => isStart(one) && dataDirOf(one) === resolve(dataDir));
  const [first] = ofDirectory;
  return first === undefined ? undefined : emulatorAt(`http://127.0.0.1:${first.port}`, token);
}

function dataDirOf({ words }: Listener): string | undefined {
  const index = words.findIndex((word) => /^--data-dir(=|$)/.test(word));
  const value = words[index]?.split('=')[1] ?? words[index + 1];
  return index === -1 || value === undefined ? undefined : resolve(value);
}

// Nothing is sent to programs that are not ours. The shared emulator is one of this user, as its process is.
function isStart({ words }: Listener): boolean {
  return words.includes('start') && words.some((word) => /(^|[/\\])(cli\.cjs|cloudemu[^/\\]*)$/.test(word));
}
