// Why a start failed, in one line that says what to do.

import { rootOf } from '../core/root.js';
import { urlHost } from '../http/listen.js';
import type { ErrorFacts } from './error-document.js';
import { healthAt, listeners, type RunFile, readRunFile } from './run-file.js';

/** Why a port could not be had. */
export async function portReason(code: string, host: string, port: number, dataDir: string): Promise<string> {
  switch (code) {
    case 'EADDRINUSE': {
      const running = readRunFile(dataDir);
      if (running?.port === port) return runsHere(running);
      const holder = await portHolder(port);
      return `Port ${port} is taken${holder === undefined ? '' : ` by ${holder}`}. Choose another with --port, or --port 0 for a free one.`;
    }
    case 'EACCES':
      return `Port ${port} needs privileges that this user does not have. Choose one above 1023 with --port.`;
    case 'EADDRNOTAVAIL':
      return `This machine has no address ${host}. Choose another --host: localhost, 0.0.0.0 or one of its own.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `There is no host ${host}. Choose another --host: localhost, 0.0.0.0 or an address of this machine.`;
    default:
      return `Cannot listen on ${host}:${port} (${code}). Choose another --host or --port.`;
  }
}

/** How many ports after the default one a start tries. */
export const mostPorts = 100;

/**
 * Whose emulator holds a port, if that is another one's, in words; undefined: no emulator, or one of this directory.
 */
export async function foreignHolder(host: string, port: number): Promise<string | undefined> {
  const health = await healthAt(`http://${urlHost(host)}:${port}`);
  const { root, shared = false } = health?.identity ?? {};
  if (root === undefined || root === rootOf(process.cwd())) return undefined;
  return shared ? 'the shared emulator' : `the emulator of ${root}`;
}

/** Why a data directory could not be used: the store's own words, or who holds it. */
export function dataReason(message: string, dataDir: string): string {
  const running = / in use /.test(message) ? readRunFile(dataDir) : undefined;
  return running === undefined ? message : runsHere(running);
}

/**
 * The code for a program, and the commands that can come next.
 *
 * @param code that of the reason, unless an emulator runs here
 * @param argv the command line that failed
 */
export function startFacts(reason: string, code: string, dataDir: string, argv: readonly string[]): ErrorFacts {
  if (reason.startsWith(runsHereStart)) return { code: 'ALREADY_RUNNING', next: [['status', `--data-dir=${dataDir}`]] };
  const at = argv.findIndex((word) => /^--port(=|$)/.test(word));
  const others = at < 0 ? argv : argv.filter((_, i) => i !== at && (i !== at + 1 || argv[at] !== '--port'));
  return { code, next: reason.includes('--port 0') ? [[...others, '--port', '0']] : [] };
}

const runsHereStart = 'An emulator is already running here: ';

/** The emulator that a directory has already, and the flags that start another. */
export function runsHere({ url, pid }: RunFile, flags = '--ephemeral --port 0'): string {
  return `${runsHereStart}${url} (pid ${pid}). Use it, stop it with \`cloudemu stop\`, or start another with ${flags}.`;
}

/** The reason that the system or SQLite gives about a data directory, or undefined when the error is a fault of ours. */
export function systemReason(error: unknown, dataDir: string): string | undefined {
  const { name, code, message } = error as NodeJS.ErrnoException;
  if (name !== 'SqliteError' && code?.startsWith('E') !== true) return undefined;
  return `The data directory ${dataDir} cannot be used: ${message}. Choose another --data-dir, or --ephemeral.`;
}

// The name and id of the process that uses a port, if the system reveals it.
async function portHolder(port: number): Promise<string | undefined> {
  const [[holder], health] = await Promise.all([listeners(port), healthAt(`http://localhost:${port}`)]);
  const [program = 'a process'] = holder?.words ?? [];
  const name = holder === undefined ? undefined : `${program.replace(/^.*[/\\]/, '')} (pid ${holder.pid})`;
  if (health === undefined) return name;
  return name === undefined ? 'another cloudemu' : `another cloudemu: ${name}`;
}
