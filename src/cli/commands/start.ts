// `cloudemu start`: runs the emulator until a signal stops it.

import { basename, dirname, resolve } from 'node:path';
import { type EmulatorOptions, operationIds, type RunningEmulator, runEmulator } from '../../app/emulator.js';
import { ReceiptNotes } from '../../app/receipts.js';
import { asSet, ConfigError } from '../../config/error.js';
import { flags } from '../../config/flags.js';
import { type LoadedConfig, loadConfig } from '../../config/load.js';
import { noScenario } from '../../config/names.js';
import { readReplyFile, replyFolder } from '../../config/reply-file.js';
import type { Config } from '../../config/schema.js';
import { StoreError } from '../../core/errors.js';
import { fixturePath } from '../../core/files.js';
import { configFileName, identityOf } from '../../core/root.js';
import { ListenError, type NextPort, urlHost } from '../../http/listen.js';
import { readFailure } from '../../platform/containers/lifecycle/failures.js';
import { scenarioDir } from '../../tools/scenarios/library.js';
import { type Command, settingsFile } from '../command.js';
import { endOnSignal } from '../interrupt.js';
import { namedValues, shortPath } from '../layout.js';
import { createRequestLog, type RequestLog } from '../log.js';
import { fail, type Line, note, printJson, stdoutScreen, tell } from '../print.js';
import { watchEdits } from '../reload.js';
import { type RunFile, writeRunFile } from '../run-file.js';
import { type StartOptions, startOptions } from '../start-options.js';

export const startCommand: Command = {
  words: 'start',
  valueIs: 'port',
  describe: 'Run the emulator until Ctrl-C, or in the background',
  flags: {
    shared: {
      type: 'boolean',
      describe: 'Run the emulator that all directories share: each gets a world of its own from `cloudemu env`',
      byDefault: 'off',
    },
    detach: {
      type: 'boolean',
      describe: 'Run it in the background and return when it is ready; `cloudemu stop` ends it',
      byDefault: 'off',
    },
    ...flags,
    ...settingsFile,
    json: { type: 'boolean', describe: 'Print one line of JSON instead of the banner', byDefault: 'off' },
  },
  examples: [
    ['start --port 0 --ephemeral --json', 'a throw-away emulator, for a script'],
    ['start --seed 42 --timing realistic', 'deployments take minutes, and are the same each time'],
    ['start --shared --detach', 'one emulator for all checkouts of this user, in the state directory'],
    ['start --detach', 'in the background; its log is emulator.log in the data directory'],
  ],
  async run(values) {
    const options = startOptions(values);
    if (values.detach !== true) return start(options);
    const { detach } = await import('./detach.js');
    return detach(options);
  },
};

/** Starts, announces, and stays until Ctrl-C or SIGTERM. */
export async function start(asked: StartOptions): Promise<void> {
  const ending = endOnSignal();
  const options = asked.shared === true ? await (await import('../shared.js')).enterShared(asked) : asked;
  const load = (): LoadedConfig => settingsOf(options);
  const loaded = load();
  let { read } = loaded;
  const { config } = loaded;
  for (const warning of loaded.warnings) warn(warning);
  const log = createRequestLog(config, options.json);
  ending.first(log.flush);
  const notes = config.data.receipt === null ? undefined : new ReceiptNotes(config.data.receipt);
  const emulator = await run(loaded, log, {
    settings: () => read,
    onWorldEnd: (id) => notes?.onWorldEnd(id),
    ...(options.shared === true && { identity: { ...identityOf(process.cwd()), name: 'shared', shared: true } }),
  });
  notes?.begin(await emulator.controlPlane());
  ending.first(() => {
    notes?.write(warn);
    return emulator.close();
  });
  const info = describe(emulator, config.server.host);
  ending.first(await announceRunFile(config.data.dir, info));
  ending.first(
    watchEdits({
      file: loaded.file ?? resolve(configFileName),
      scenarios: scenarioDir(config.data),
      replies: replyFolder(config.replies),
      config,
      load: () => {
        const next = load();
        read = next.read;
        return next.config;
      },
      apply: emulator.reconfigure,
      problemsIn: (file) => problemsIn(emulator, config, file),
    }),
  );
  const { clock, dataDir, isNew } = emulator;
  if (isOtherClock(emulator, options))
    note(
      `note: the world in ${dataDir} keeps its own clock (${clock.now}${clock.frozen ? ', frozen' : ''}); --clock and --frozen are for a new one`,
    );
  // A world that is there already goes on with what it has.
  if (!isNew && options.flags.scenario !== undefined)
    note(
      `note: the world in ${dataDir} keeps its data; --scenario is for a new one (\`cloudemu scenario apply ${config.scenario ?? noScenario}\` resets the world to it)`,
    );
  if (!isNew && !emulator.apiKey.startsWith(config.keys.prefix))
    note(
      `note: the world in ${dataDir} keeps keys and data of another profile; \`cloudemu reset\` begins it anew with ${config.profile}`,
    );
  if (!emulator.isKeyUsable)
    note('note: the test key is refused, as it was deleted or changed; `cloudemu key create` prints another');
  if (options.json) {
    const { local: _, instance: __, identity: ___, ...line } = info;
    printJson(line);
  } else if (config.log.banner) {
    tell(
      ...banner(info, loaded, {
        frozen: clock.frozen,
        isShared: options.shared === true,
        scenario: isNew ? config.scenario : null,
      }),
    );
    // A shell that waits for the end of each command waits for ever.
    if (!stdoutScreen().isTerminal && isCodingAgent(process.env))
      tell('To go on while it runs: `cloudemu start --detach` returns when it is ready.');
  }
}

function settingsOf({ config: file, flags, shared = false }: StartOptions): LoadedConfig {
  const loaded = loadConfig({ file, env: process.env, flags, operations: operationIds });
  const { worlds, data } = loaded.config;
  // The worlds of directories are there again after the next start.
  if (shared && !loaded.isSet('worlds.persist')) worlds.persist = !data.ephemeral;
  return loaded;
}

async function problemsIn(
  { controlPlane }: RunningEmulator,
  { replies }: Config,
  file: string,
): Promise<readonly string[]> {
  const controls = (await controlPlane()).controlsOf('default');
  const scenario = controls.scenarios.list().find((one) => one.file === file);
  if (scenario !== undefined) return scenario.problems;
  if ([replyFolder(replies), fixturePath('replies')].includes(dirname(file))) return readReplyFile(file).problems;
  const isFailure = dirname(file) === fixturePath('failures');
  try {
    if (isFailure) readFailure(basename(file, '.json'));
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function warn(text: string): void {
  note(`warning: ${text}`);
}

async function run(
  loaded: LoadedConfig,
  log: RequestLog,
  more: Pick<EmulatorOptions, 'settings' | 'onWorldEnd' | 'identity'>,
): Promise<RunningEmulator> {
  const { config } = loaded;
  const { host, port } = config.server;
  let holder: string | undefined;
  const onTaken: NextPort = async (taken) => {
    const { foreignHolder, mostPorts } = await import('../start-failure.js');
    holder ??= await foreignHolder(host, port);
    return holder !== undefined && taken < port + mostPorts ? taken + 1 : undefined;
  };
  try {
    const emulator = await runEmulator({
      config,
      ...more,
      onRequest: log.request,
      onError: log.error,
      onWarning: warn,
      // A port that was asked for is the one that clients expect.
      onTaken: loaded.isSet('server.port') ? undefined : onTaken,
    });
    if (holder !== undefined) note(`note: port ${port} is taken by ${holder}; this one has port ${emulator.port}`);
    return emulator;
  } catch (error) {
    const { dataReason, portReason, startFacts, systemReason } = await import('../start-failure.js');
    const { server, data } = config;
    if (error instanceof ConfigError) throw asSet(error, 'scenario', loaded);
    const end = (reason: string, code: string): never =>
      fail(2, reason.split('\n'), startFacts(reason, code, data.dir, process.argv.slice(2)));
    if (error instanceof ListenError)
      end(await portReason(error.code, server.host, error.port, data.dir), 'PORT_UNAVAILABLE');
    if (error instanceof StoreError) end(dataReason(error.message, data.dir), 'DATA_UNUSABLE');
    const reason = systemReason(error, data.dir);
    if (reason !== undefined) end(reason, 'DATA_UNUSABLE');
    throw error;
  }
}

function describe(emulator: RunningEmulator, host: string): RunFile {
  const { url, port, apiKey, organizationId, userId, dataDir, version, instance, identity } = emulator;
  const control = `${url}/_emulator`;
  const answering = { url, port, apiKey, organizationId, userId, health: `${control}/health`, control };
  const local = `http://${urlHost(host)}:${port}`;
  return { ...answering, dataDir, pid: process.pid, version, local, instance, identity };
}

// Without a run file, commands need --url; the emulator runs all the same.
async function announceRunFile(dir: string, info: RunFile): Promise<() => void> {
  try {
    const written = await writeRunFile(dir, info);
    if (typeof written === 'function') return written;
    note(
      `note: commands use the emulator at ${written.url} (pid ${written.pid}), which is already running here; for this one, pass --url ${info.local}`,
    );
  } catch (error) {
    note(
      `warning: no run file in ${dir} (${(error as NodeJS.ErrnoException).code}); pass --url ${info.local} to commands`,
    );
  }
  return () => {};
}

// A world that is there already goes on with its own time, whatever was asked for.
function isOtherClock({ clock: { now, frozen }, dataDir }: RunningEmulator, { flags }: StartOptions): boolean {
  const isOther = typeof flags.clock === 'string' && Math.abs(Date.parse(now) - Date.parse(flags.clock)) > 60_000;
  return dataDir !== null && (isOther || (flags.frozen ?? frozen) !== frozen);
}

// The banner that a person reads when the emulator is ready.

/** The facts about the default world, which may have been there before. */
interface Beginning {
  frozen: boolean;
  /** Whether it is the emulator of all directories. */
  isShared: boolean;
  /** The scenario that the world began with, if it began now. */
  scenario: string | null;
}

/** The banner: where it answers, a key, the files it uses, and one line to try. */
export function banner(
  info: RunFile,
  { config, file }: LoadedConfig,
  { frozen, isShared, scenario }: Beginning,
): Line[] {
  const { timing } = config.containers;
  // The shared one is not where the user is.
  const pathText = isShared ? String : shortPath;
  const rows: [string, string][] = [['URL', info.url]];
  if (info.local !== info.url) rows.push(['Here', info.local]);
  rows.push(
    // Each directory has the key of its world.
    ...(isShared ? [] : [['Test key', info.apiKey] as [string, string]]),
    ['Wallets', '`cloudemu wallet list`'],
    ['Dashboard', `${info.local}/_emulator/`],
    ['Health', `${info.local}/_emulator/health`],
    ['OpenAPI', `${info.local}/openapi.json`],
    [
      'Settings',
      `${file === null ? 'defaults (`cloudemu init` writes a file)' : pathText(file)}, profile ${config.profile}`,
    ],
    ['Data', info.dataDir === null ? 'in memory, gone at the end' : pathText(info.dataDir)],
    ...(scenario === null ? [] : [['Scenario', scenario] as [string, string]]),
    ['Timing', `${typeof timing === 'string' ? timing : 'as in the settings'}${frozen ? ', clock frozen' : ''}`],
  );
  const toTry = isShared
    ? ['In each directory that shares it:', '  eval "$(cloudemu env)"']
    : ['Try it:', `  curl -s ${info.local}/api/v1/containers -H "Authorization: Bearer ${info.apiKey}"`];
  return [
    `cloudemu ${info.version} is ready${isShared ? ', shared by all directories' : ''}.`,
    '',
    ...namedValues(rows),
    '',
    ...toTry,
    '',
    'Press Ctrl-C to stop it.',
  ];
}

// Whether a coding agent has started this command.

const names = /^(AI_AGENT|CLAUDE_?CODE|GEMINI_CLI|OPENCODE|CLINE_ACTIVE|AUGMENT_AGENT|GOOSE_TERMINAL|REPLIT_AGENT)$/;
const beginnings = /^(CODEX|CURSOR|COPILOT_AGENT)_./;

/**
 * Whether the environment says that a coding agent runs the shell.
 *
 * @example isCodingAgent({ CLAUDECODE: '1' }) // true
 */
export function isCodingAgent(env: Readonly<Record<string, string | undefined>>): boolean {
  const isSet = (name: string): boolean => !['', '0', 'false'].includes(env[name] ?? '');
  return Object.keys(env).some((name) => (names.test(name) || beginnings.test(name)) && isSet(name));
}
