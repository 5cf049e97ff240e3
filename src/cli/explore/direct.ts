// A command without the start of npm before it, which takes longer than many test commands: each run would pay for it.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { readFoundText } from '../../core/checkout-files.js';
import { isTree } from '../../core/tree.js';

export interface DirectCommand {
  command: readonly string[];
  /** The variables that npm adds to the environment. */
  env: Record<string, string>;
}

/**
 * The command that `npx <installed program> …`, `npm test` and `npm run …` would run, in the environment that npm gives it;
 * else the command itself.
 *
 * @param interrupted ends the question to npm
 */
export async function directCommand(
  command: readonly string[],
  { directory = process.cwd(), interrupted }: { directory?: string; interrupted?: AbortSignal } = {},
): Promise<DirectCommand> {
  const same = { command: withCauses(command), env: {} };
  if (process.platform === 'win32') return same;
  const [tool, ...args] = command;
  const direct = tool === 'npx' ? programOf(args, directory) : tool === 'npm' ? scriptOf(args, directory) : undefined;
  if (direct === undefined) return same;
  const given = await environmentOfNpm(directory, interrupted);
  return given === undefined ? same : { command: withCauses(direct.command), env: { ...given, ...direct.env } };
}

/**
 * The command with the reporter of `node --test` that prints the causes of errors: up to Node 22 another one does without a
 * terminal, and nothing would show that a client's typed error passes on that of a connection.
 */
export function withCauses(command: readonly string[]): readonly string[] {
  const reporter = '--test-reporter=spec';
  if (command.some((word) => word.includes('--test-reporter'))) return command;
  if (command[0] === 'sh') return command.map((word) => word.replace(/^(node --test)(?= |$)/, `$1 ${reporter}`));
  const place = command.indexOf('--test') + 1;
  if (place === 0 || basename(command[0] ?? '') !== 'node') return command;
  return [...command.slice(0, place), reporter, ...command.slice(place)];
}

// The program of an installed package, as npx finds it; with flags of npx or a version, npx has to look.
function programOf([name = '', ...args]: string[], directory: string): DirectCommand | undefined {
  if (!/^[\w.-]+$/.test(name) || name.startsWith('-')) return undefined;
  const file = withParents(directory)
    .map((one) => join(one, 'node_modules/.bin', name))
    .find(existsSync);
  return file === undefined ? undefined : { command: [file, ...args], env: {} };
}

function scriptOf([subcommand = '', ...args]: string[], directory: string): DirectCommand | undefined {
  const isRun = subcommand === 'run' || subcommand === 'run-script';
  const [name = '', ...rest] = isRun ? args : ['test', ...args];
  // Flags before `--` are for npm.
  if ((!isRun && !['test', 't', 'tst'].includes(subcommand)) || (rest.length > 0 && rest[0] !== '--')) return undefined;
  const scripts = scriptsIn(directory);
  const script = scripts[name];
  if (typeof script !== 'string' || `pre${name}` in scripts || `post${name}` in scripts) return undefined;
  const quoted = rest.slice(1).map((arg) => ` '${arg.replaceAll("'", "'\\''")}'`);
  return {
    command: ['sh', '-c', `${script}${quoted.join('')}`],
    env: { npm_command: isRun ? 'run' : 'test', npm_lifecycle_event: name, npm_lifecycle_script: script },
  };
}

function scriptsIn(directory: string): Record<string, unknown> {
  try {
    const manifest: unknown = JSON.parse(readFoundText(join(directory, 'package.json')));
    return isTree(manifest) && isTree(manifest.scripts) ? manifest.scripts : {};
  } catch {
    return {};
  }
}

const askNpm = promisify(execFile);

// The command runs as it was given if npm cannot be found, or another kind of shell is set.
async function environmentOfNpm(
  cwd: string,
  signal: AbortSignal | undefined,
): Promise<Record<string, string> | undefined> {
  const show = 'process.stdout.write(JSON.stringify(process.env))';
  try {
    const asking = askNpm('npm', ['exec', '--offline', '--call', `node -e '${show}'`], {
      cwd,
      timeout: 30_000,
      maxBuffer: 10_000_000,
      ...(signal !== undefined && { signal }),
    });
    asking.child.stdin?.end();
    const { stdout } = await asking;
    const all = JSON.parse(stdout) as Record<string, string>;
    if ((all.npm_config_script_shell ?? '') !== '') return undefined;
    const added = Object.entries(all).filter(
      ([name, value]) => process.env[name] !== value && !ofAsking.includes(name),
    );
    return Object.fromEntries(added);
  } catch {
    return undefined;
  }
}

/** Variables that are only there because the environment was asked for. */
const ofAsking: readonly string[] = ['npm_config_call', 'npm_config_offline', 'npm_lifecycle_script', '_', 'SHLVL'];

function withParents(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...withParents(parent)];
}
