// The public API: an emulator in the test's own process.

import type { Controls } from './app/controls.js';
import { operationIds, runEmulator } from './app/emulator.js';
import { listeners, tellIfKeptAlive } from './app/kept-alive.js';
import { ReceiptNotes } from './app/receipts.js';
import { ConfigError } from './config/error.js';
import { type FlagName, flags } from './config/flags.js';
import { loadConfig } from './config/load.js';
import { noScenario } from './config/names.js';
import { type ConfigInput, configSchema } from './config/schema.js';
import { allAsCalled, asCalled } from './core/as-called.js';
import { ApiError } from './core/errors.js';
import { fetchFrom, type LocalFetch } from './core/local-fetch.js';
import { nearest } from './core/nearest.js';
import { describe } from './core/problems.js';
import { isFields, mergeTrees, type Tree } from './core/tree.js';
import type { ScenarioInput } from './tools/scenarios/schema.js';
import type { WorldInfo, WorldRequest } from './tools/worlds/request.js';

export type { Controls } from './app/controls.js';
export type {
  ErrorBody,
  Operations,
  PathParameters,
  RequestBody,
  RequestQuery,
  ResponseBody,
} from './app/operation-types.js';
export { ConfigError } from './config/error.js';
export type { FailureMode, OperationId, OperationPattern, ScenarioName, ScenarioReference } from './config/names.js';
export type { Config, ConfigInput } from './config/schema.js';
export type { ErrorCode, FieldProblem } from './core/errors.js';
export type { PlatformResponse } from './core/local-fetch.js';
export type { FaultRequest } from './tools/faults/rule.js';
export type { JournalEntry, JournalMarker, JournalRecord } from './tools/journal/journal-entry.js';
export type { ScenarioSettings } from './tools/scenarios/check.js';
export type { ScenarioInput } from './tools/scenarios/schema.js';
export type { WorldInfo, WorldRequest } from './tools/worlds/request.js';
export { ApiError };

/** Options of `createEmulator`: the flags of `cloudemu start` in camelCase, and the sections of the settings file. */
export interface CreateEmulatorOptions
  extends Omit<ConfigInput, 'clock' | 'profile' | 'scenario' | 'seed' | 'strict' | '$schema'> {
  /** Port to listen on. Default 0: a free port. */
  port?: number;
  /** Address to listen on. The default, localhost, means 127.0.0.1 and ::1. */
  host?: string;
  /** Origin used in the URLs that responses contain. Default: the client’s Host header. */
  publicUrl?: string;
  /** Token that `/_emulator` requires from other machines. Default: none. */
  controlToken?: string;
  /** Directory that keeps the data between runs. Without it, all data is in memory. */
  dataDir?: string;
  /** Whether to keep all data in memory. Default: true without `dataDir`. */
  ephemeral?: boolean;
  /** File for a receipt of what clients have exercised, which is written when the emulator ends. Default: none. */
  receipt?: string;
  /** Named overlay of settings: `spec` (the default), `elizacloud` or `elizacloud-v1`. */
  profile?: string;
  /** Seed of all ids and keys: the same seed gives the same responses. Default: a random one. */
  seed?: string | number;
  /** Start of virtual time (ISO 8601), or the section `clock` of the settings. Default: now. */
  clock?: string | ConfigInput['clock'];
  /** Whether to start with the clock frozen. Default: false. */
  frozen?: boolean;
  /** Duration of deployments: `instant`, `fast` (12 s, the default), `realistic` (8 to 12 min), or a duration for each stage. */
  timing?: NonNullable<ConfigInput['containers']>['timing'];
  /** Scenario that worlds start with: a name, a file, or the document itself. */
  scenario?: ConfigInput['scenario'] | ScenarioInput;
  /** Whether to reject unknown inputs, guessed operations and undeclared responses; or the section `strict` of the settings. */
  strict?: boolean | ConfigInput['strict'];
  /**
   * Settings file to read; false: none. Default: the variable CLOUDEMU_CONFIG, else `emulator.config.json` of the working
   * directory or of the nearest directory above that has one.
   */
  configFile?: string | false;
  /** The sections of the settings in one object, or the name of a settings file, as `configFile`. */
  config?: ConfigInput | string;
}

/** A world in addition to the default one, with its own data, clock, faults, limits and journal. */
export interface EmulatorWorld extends Pick<WorldInfo, 'id' | 'apiKey' | 'organizationId' | 'userId'> {
  /** The base URL for clients. */
  url: string;
  /** Node's fetch; a path is resolved against `url`. */
  fetch: LocalFetch;
  /** The control operations, on this world. */
  controls: Controls;
  /** Deletes the world and everything in it. */
  close: () => void;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose]: () => Promise<void>;
}

/** An emulator that runs in this process, and its default world. */
export interface Emulator {
  /** The base URL for clients, without a trailing slash: `http://127.0.0.1:4747`. */
  readonly url: string;
  /** The port that it listens on. */
  readonly port: number;
  /** The test key of the seeded organization, which clients send as `Authorization: Bearer <key>`. */
  readonly apiKey: string;
  /** The id of the seeded organization. */
  readonly organizationId: string;
  /** The id of the owner of the seeded organization. */
  readonly userId: string;
  /** The version of cloudemu. */
  readonly version: string;
  /** Node's fetch; a path is resolved against `url`. */
  fetch: LocalFetch;
  /** The control operations: time, failures, faults, limits, verdicts and more. */
  controls: Controls;
  /**
   * Creates another world, which takes about a millisecond: use one for each test.
   *
   * @example const world = await emulator.createWorld({ seed: 1, clock: { frozen: true } });
   * @throws ApiError VALIDATION_ERROR or CONFLICT
   */
  createWorld: (request?: WorldRequest) => Promise<EmulatorWorld>;
  /** Stops the emulator and ends all its worlds. */
  close: () => Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose]: () => Promise<void>;
}

/**
 * Starts an emulator in this process. It reads the settings that `cloudemu start` reads, in the same order: defaults,
 * profile, settings file, environment, options. Its address and its data are its own, though: in memory and on a free port,
 * unless an option says otherwise. Emulators share nothing with each other.
 *
 * @example
 * const emulator = await createEmulator({ seed: '42', timing: 'realistic' });
 * const response = await emulator.fetch('/api/v1/containers', {
 *   headers: { authorization: `Bearer ${emulator.apiKey}` },
 * });
 * await emulator.controls.clock.advance('10m');
 * await emulator.close();
 *
 * @throws ConfigError if a setting is unknown or has an invalid value
 */
export function createEmulator(options: CreateEmulatorOptions = {}): Promise<Emulator> {
  return asCalled(createEmulator, () => start(options));
}

async function start(options: CreateEmulatorOptions): Promise<Emulator> {
  const scenario = isFields(options) && isFields(options.scenario) ? options.scenario : undefined;
  // A document is no setting, and stands in the place of what the settings name.
  const settings = scenario === undefined ? options : { ...options, scenario: noScenario };
  const { config, read, warnings } = loadConfig({ ...sourcesOf(settings), operations: operationIds });
  const onWarning = (text: string): void => process.emitWarning(text, 'CloudemuWarning');
  for (const text of warnings) onWarning(text);
  const before = listeners();
  let requests = 0;
  const notes = config.data.receipt === null ? undefined : new ReceiptNotes(config.data.receipt);
  const running = await runEmulator({
    config,
    scenario,
    settings: () => read,
    onWarning,
    keeping: 'files',
    onRequest: () => void requests++,
    onWorldEnd: (id) => notes?.onWorldEnd(id),
  });
  const { url, port, apiKey, organizationId, userId, version } = running;
  const plane = await running.controlPlane();
  const { controlsOf } = plane;
  notes?.begin(plane);
  // A named port means that others use the emulator, too.
  const isForOthers = config.server.port !== 0;
  const own = listeners() - before;
  const tell = (): void => onWarning(keptAliveText(url));
  const end = isForOthers ? undefined : tellIfKeptAlive({ own, requests: () => requests, tell, everyMs: 5_000 });
  const close = (): Promise<void> => {
    end?.();
    notes?.write(onWarning);
    return running.close();
  };
  const controls = allAsCalled(controlsOf('default'));
  const local = `http://127.0.0.1:${port}`;
  const openWorld = async (request: WorldRequest | undefined): Promise<EmulatorWorld> => {
    const { id, baseUrl, ...identity } = await controls.worlds.create(request);
    // Its end may have come otherwise, by its ttl or with the emulator.
    const close = (): void => {
      try {
        controls.worlds.drop(id);
      } catch (error) {
        if (!(error instanceof ApiError && ['NOT_FOUND', 'SERVICE_UNAVAILABLE'].includes(error.code))) throw error;
      }
    };
    let own: Controls | undefined;
    return {
      id,
      url: baseUrl,
      apiKey: identity.apiKey,
      organizationId: identity.organizationId,
      userId: identity.userId,
      fetch: fetchFrom(`${local}/w/${id}`),
      // The world opens when it is first asked for.
      get controls() {
        own ??= allAsCalled(controlsOf(id));
        return own;
      },
      close,
      [Symbol.asyncDispose]: async () => close(),
    };
  };
  const createWorld: Emulator['createWorld'] = (request) => asCalled(createWorld, () => openWorld(request));
  return {
    url,
    port,
    apiKey,
    organizationId,
    userId,
    version,
    controls,
    fetch: fetchFrom(local, running.requireOpen),
    createWorld,
    close,
    [Symbol.asyncDispose]: close,
  };
}

const keptAliveText = (url: string): string =>
  `The emulator at ${url} keeps this process alive, and nobody uses it: call its close(), or declare it with \`await using\`. One that is meant to stay says so with the option port.`;

function sourcesOf(options: CreateEmulatorOptions): Parameters<typeof loadConfig>[0] {
  if (!isFields(options))
    throw new ConfigError([`createEmulator takes an object of options, got ${describe(options)}`]);
  const { config = {}, configFile = typeof config === 'string' ? config : undefined, ...rest } = options;
  if (typeof config !== 'string' && !isFields(config))
    throw new ConfigError([`createEmulator: config must be an object, or the name of a file, got ${describe(config)}`]);
  if (configFile !== undefined && configFile !== false && (typeof configFile !== 'string' || configFile === ''))
    throw new ConfigError([
      `createEmulator: configFile must be the name of a file, or false for none, got ${describe(configFile)}`,
    ]);
  const sections = Object.keys(configSchema.shape);
  const asFlags: Partial<Record<FlagName, unknown>> = {};
  let settings: Tree = typeof config === 'string' ? {} : (config as Tree);
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined) continue;
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const isSection = sections.includes(name) && (typeof value === 'object' || !Object.hasOwn(flags, flag));
    if (isSection) settings = mergeTrees(settings, { [name]: value });
    else if (Object.hasOwn(flags, flag)) asFlags[flag as FlagName] = value;
    else {
      const camel = Object.keys(flags).map((known) =>
        known.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
      );
      const suggestion = nearest(name, [...sections, ...camel, 'config', 'configFile']);
      throw new ConfigError([
        `createEmulator: ${name} is not an option${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`,
      ]);
    }
  }
  const file = configFile === false ? null : configFile;
  return { file, env: process.env, flags: asFlags, settings, inProcess: true };
}
