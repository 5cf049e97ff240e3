// The request log: one line a request on stderr, pretty on a terminal. The logger is loaded after the start.

import { Writable } from 'node:stream';
import type { Logger } from 'pino';
import type { Config } from '../config/schema.js';
import type { RequestListener } from '../http/journal.js';
import { afterWall } from '../kernel/clock.js';

export interface RequestLog {
  request: RequestListener | undefined;
  /** A fault of the emulator itself. */
  error: (error: unknown) => void;
  /** Writes what still waits for the logger. */
  flush: () => Promise<void>;
}

const loadDelayMs = 150;

/** The request log of a process. */
export function createRequestLog(config: Config, json: boolean): RequestLog {
  let logger: Logger | undefined;
  let waiting: ((logger: Logger) => void)[] = [];

  async function load(): Promise<void> {
    logger ??= await createLogger(config, json);
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
    error: (error) =>
      log((to) => to.error(error instanceof Error ? error : new Error(String(error)), 'emulator fault')),
    request: config.log.requests
      ? (entry, worldId) =>
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
          )
      : undefined,
  };
}

async function createLogger(config: Config, json: boolean): Promise<Logger> {
  const { pino } = await import('pino');
  const { format } = config.log;
  const pretty = format === 'pretty' || (format === 'auto' && !json && process.stderr.isTTY === true);
  if (!pretty) return pino({ base: null }, process.stderr);
  const { prettyFactory } = await import('pino-pretty');
  const render = prettyFactory({
    colorize: process.stderr.isTTY === true && process.env.NO_COLOR === undefined,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'requestId,method,path,status,ms,world',
    // An error code is a word of the line, not an error with lines of its own.
    errorLikeObjectKeys: ['err'],
    singleLine: true,
  });
  return pino(
    { base: null },
    new Writable({ write: (line, _encoding, done) => done(void process.stderr.write(render(String(line)))) }),
  );
}
