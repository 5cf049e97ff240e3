// `cloudemu start`: runs the emulator until it is told to stop.

import { relative } from 'node:path';
import { ConfigError, type LoadedConfig, loadConfig } from '../../config/load.js';
import type { FlagName } from '../../config/flags.js';
import { type RunningEmulator, runEmulator } from '../../emulator.js';
import { ListenError } from '../../http/listen.js';
import { afterWall } from '../../kernel/clock.js';
import { StoreError } from '../../store/db.js';
import { createRequestLog } from '../log.js';
import { portHolder } from '../port-holder.js';
import { fail, note, printJson, printLine, table } from '../print.js';
import { type RunInfo, writeRunFile } from '../run-file.js';

export interface StartOptions {
  json: boolean;
  config: string | undefined;
  flags: Partial<Record<FlagName, unknown>>;
}

/** Starts, announces, and stays until Ctrl-C or SIGTERM. */
export async function start(options: StartOptions): Promise<void> {
  const loaded = load(options);
  const { config } = loaded;
  for (const warning of loaded.warnings) note(`warning: ${warning}`);
  const log = createRequestLog(config, options.json);
  const emulator = await run(loaded, log);
  const info = describe(emulator);
  const removeRunFile = announceRunFile(config.data.dir, info);
  endOnSignal(emulator, removeRunFile);
  if (options.json) printJson(info);
  else if (options.flags.quiet !== true) printLine(banner(info, loaded));
}

function load(options: StartOptions): LoadedConfig {
  try {
    return loadConfig({ file: options.config, env: process.env, flags: options.flags });
  } catch (error) {
    if (error instanceof ConfigError) fail(2, error.message);
    throw error;
  }
}

async function run({ config }: LoadedConfig, log: ReturnType<typeof createRequestLog>): Promise<RunningEmulator> {
  try {
    return await runEmulator({ config, onRequest: log.request, onError: log.error });
  } catch (error) {
    if (error instanceof ListenError && error.code === 'EADDRINUSE') {
      const holder = await portHolder(error.port);
      fail(2, `Port ${error.port} is taken${holder === undefined ? '' : ` by ${holder}`}. Choose another with --port, or --port 0 for a free one.`);
    }
    if (error instanceof ListenError) fail(2, `${error.message}. Check --host and --port.`);
    if (error instanceof StoreError) fail(2, error.message);
    throw error;
  }
}

function describe(emulator: RunningEmulator): RunInfo {
  const { url, port, apiKey, organizationId, userId, dataDir, version } = emulator;
  const control = `${url}/_emulator`;
  return { url, port, apiKey, organizationId, userId, health: `${control}/health`, control, dataDir, pid: process.pid, version };
}

// Without a run file the verbs need --url; that is no reason not to run.
function announceRunFile(dir: string, info: RunInfo): () => void {
  try {
    return writeRunFile(dir, info);
  } catch (error) {
    note(`warning: no run file in ${dir} (${(error as NodeJS.ErrnoException).code}); the verbs will need --url`);
    return () => {};
  }
}

const forcedExitMs = 900;

function endOnSignal(emulator: RunningEmulator, removeRunFile: () => void): void {
  let ending = false;
  const end = (): void => {
    if (ending) process.exit(0);
    ending = true;
    removeRunFile();
    afterWall(forcedExitMs, () => process.exit(0));
    void emulator.close().then(() => process.exit(0));
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
}

function banner(info: RunInfo, { config, file }: LoadedConfig): string {
  const here = (path: string): string => {
    const short = relative(process.cwd(), path);
    return short !== '' && !short.startsWith('..') ? `./${short}` : path;
  };
  const { timing } = config.containers;
  const rows: [string, string][] = [
    ['URL', info.url],
    ['Test key', info.apiKey],
    ['Health', info.health],
    ['OpenAPI', `${info.url}/openapi.json`],
    ['Settings', file === null ? `defaults, profile ${config.profile} (\`cloudemu init\` writes a file)` : `${here(file)}, profile ${config.profile}`],
    ['Data', info.dataDir === null ? 'in memory, gone at the end' : here(info.dataDir)],
    ['Timing', `${typeof timing === 'string' ? timing : 'as in the settings'}${config.clock.frozen ? ', clock frozen' : ''}`],
  ];
  return [
    `cloudemu ${info.version} is ready.`,
    '',
    table(rows),
    '',
    'Try it:',
    `  curl -s ${info.url}/api/v1/containers -H "Authorization: Bearer ${info.apiKey}"`,
    '',
    'Ctrl-C ends it.',
  ].join('\n');
}
