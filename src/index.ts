// The public API: an emulator in the test's own process.

import { ConfigError } from './config/error.js';
import { type FlagName, flags } from './config/flags.js';
import { loadConfig } from './config/load.js';
import { type ConfigInput, configSchema } from './config/schema.js';
import type { Controls } from './controls.js';
import { allAsCalled, asCalled } from './core/as-called.js';
import { ApiError } from './core/errors.js';
import { fetchFrom, type LocalFetch } from './core/local-fetch.js';
import { nearest } from './core/nearest.js';
import { describe } from './core/problems.js';
import { isFields, mergeTrees, type Tree } from './core/tree.js';
import { operationIds, runEmulator } from './emulator.js';
import type { WorldInfo, WorldRequest } from './modules/worlds/request.js';

export { ConfigError } from './config/error.js';
export type { FailureMode, OperationId, OperationPattern, ScenarioName, ScenarioReference } from './config/names.js';
export type { Config, ConfigInput } from './config/schema.js';
export type { Controls } from './controls.js';
export type { ErrorCode, FieldProblem } from './core/errors.js';
export type { PlatformResponse } from './core/local-fetch.js';
export type { FaultRequest } from './modules/faults/rule.js';
export type { JournalEntry, JournalMarker, JournalRecord } from './modules/journal/journal-entry.js';
export type { ScenarioSettings } from './modules/scenarios/check.js';
export type { ScenarioInput } from './modules/scenarios/schema.js';
export type { WorldInfo, WorldRequest } from './modules/worlds/request.js';
export type {
  ErrorBody,
  Operations,
  PathParameters,
  RequestBody,
  RequestQuery,
  ResponseBody,
} from './operation-types.js';
export { ApiError };

/** Options of `createEmulator`: the flags of `cloudemu start` in camelCase, and any section of the config file. */
export interface CreateEmulatorOptions extends Omit<ConfigInput, 'clock' | 'profile' | 'seed' | 'strict' | '$schema'> {
  /** Default 0: a free port. */
  port?: number;
  /** Where it listens; localhost, the default, answers on 127.0.0.1 and ::1. */
  host?: string;
  /** The origin put into every URL that is returned; default: the client’s Host header. */
  publicUrl?: string;
  /** A token that `/_emulator` demands beyond loopback. */
  controlToken?: string;
  /** Keeps the world in this directory; without it everything is in memory. */
  dataDir?: string;
  /** Keeps everything in memory: the default without `dataDir`. */
  ephemeral?: boolean;
  /** A named overlay of settings: `spec` (the default) or `elizacloud`. */
  profile?: string;
  /** Same seed, same answers. */
  seed?: string | number;
  /** Where virtual time begins (ISO 8601), or the section of the config file. */
  clock?: string | ConfigInput['clock'];
  /** Start with the clock frozen. */
  frozen?: boolean;
  /** How long deployments take: `instant`, `fast` (the default), `realistic`, or a duration for each stage. */
  timing?: NonNullable<ConfigInput['containers']>['timing'];
  /** Refuses unknown inputs, guessed operations and undeclared answers; or the section of the config file. */
  strict?: boolean | ConfigInput['strict'];
  /** A config file to read; by default none is, and the environment is not looked at. */
  configFile?: string;
  /** The same settings as in the config file, another place for the sections; or a config file, as `configFile`. */
  config?: ConfigInput | string;
}

/** A world beside the default one: data, clock, faults, limits and journal of its own. */
export interface EmulatorWorld extends Pick<WorldInfo, 'id' | 'apiKey' | 'organizationId' | 'userId'> {
  /** What a client takes for the platform's base URL. */
  url: string;
  /** Node's fetch, where a path means this world. */
  fetch: LocalFetch;
  /** Those of this world. */
  controls: Controls;
  /** Ends the world with everything in it. */
  close: () => void;
  /** As close, for `await using`. */
  [Symbol.asyncDispose]: () => Promise<void>;
}

/** An emulator that runs in this process. */
export interface Emulator {
  /** What a client takes for the platform's base URL, without a trailing slash. */
  readonly url: string;
  /** Where it listens. */
  readonly port: number;
  /** The test key of the seeded organization. */
  readonly apiKey: string;
  /** The seeded organization. */
  readonly organizationId: string;
  /** Its owner. */
  readonly userId: string;
  /** Of cloudemu. */
  readonly version: string;
  /** Node's fetch, where a path means this emulator. */
  fetch: LocalFetch;
  /** Time, failures, faults, limits and all else that is under control. */
  controls: Controls;
  /**
   * Makes a world beside the others, in a millisecond: one for each test.
   *
   * @example const world = await emulator.createWorld({ seed: 1, clock: { frozen: true } });
   * @throws ApiError VALIDATION_ERROR or CONFLICT
   */
  createWorld: (request?: WorldRequest) => Promise<EmulatorWorld>;
  /** Ends it with all its worlds. */
  close: () => Promise<void>;
  /** As close, for `await using`. */
  [Symbol.asyncDispose]: () => Promise<void>;
}

/**
 * Starts an emulator in this process, in memory and on a free port by default. Several emulators share nothing.
 *
 * @example
 * const emulator = await createEmulator({ seed: '42', timing: 'realistic' });
 * const answer = await emulator.fetch('/api/v1/containers', {
 *   headers: { authorization: `Bearer ${emulator.apiKey}` },
 * });
 * await emulator.controls.clock.advance('10m');
 * await emulator.close();
 *
 * @throws ConfigError for a setting that is unknown or has a bad value
 */
export function createEmulator(options: CreateEmulatorOptions = {}): Promise<Emulator> {
  return asCalled(createEmulator, () => start(options));
}

async function start(options: CreateEmulatorOptions): Promise<Emulator> {
  const { config } = loadConfig({ ...sourcesOf(options), operations: operationIds });
  const running = await runEmulator({ config });
  const { url, port, apiKey, organizationId, userId, version } = running;
  const { controlsOf } = await running.controlPlane();
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
    close: () => running.close(),
    [Symbol.asyncDispose]: () => running.close(),
  };
}

function sourcesOf(options: CreateEmulatorOptions): Parameters<typeof loadConfig>[0] {
  if (!isFields(options))
    throw new ConfigError([`createEmulator takes an object of options, got ${describe(options)}`]);
  const { config = {}, configFile = typeof config === 'string' ? config : undefined, ...rest } = options;
  if (typeof config !== 'string' && !isFields(config))
    throw new ConfigError([`createEmulator: config must be an object, or the name of a file, got ${describe(config)}`]);
  if (configFile !== undefined && (typeof configFile !== 'string' || configFile === ''))
    throw new ConfigError([`createEmulator: configFile must be the name of a file, got ${describe(configFile)}`]);
  const sections = Object.keys(configSchema.shape);
  const asFlags: Partial<Record<FlagName, unknown>> = {};
  const defaults: Tree = { server: { port: 0 }, data: { ephemeral: options.dataDir === undefined } };
  let settings = typeof config === 'string' ? defaults : mergeTrees(defaults, config as Tree);
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
  return { file: configFile ?? null, flags: asFlags, settings };
}
