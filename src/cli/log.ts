// The request log: one line a request on stderr, for people on a terminal, else JSON. The logger of JSON is loaded after
// the start.

import type { Logger } from 'pino';
import type { Config } from '../config/schema.js';
import type { RequestListener } from '../http/journal.js';
import { afterWall } from '../kernel/clock.js';
import { formatDuration } from '../kernel/duration.js';
import { statusPart } from './colours.js';
import { type Line, note, notes, painted } from './print.js';
import { stderrScreen } from './terminal.js';

export interface RequestLog {
  request: RequestListener | undefined;
  /** A fault of the emulator itself. */
  error: (error: unknown) => void;
  /** Writes what still waits for the logger. */
  flush: () => Promise<void>;
}

type Entry = Parameters<RequestListener>[0];

/** The request log of a process. */
export function createRequestLog(config: Config, json: boolean): RequestLog {
  const { format, requests } = config.log;
  const isPretty = format === 'pretty' || (format === 'auto' && !json && stderrScreen().isTerminal);
  const { write, flush } = isPretty ? forPeople() : asJson();
  return {
    flush,
    error: (error) => write.error(error instanceof Error ? error : new Error(String(error))),
    request: requests ? write.request : undefined,
  };
}

interface Log {
  write: { request: RequestListener; error: (error: Error) => void };
  flush: () => Promise<void>;
}

function forPeople(): Log {
  return {
    write: {
      request: (entry, worldId) => notes(linesOf(entry, worldId)),
      error: (error) => notes([painted('red', 'emulator fault'), ...(error.stack ?? error.message).split('\n')]),
    },
    flush: async () => undefined,
  };
}

function linesOf({ status, method, path, durationMs, operation, errorCode, warnings }: Entry, worldId: string): Line[] {
  const time = new Date().toTimeString().slice(0, 8);
  const about = [
    formatDuration(durationMs),
    ...(errorCode === null ? [] : [errorCode]),
    ...(operation === null ? [] : [operation]),
    ...(worldId === 'default' ? [] : [`world ${worldId}`]),
  ];
  return [
    [
      painted('dim', time),
      '  ',
      statusPart(status === 0 ? '---' : String(status)),
      `  ${method} ${path}  `,
      painted('dim', about.join('  ')),
    ],
    ...warnings.map((warning): Line => [' '.repeat(time.length + 2), painted('yellow', 'warning'), `: ${warning}`]),
  ];
}

const loadDelayMs = 150;

function asJson(): Log {
  let logger: Logger | undefined;
  let waiting: ((logger: Logger) => void)[] = [];

  async function load(): Promise<void> {
    const { pino } = await import('pino');
    // Its lines are JSON, which escapes leave as it is.
    logger ??= pino({ base: null }, { write: (line) => note(line.trimEnd()) });
    for (const write of waiting) write(logger);
    waiting = [];
  }
  function log(write: (logger: Logger) => void): void {
    if (logger !== undefined) {
      write(logger);
      return;
    }
    if (waiting.length === 0) afterWall(loadDelayMs, () => void load());
    waiting.push(write);
  }

  return {
    flush: async () => (waiting.length > 0 ? load() : undefined),
    write: {
      error: (error) => log((to) => to.error(error, 'emulator fault')),
      request: (entry, worldId) =>
        log((to) =>
          to.info(
            {
              requestId: entry.requestId,
              ...(worldId !== 'default' && { world: worldId }),
              method: entry.method,
              path: entry.path,
              status: entry.status,
              ms: entry.durationMs,
              ...(entry.operation !== null && { operation: entry.operation }),
              ...(entry.errorCode !== null && { error: entry.errorCode }),
              ...(entry.warnings.length > 0 && { warnings: entry.warnings }),
            },
            `${entry.method} ${entry.path} ${entry.status} ${entry.durationMs}ms`,
          ),
        ),
    },
  };
}
