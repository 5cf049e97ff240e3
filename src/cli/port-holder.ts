// Finds the process that uses a port, if the system reveals it.

import { execFile } from 'node:child_process';

/** The holder's name and process id, or undefined. */
export async function portHolder(port: number): Promise<string | undefined> {
  const [name, isOurs] = await Promise.all([holderName(port), isEmulator(port)]);
  if (!isOurs) return name;
  return name === undefined ? 'another cloudemu' : `another cloudemu: ${name}`;
}

async function holderName(port: number): Promise<string | undefined> {
  const lsof = await output('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc']);
  const pid = /^p(\d+)/m.exec(lsof)?.[1];
  const name = /^c(.+)/m.exec(lsof)?.[1];
  if (pid !== undefined) return `${name ?? 'a process'} (pid ${pid})`;
  const ss = await output('ss', ['-ltnpH', `sport = :${port}`]);
  const [, ssName, ssPid] = /users:\(\("([^"]+)",pid=(\d+)/.exec(ss) ?? [];
  return ssPid === undefined ? undefined : `${ssName} (pid ${ssPid})`;
}

function output(command: string, args: string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: 2_000 }, (_error, stdout) => resolve(stdout));
  });
}

async function isEmulator(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://localhost:${port}/_emulator/health`, { signal: AbortSignal.timeout(2_000) });
    const health = (await response.json()) as { version?: unknown; uptimeMs?: unknown } | null;
    return typeof health?.version === 'string' && typeof health.uptimeMs === 'number';
  } catch {
    return false;
  }
}
