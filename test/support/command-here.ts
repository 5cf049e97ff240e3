// Running a command in the test's own process: as the command does, without the cost of a process for each.

import type { EventEmitter } from 'node:events';
import { tmpdir } from 'node:os';
import { vi } from 'vitest';
import { loadCommands } from '../../src/cli/all-commands.js';
import { main, tellFailure } from '../../src/cli/main.js';
import { cli, type Outcome, type RunOptions, tempDir } from './command.js';

class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}

/** Emitters to which a command adds listeners that end with its process. */
const emitters: EventEmitter[] = [process.stdout, process.stderr, process];
const events = ['error', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const;

// The process has one output, one directory and one environment: commands run one after the other.
let last: Promise<unknown> = Promise.resolve();

export interface HereOptions extends Pick<RunOptions, 'cwd' | 'env'> {
  /** Output goes to a terminal as wide as this, not into a pipe. */
  columns?: number;
}

/**
 * Runs a command line to its end, in a directory and an environment that hold no settings of the machine.
 * The life of a process (signals, its exit, what the bundle holds) is the subject of tests that use `run`.
 */
export function runHere(args: readonly string[], options: HereOptions = {}): Promise<Outcome> {
  const outcome = last.then(() => runAlone(args, options));
  last = outcome.catch(() => {});
  return outcome;
}

async function runAlone(
  args: readonly string[],
  { cwd = tempDir(), env = {}, columns }: HereOptions,
): Promise<Outcome> {
  const out = { stdout: '', stderr: '' };
  const before = { cwd: process.cwd(), env: process.env, argv: process.argv };
  const listeners = emitters.flatMap((emitter) =>
    events.map((event) => ({ emitter, event, kept: new Set(emitter.listeners(event)) })),
  );
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      out[name] += String(text);
      return true;
    }),
  );
  const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Exit(Number(code ?? process.exitCode ?? 0));
  });
  process.env = { PATH: before.env.PATH, HOME: cwd, TMPDIR: tmpdir(), ...env };
  process.argv = [process.execPath, cli, ...args];
  process.chdir(cwd);
  const { isTTY, columns: width } = process.stdout;
  if (columns !== undefined) Object.assign(process.stdout, { isTTY: true, columns });
  try {
    await main(args, loadCommands).catch((error: unknown) => {
      if (error instanceof Exit) throw error;
      tellFailure(error);
    });
    return { code: Number(process.exitCode ?? 0), ...out };
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    return { code: error.code, ...out };
  } finally {
    process.exitCode = undefined;
    Object.assign(process.stdout, { isTTY, columns: width });
    process.chdir(before.cwd);
    process.env = before.env;
    process.argv = before.argv;
    for (const spy of [...spies, exit]) spy.mockRestore();
    for (const { emitter, event, kept } of listeners)
      for (const listener of emitter.listeners(event))
        if (!kept.has(listener)) emitter.removeListener(event, listener as () => void);
  }
}
