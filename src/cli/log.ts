// The request log: one line a request on stderr, pretty on a terminal, else JSON. The logger is loaded after the start.

import type { Logger } from 'pino';
import type { PrettyOptions } from 'pino-pretty';
import type { Config } from '../config/schema.js';
import { afterWall } from '../core/clock.js';
import { formatDuration } from '../core/duration.js';
import type { RequestListener } from '../tools/journal/hooks.js';
import { statusPart } from './layout.js';
import { type Line, note, painted, renderedForPeople, stderrScreen, writeAsIs } from './print.js';

export type RequestLog = ReturnType<typeof createRequestLog>;

const loadDelayMs = 150;

/** The request log of a process. */
export function createRequestLog(config: Config, json: boolean) {
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

  const request: RequestListener = (entry, worldId) => {
    const { method, path, status, durationMs } = entry;
    log((to) => to.info(recordOf(entry, worldId), `${method} ${path} ${status} ${durationMs}ms`));
  };
  return {
    /** Writes what still waits for the logger. */
    flush: async () => (waiting.length > 0 ? load() : undefined),
    /** A fault of the emulator itself. */
    error: (error: unknown): void =>
      log((to) => to.error(error instanceof Error ? error : new Error(String(error)), 'emulator fault')),
    request: config.log.requests ? request : undefined,
  };
}

type Logged = ReturnType<typeof recordOf>;

function recordOf(entry: Parameters<RequestListener>[0], worldId: string) {
  const { requestId, method, path, status, durationMs: ms, operation, errorCode, warnings } = entry;
  return {
    requestId,
    ...(worldId !== 'default' && { world: worldId }),
    method,
    path,
    status,
    ms,
    ...(operation !== null && { operation }),
    ...(errorCode !== null && { error: errorCode }),
    ...(warnings.length > 0 && { warnings }),
  };
}

async function createLogger(config: Config, json: boolean): Promise<Logger> {
  const { pino } = await import('pino');
  const { format } = config.log;
  const isPretty = format === 'pretty' || (format === 'auto' && !json && stderrScreen().isTerminal);
  // Lines of JSON, which escapes leave as they are.
  if (!isPretty) return pino({ base: null }, { write: (line) => note(line.trimEnd()) });
  const { prettyFactory } = await import('pino-pretty');
  const render = prettyFactory(pretty);
  return pino({ base: null }, { write: (line) => writeAsIs(render(line)) });
}

// Text from clients is made visible, and painted, where each line is put together: the formatter only joins.
const pretty: PrettyOptions = {
  colorize: false,
  hideObject: true,
  ignore: 'time,level',
  messageFormat: (record) =>
    linesOf(record as unknown as Logged & Fault)
      .map(renderedForPeople)
      .join('\n'),
};

interface Fault {
  err?: { message: string; stack?: string };
}

function linesOf({ err, warnings = [], ...request }: Logged & Fault): Line[] {
  if (err !== undefined) return [painted('red', 'emulator fault'), ...(err.stack ?? err.message).split('\n')];
  const time = new Date().toTimeString().slice(0, 8);
  return [
    requestLine(time, request),
    ...warnings.map((warning): Line => [' '.repeat(time.length + 2), painted('yellow', 'warning'), `: ${warning}`]),
  ];
}

function requestLine(time: string, { status, method, path, ms, error, operation, world }: Logged): Line {
  const about = [formatDuration(ms), error, operation, world === undefined ? undefined : `world ${world}`];
  return [
    painted('dim', time),
    '  ',
    statusPart(status === 0 ? '---' : String(status)),
    `  ${method} ${path}  `,
    painted('dim', about.filter((word) => word !== undefined).join('  ')),
  ];
}
