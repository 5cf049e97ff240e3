// The composition root: settings -> worlds -> application -> listeners.

import { join } from 'node:path';
import { ConfigError } from '../config/error.js';
import type { SettingsRead } from '../config/load.js';
import type { Config } from '../config/schema.js';
import type { ClockView } from '../core/clock.js';
import { ApiError } from '../core/errors.js';
import { packageVersion } from '../core/files.js';
import { type Identity, identityOf } from '../core/root.js';
import { DamagedError, unusable } from '../db/connection.js';
import { openDataDir, temporaryProblem } from '../db/data-dir.js';
import { createApp } from '../http/app.js';
import { createDocuments } from '../http/documents.js';
import type { ControlHandler } from '../http/hooks.js';
import {
  canRefuse,
  type Handlers,
  listen,
  listenFrom,
  type NextPort,
  type RefusingListener,
  tlsOffer,
  urlHost,
} from '../http/listen.js';
import { labelOf } from '../http/origins.js';
import { nameOf, placeOf, worldHeader } from '../http/request-world.js';
import {
  containerSite,
  containerSlugOf,
  servesPath,
  upgradeContainer,
} from '../platform/containers/address/container-server.js';
import { reopenAddresses } from '../platform/containers/address/open-addresses.js';
import { findBySlug } from '../platform/containers/store.js';
import { refuseSocket } from '../platform/containers/wire/refusal.js';
import { findKeyByValue, isUsable } from '../platform/keys/store.js';
import { registrySite } from '../platform/registry/route.js';
import { operations, surfaceOf } from '../platform/surface.js';
import { isDashboardPath } from '../tools/dashboard/paths.js';
import type { RequestListener } from '../tools/journal/hooks.js';
import { metricsPath, RequestCounts } from '../tools/metrics/request-counts.js';
import { type Holding, holdingsIn } from '../tools/scenarios/holdings-store.js';
import { createLibrary } from '../tools/scenarios/library.js';
import type { ScenarioInput } from '../tools/scenarios/schema.js';
import { createImageBlobs } from '../tools/snapshots/image-blobs.js';
import { createSnapshotStores } from '../tools/snapshots/snapshot-stores.js';
import { type EmulatorFacts, factsOfStart } from '../world/given.js';
import { type SeededIdentity, seededIdentity } from '../world/seeded.js';
import type { Worlds } from '../world/worlds.js';
import { Host } from '../worlds/host.js';
import type { Keeping } from '../worlds/kept-worlds.js';
import type { WorldPorts } from '../worlds/ports.js';
import type { ControlPlane } from './control-plane.js';
import { findProcesses } from './find-processes.js';
import { createHooks } from './hooks.js';
import { platformDocument } from './platform-document.js';

/** The names that `rateLimits.operations` may have. */
export const operationIds: readonly string[] = operations.map(({ id }) => id);

export interface EmulatorOptions {
  config: Config;
  /** The document of a scenario, in the place of that of the settings. */
  scenario?: ScenarioInput | undefined;
  /** What the settings were read from; default: the profile alone is known. */
  settings?: (() => SettingsRead) | undefined;
  onRequest?: RequestListener | undefined;
  /** Called before a world is dropped, while its controls still work. */
  onWorldEnd?: ((id: string) => void) | undefined;
  /** Called with errors of the emulator itself. */
  onError?: (error: unknown) => void;
  /** Called with a text where the emulator cannot follow the settings. */
  onWarning?: (text: string) => void;
  /** Default: the root of the working directory. */
  identity?: Identity | undefined;
  /** The port to try next where one is taken; undefined: none. */
  onTaken?: NextPort | undefined;
  /** How worlds of failed tests are kept; default: in the emulator. */
  keeping?: Keeping | undefined;
  /** Only the command that it starts uses it: a fault may refuse its connections. */
  isForItself?: boolean;
}

/** A running emulator. */
export interface RunningEmulator
  extends SeededIdentity,
    Pick<EmulatorFacts, 'version' | 'instance' | 'identity'>,
    Pick<WorldPorts, 'entrance'> {
  /** The URL of the emulator, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** The controls of its worlds, loaded when they are first asked for. */
  controlPlane(): Promise<ControlPlane>;
  /** What the organizations of a world have now. */
  holdingsOf(id: string): Holding[];
  /** The state of the default world's clock when the world was opened. */
  readonly clock: ClockView;
  /** The data directory, or null if all data is in memory. */
  readonly dataDir: string | null;
  /** Whether this start created the default world. */
  readonly isNew: boolean;
  /** Whether the seeded key is valid: a client may have deleted it earlier. */
  readonly isKeyUsable: boolean;
  /**
   * Replaces the settings of all worlds. Those that only a start can apply stay (`startOnly` in config/of-process.ts).
   */
  reconfigure(config: Config): void;
  /** @throws ApiError when it is closed */
  requireOpen(): void;
  /** Ends open streams, flushes and closes everything. */
  close(): Promise<void>;
}

/**
 * Opens the worlds and listens.
 *
 * @throws ListenError (port taken), StoreError (data directory in use or unusable), ConfigError (scenario)
 */
export async function runEmulator({
  config,
  scenario,
  settings = () => ({ file: null, environment: [], profile: config.profile }),
  onRequest,
  onWorldEnd = () => {},
  onError = () => {},
  onWarning = () => {},
  onTaken,
  keeping,
  isForItself = false,
  identity = identityOf(process.cwd()),
}: EmulatorOptions): Promise<RunningEmulator> {
  const refuse = (ms: number): void => {
    listener?.refuse(ms);
    host.ports.refuse(ms);
  };
  const facts = factsOfStart({ version: packageVersion(), identity, settings, ...(isForItself && { refuse }) });
  const { version, instance } = facts;
  if (config.worlds.persist && config.data.ephemeral)
    throw new ConfigError(['worlds.persist needs a data directory: set --data-dir, and leave --ephemeral out']);
  const dataDir = openDataDir(config.data);
  const problem = temporaryProblem();
  if (problem !== undefined) onWarning(problem);
  // Before any world is opened, as its containers may run.
  const processes = await findProcesses(config, dataDir.path, { onError, onWarning }).catch((error: unknown) => {
    dataDir.release();
    throw error;
  });
  const library = createLibrary(config.data);
  let listener: RefusingListener | undefined;
  const urlOf = (port: number): string =>
    config.server.publicUrl?.replace(/\/+$/, '') ?? `http://${urlHost(config.server.host)}:${port}`;
  const snapshots = createSnapshotStores(dataDir.path, {
    of: (id) => host.stored.snapshotsOf(id),
    all: () => host.stored.snapshotDirs(),
  });
  const blobs = createImageBlobs({
    dataDir: dataDir.path,
    worlds: () => host.worlds,
    opened: () => host.opened(),
    snapshots,
    stored: () => host.stored.blobs(),
    onError,
  });
  const open = (): Host =>
    new Host({
      config,
      scenario,
      file: dataDir.file,
      dir: config.worlds.persist && dataDir.path !== null ? join(dataDir.path, 'worlds') : undefined,
      origin: () => urlOf(listener?.port ?? config.server.port),
      handlers: () => handlers,
      library,
      snapshots,
      blobs,
      processes,
      facts,
      operations,
      keeping,
      onWorldEnd,
      onError,
    });
  const host: Host = await Promise.resolve()
    .then(open)
    .catch(async (error: unknown) => {
      await processes?.close();
      await blobs.close();
      dataDir.release();
      throw error;
    });
  const { worlds } = host;
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= Promise.all([host.endStreams(), listener?.close()]).then(async () => {
      host.close();
      await processes?.close();
      await blobs.close();
      dataDir.release();
    });
    return closed;
  };
  let plane: Promise<ControlPlane> | undefined;
  const controlPlane = (): Promise<ControlPlane> => {
    plane ??= import('./control-plane.js').then(({ createControlPlane }) =>
      createControlPlane({ config, worlds, version, onError }),
    );
    return plane;
  };
  const handlers = handlersFor({ config, worlds, controlPlane, version, onRequest, onError, onWarning });
  try {
    const world = await host.openDefault(onWarning);
    listener = canRefuse(await listenFrom(config.server, handlers, onTaken), (port) =>
      listen(config.server.host, port, handlers),
    );
    await reopenAddresses(world);
    await host.reopenPorts(onWarning);
    const seeded = seededIdentity(world);
    const key = findKeyByValue(world.db, seeded.apiKey);
    return {
      ...seeded,
      isKeyUsable: key !== undefined && isUsable(key, world.clock.now()),
      url: urlOf(listener.port),
      port: listener.port,
      controlPlane,
      holdingsOf: (id) => holdingsIn(worlds.get(id)),
      clock: world.clock.view(),
      version,
      instance,
      identity,
      dataDir: dataDir.path,
      isNew: world.wasEmpty,
      reconfigure: (changed) => host.reconfigure(changed),
      entrance: (worldOf) => host.ports.entrance(worldOf),
      requireOpen: () => worlds.requireOpen(),
      close,
    };
  } catch (error) {
    await close();
    throw error instanceof DamagedError ? unusable(dataDir.file, error) : error;
  }
}

interface Parts {
  config: Config;
  worlds: Worlds;
  controlPlane: () => Promise<ControlPlane>;
  version: string;
  onRequest: RequestListener | undefined;
  onError: (error: unknown) => void;
  onWarning: (text: string) => void;
}

function handlersFor({ config, worlds, controlPlane, version, onRequest, onError, onWarning }: Parts): Handlers {
  const counts = new RequestCounts();
  let isToldOfTls = false;
  let dashboard: Promise<ControlHandler> | undefined;
  let metrics: Promise<ControlHandler> | undefined;
  let health: Promise<ControlHandler> | undefined;
  const controls: ControlHandler = async (asked) => {
    if (asked.path === '/_emulator/health' && asked.ctx.method === 'GET') {
      health ??= import('./health-check.js').then(({ createHealthCheck }) => createHealthCheck({ config, onError }));
      return (await health)(asked);
    }
    if (asked.path === metricsPath) {
      metrics ??= import('../tools/metrics/site.js').then(({ createMetricsSite }) =>
        createMetricsSite({ config, worlds, requests: counts }),
      );
      return (await metrics)(asked);
    }
    if (!isDashboardPath(asked.path)) return (await controlPlane()).handle(asked);
    dashboard ??= import('../tools/dashboard/site.js').then(({ createDashboardSite }) => createDashboardSite(config));
    return (await dashboard)(asked);
  };
  const openapi = createDocuments(JSON.stringify, (settings: Config, baseUrl) =>
    platformDocument(settings, baseUrl, version),
  );
  return {
    request: createApp({
      config,
      worlds,
      hooks: createHooks(onRequest, counts),
      surfaceOf,
      containers: containerSite,
      registry: registrySite,
      controls,
      openapi,
      onError,
    }),
    // Containers that share this origin (path and subdomain style) get their WebSockets here.
    upgrade(req, socket, head) {
      const { headers, url = '/' } = req;
      const host = containerSlugOf(headers.host ?? '', config);
      const named = String(headers[worldHeader] ?? '') || undefined;
      const place = placeOf(nameOf(url, labelOf(headers.host ?? '', config.server), host?.world ?? named), worlds);
      const path = /^\/_containers\/([^/?]+)(.*)$/.exec(place.path);
      const slug = host?.slug ?? path?.[1];
      const world = place.problem === undefined ? place.world : undefined;
      if (slug === undefined || world === undefined || (host === undefined && !servesPath(world, slug))) {
        const message = 'Nothing takes WebSockets here: they are for containers';
        return refuseSocket(world ?? worlds.get('default'), new ApiError('ROUTE_NOT_FOUND', { message }), socket);
      }
      if (host === undefined) req.url = path?.[2]?.startsWith('/') === true ? path[2] : `/${path?.[2] ?? ''}`;
      upgradeContainer(world, findBySlug(world.db, slug), req, socket, head).catch(onError);
    },
    unreadable(error, socket) {
      // The client cannot read a response that is not TLS: once is enough for the person who reads the log.
      if (error.message === tlsOffer && !isToldOfTls) onWarning(tlsOffer);
      isToldOfTls ||= error.message === tlsOffer;
      refuseSocket(worlds.get('default'), error, socket);
    },
  };
}
