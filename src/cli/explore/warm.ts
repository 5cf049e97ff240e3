// What runs the tested command: a process for each run, or a Vitest that stays, as most of the time of a short run is its start.
// Its tests run in new workers each time, against an emulator of their own, which listens where the former one did: what
// Vitest has read once still holds.

import type { ServerResponse } from 'node:http';
import { basename } from 'node:path';
import * as z from 'zod';
import { fixturePath, readText } from '../../core/files.js';
import { type ChildOptions, runChild } from '../child.js';
import { openHelperServer } from '../test-worlds.js';

export interface Runner {
  /** Where the emulator of its runs listens; undefined: anywhere. */
  port: number | undefined;
  /** Runs the command as `runChild` does; one that stays keeps the environment of its first run. */
  run(options: ChildOptions): Promise<number>;
}

/** A runner that starts the command anew each time. */
export function coldRunner(command: readonly string[]): Runner {
  return { port: undefined, run: (options) => runChild(command, options) };
}

/** Runners that stay, one for each run at a time. */
export interface Runners {
  /** Lends one that nobody uses. */
  lend<Result>(act: (runner: Runner) => Promise<Result>): Promise<Result>;
  end(): Promise<void>;
}

interface WarmRunner extends Runner {
  readonly hasEnded: boolean;
  end(): Promise<void>;
}

/**
 * The runners of a command that is Vitest and nothing else; undefined where it is something else.
 *
 * @example warmRunners(['/shop/node_modules/.bin/vitest', 'run'])
 */
export function warmRunners(command: readonly string[]): Runners | undefined {
  const args = argumentsOf(command);
  if (args === undefined || process.platform === 'win32') return undefined;
  const idle: WarmRunner[] = [];
  return {
    async lend(act) {
      const runner = idle.pop() ?? warmRunner(args);
      try {
        return await act(runner);
      } finally {
        if (!runner.hasEnded) idle.push(runner);
      }
    },
    async end() {
      await Promise.all(idle.splice(0).map((runner) => runner.end()));
    },
  };
}

// What an installed Vitest is given, where it runs once.
function argumentsOf(command: readonly string[]): string[] | undefined {
  const [program = '', ...args] = command[0] === 'npx' ? command.slice(1) : command;
  if (basename(program) !== 'vitest') return undefined;
  const [first = 'run'] = args;
  return first === 'run' || first.startsWith('-') ? args : undefined;
}

const lookMs = 100;
const endingMs = 2_000;
const said = z.object({ exitCode: z.number().optional() });

interface Current {
  options: ChildOptions;
  until: number;
  end(exitCode: number): void;
}

function warmRunner(args: readonly string[]): WarmRunner {
  /** The run that is under way. */
  let current: Current | undefined;
  /** Tells it to run the tests. */
  let waiting: ServerResponse | undefined;
  let ending: number | undefined;
  let child: Promise<number> | undefined;
  let hasEnded = false;

  const begin = (): void => {
    if (current === undefined || waiting === undefined) return;
    waiting.end();
    waiting = undefined;
  };
  const hear = (_path: string, body: unknown, res: ServerResponse): void => {
    const { exitCode } = said.parse(body);
    waiting = res;
    if (exitCode === undefined) return void begin();
    const ended = current;
    current = undefined;
    ended?.end(exitCode);
  };
  const moreMs = (): number => {
    const now = performance.now();
    if (ending !== undefined) return ending - now;
    if (current === undefined) return lookMs;
    const left = current.until - now;
    return left > 0 ? Math.min(left, lookMs) : (current.options.moreMs?.() ?? 0);
  };
  const start = async ({ env, aside, graceMs }: ChildOptions): Promise<number> => {
    const server = await openHelperServer(hear);
    const source = readText(fixturePath('warm-runners', 'vitest.mjs'));
    return runChild(['node', '--input-type=module', '--eval', source, '--', server.url, ...args], {
      env,
      aside,
      graceMs,
      onOutput: (text, stream) => current?.options.onOutput?.(text, stream),
      limitMs: lookMs,
      moreMs,
      onLimit: () => current?.options.onLimit?.(),
    }).finally(() => {
      hasEnded = true;
      server.close();
    });
  };
  return {
    port: undefined,
    get hasEnded() {
      return hasEnded;
    },
    run(options) {
      return new Promise((resolve, reject) => {
        const until = options.limitMs === undefined ? Infinity : performance.now() + options.limitMs;
        current = { options, until, end: resolve };
        child ??= start(options);
        child.then(resolve, reject);
        begin();
      });
    },
    async end() {
      ending = performance.now() + endingMs;
      waiting?.writeHead(410).end();
      await child?.catch(() => {});
    },
  };
}
