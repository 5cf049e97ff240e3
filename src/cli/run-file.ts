// The run file: where a running emulator is, for the verbs. Mode 0600, because it holds the test key.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** One line of `start --json`, and the content of the run file. */
export interface RunInfo {
  url: string;
  port: number;
  apiKey: string;
  organizationId: string;
  userId: string;
  health: string;
  control: string;
  dataDir: string | null;
  pid: number;
  version: string;
}

function runFile(dataDir: string): string {
  return join(resolve(dataDir), 'run.json');
}

/** Writes the run file, unless a living emulator already stands in it; returns a function that removes it. */
export function writeRunFile(dataDir: string, info: RunInfo): () => void {
  const other = readRunFile(dataDir);
  if (other !== undefined && other.pid !== info.pid) return () => {};
  const file = runFile(dataDir);
  mkdirSync(resolve(dataDir), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.${info.pid}`, `${JSON.stringify(info)}\n`, { mode: 0o600 });
  renameSync(`${file}.${info.pid}`, file);
  return () => {
    if (readRunFile(dataDir)?.pid === info.pid) rmSync(file, { force: true });
  };
}

/** The emulator that a data directory's run file names, if it still lives. */
export function readRunFile(dataDir: string): RunInfo | undefined {
  try {
    const info = JSON.parse(readFileSync(runFile(dataDir), 'utf8')) as RunInfo;
    return isAlive(info.pid) ? info : undefined;
  } catch {
    return undefined;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
