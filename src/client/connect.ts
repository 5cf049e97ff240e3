// A running emulator from another process: where it is, its worlds, and their controls.

import type { Controls, RemoteControls } from '../app/controls.js';
import { baseUrlOf, notBaseUrl } from '../control/base-url.js';
import { type Caller, createCaller } from '../control/call.js';
import { objectOf, optionsOf, refused } from '../control/options.js';
import { createRemoteControls, wholeOf } from '../control/remote.js';
import { allAsCalled, asCalled } from '../core/as-called.js';
import { ApiError } from '../core/errors.js';
import { fetchFrom, type LocalFetch } from '../core/local-fetch.js';
import { describe } from '../core/problems.js';
import { freshWorldId } from '../core/random.js';
import type { OpenedWorld } from '../tools/worlds/control.js';
import { numberedIdOf } from '../tools/worlds/label.js';
import type { WorldInfo, WorldRequest } from '../tools/worlds/request.js';
import { checkedCaller, createOwnerCheck } from './owner.js';
import { endWorld, type FinishOptions, finishWorld, reportOn, type WorldReport } from './report.js';
import { shapes } from './shapes.js';

export interface ConnectOptions {
  /**
   * URL of the emulator, or of one of its worlds. Default: the variable CLOUDEMU_URL, else http://127.0.0.1:4747, which has
   * to be the emulator of this directory or a shared one.
   */
  url?: string | undefined;
  /** Control token, which an emulator on another machine requires. Default: the variable CLOUDEMU_CONTROL_TOKEN. */
  token?: string | undefined;
}

/** A world of a running emulator, with its own data, clock, faults, limits and journal. */
export interface RemoteWorld extends Pick<WorldInfo, 'id' | 'label' | 'apiKey' | 'organizationId' | 'userId' | 'port'> {
  /** The base URL for clients. */
  readonly url: string;
  /** Node's fetch; a path is resolved against `url`. */
  readonly fetch: LocalFetch;
  /** The control operations, on this world; each method returns a promise. */
  readonly controls: RemoteControls;
  /** A report for people: what is not as expected, the last requests, the clock, containers and armed faults. */
  report(): Promise<WorldReport>;
  /**
   * Ends the world of a test: reports on it, and deletes it. If the test has failed, or its client did wrong, the world is
   * kept, so that a person can open it as the end of the report says: an hour, at most 20 of them.
   *
   * @example const { ok, text } = await world.finish({ failed: hasFailed });
   */
  finish(options?: FinishOptions): Promise<WorldReport>;
  /** Deletes the world and everything in it; it may have ended before. */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface RemoteEmulator {
  /** The URL of the emulator, without a trailing slash. */
  readonly url: string;
  /** Node's fetch; a path is resolved against `url`. */
  readonly fetch: LocalFetch;
  /** The control operations, on the default world, or on the world whose URL was given; each method returns a promise. */
  readonly controls: RemoteControls;
  /**
   * Creates a world: use one for each test.
   *
   * @example const world = await connect().createWorld({ seed: 1, clock: { frozen: true } });
   * @throws ApiError VALIDATION_ERROR, NOT_FOUND (scenario) or CONFLICT
   */
  createWorld(request?: WorldRequest): Promise<RemoteWorld>;
}

/**
 * Returns a client for a running emulator. It sends nothing until you call one of its methods.
 *
 * @example
 * const world = await connect().createWorld({ scenario: 'rate-limited' });
 * await runMyClient({ baseUrl: world.url, apiKey: world.apiKey });
 * await world.controls.clock.advance('10m');
 * const { ok, text } = await world.report();
 * await world.close();
 *
 * @throws Error if the URL is not a URL
 */
export function connect(options: ConnectOptions = {}): RemoteEmulator {
  return asCalled(connect, () => emulatorAt(options));
}

const optionNames: readonly (keyof ConnectOptions)[] = ['url', 'token'];
const finishNames: readonly (keyof FinishOptions)[] = ['failed', 'keepFailed'];

function finishOptions(given: FinishOptions | undefined): FinishOptions {
  const options = optionsOf(given, finishNames);
  for (const name of finishNames) {
    if (options[name] !== undefined && typeof options[name] !== 'boolean')
      throw refused({ path: name, message: 'must be true or false', received: describe(options[name]) });
  }
  return options;
}

function emulatorAt(wanted: ConnectOptions): RemoteEmulator {
  if (typeof wanted === 'string')
    throw refused({ path: 'options', message: 'must be an object such as { url }', received: describe(wanted) });
  const options = optionsOf(wanted, optionNames);
  for (const name of optionNames) {
    if (options[name] !== undefined && typeof options[name] !== 'string')
      throw refused({ path: name, message: 'must be a string', received: describe(options[name]) });
  }
  const named = options.url ?? (process.env.CLOUDEMU_URL || undefined);
  const given = named ?? 'http://127.0.0.1:4747';
  const url = baseUrlOf(given);
  if (url === undefined) throw new Error(notBaseUrl(options.url === undefined ? 'CLOUDEMU_URL' : 'url', given));
  const token = options.token ?? (process.env.CLOUDEMU_CONTROL_TOKEN || undefined);
  // The beginning of the ids of a team's worlds.
  const prefix = process.env.CLOUDEMU_WORLD_PREFIX ?? '';
  const whole = new Set(wholeOf(shapes));
  const caller = createCaller(url, token, whole);
  // A named emulator is meant, even if it belongs to somebody else.
  const demandOwn = named === undefined ? createOwnerCheck(url, caller) : undefined;
  const own: Caller = demandOwn === undefined ? caller : checkedCaller(caller, demandOwn);
  const controls = allAsCalled(createRemoteControls<Controls>(shapes, own));
  let unnamed = 0;
  // By the path of the world, so that a proxy finds the process that is to have it.
  const make = async (request: WorldRequest | undefined): Promise<OpenedWorld> => {
    const { id: given, ...asked } = objectOf(request) as WorldRequest;
    const { label } = asked;
    // The id is random, so that no other process has it; the seed is counted, so that the data are the same in each run.
    const isUnnamed = given === undefined && label === undefined;
    const rest =
      isUnnamed && asked.seed === undefined && asked.at === undefined
        ? { ...asked, seed: `unnamed ${++unnamed}` }
        : asked;
    for (let number = 1; ; number++) {
      const ofLabel = prefix + (typeof label === 'string' ? numberedIdOf(label, number) : freshWorldId());
      const id = given === undefined ? ofLabel : given;
      const isLast = given !== undefined || typeof label !== 'string';
      try {
        const opened = await controls.worlds.open(id, rest);
        if (opened.created !== false) return { ...opened, id };
        if (isLast)
          throw new ApiError('CONFLICT', { message: `There is a world "${id}" already: end it, or choose another id` });
      } catch (error) {
        // A test that runs twice at a time, or was killed on a shared emulator, has a world already.
        const isTaken = error instanceof ApiError && error.code === 'CONFLICT' && error.message.includes(`"${id}"`);
        if (isLast || !isTaken) throw error;
      }
    }
  };
  const openWorld = async (request: WorldRequest | undefined): Promise<RemoteWorld> => {
    const { id, label, apiKey, organizationId, userId, port } = await make(request);
    // The URL by which this process reaches the world need not be that of --public-url.
    const base = `${new URL(url).origin}/w/${id}`;
    const inside = allAsCalled(createRemoteControls<Controls>(shapes, createCaller(base, token, whole)));
    const report = (): Promise<WorldReport> => asCalled(report, () => reportOn(inside));
    const close = (): Promise<void> => endWorld(controls, id);
    const finish: RemoteWorld['finish'] = (how) =>
      asCalled(finish, async () => finishWorld(inside, close, finishOptions(how)));
    return {
      id,
      label,
      url: base,
      apiKey,
      organizationId,
      userId,
      port,
      fetch: fetchFrom(base),
      controls: inside,
      report,
      finish,
      close,
      [Symbol.asyncDispose]: close,
    };
  };
  const createWorld: RemoteEmulator['createWorld'] = (request) => asCalled(createWorld, () => openWorld(request));
  return {
    url,
    fetch: fetchFrom(url, demandOwn),
    controls,
    createWorld,
  };
}
