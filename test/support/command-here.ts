// Running a command in the test's own process: as the command does, without the cost of a process for each.

import { vi } from 'vitest';
import { runCommands } from '../../src/cli/commands.js';
import { tellFailure } from '../../src/cli/main.js';
import type { Outcome } from './command.js';

class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}

/** Runs a command line to its end; one at a time, as the process has one output. */
export async function runHere(args: readonly string[]): Promise<Outcome> {
  const out = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      out[name] += String(text);
      return true;
    }),
  );
  const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Exit(Number(code));
  });
  try {
    await runCommands(args).catch((error: unknown) => {
      if (error instanceof Exit) throw error;
      tellFailure(error);
    });
    return { code: Number(process.exitCode ?? 0), ...out };
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    return { code: error.code, ...out };
  } finally {
    process.exitCode = undefined;
    for (const spy of [...spies, exit]) spy.mockRestore();
  }
}
