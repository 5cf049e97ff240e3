// The worlds of a running emulator: the default one, and those that are made and dropped beside it.

import type { Config } from './config/schema.js';
import { type Clock, createClock } from './core/clock.js';
import { ApiError } from './core/errors.js';
import { hashSecret } from './core/random.js';
import { effectHandlers } from './effect-handlers.js';
import { type Handlers, ListenError, type Listener, listen } from './http/listen.js';
import { leadInto } from './http/own-port.js';
import { type PlatformOperation, platformOperations } from './http/platform-operations.js';
import { portsKey } from './modules/containers/local-ports.js';
import { createLocalPorts, portBudget } from './modules/containers/ports.js';
import { type ContainerProcesses, processesKey } from './modules/containers/processes.js';
import { releaseReservations } from './modules/credits/reservations.js';
import { clockHistoryOf } from './modules/dashboard/clock-history.js';
import { journalOf } from './modules/journal/journal.js';
import { createKeyOwners } from './modules/keys/owners.js';
import { listKeyHashes } from './modules/keys/store.js';
import { type BlobStore, blobStoreOf, blobsKey, worldBlobs } from './modules/registry/blobs.js';
import type { NamedScenario } from './modules/scenarios/fill.js';
import { type Library, scenarioLibrary, settingsScenario } from './modules/scenarios/library.js';
import { seedWorld } from './modules/scenarios/seed-world.js';
import { isTokenOf } from './modules/sessions/sessions.js';
import { claimedWorld, looksLikeToken } from './modules/sessions/token.js';
import { snapshotStore } from './modules/snapshots/snapshot-store.js';
import type { SnapshotStores } from './modules/snapshots/snapshot-stores.js';
import { type Hosting, hosting, type OpenRequest, type WorldInfo } from './modules/worlds/hosting.js';
import type { AskedWorld } from './modules/worlds/request.js';
import { type EmulatorFacts, emulatorFacts } from './world/given.js';
import { beginClock } from './world/initial-state.js';
import type { WorldPart } from './world/parts.js';
import { type SeededIdentity, seededIdentity } from './world/seeded.js';
import { openWorld, type PartKey, type PartMakers, prefixOf, type World, type WorldName } from './world/world.js';
import { createWorlds, type Worlds } from './world/worlds.js';

export interface HostOptions {
  config: Config;
  /** The default world's database, or ':memory:'. */
  file: string;
  /** Where the emulator answers, without a trailing slash. */
  origin: () => string;
  /** What answers on a world's port of its own. */
  handlers: () => Handlers;
  /** Where the scenario of the settings is looked up. */
  library: Library;
  snapshots: SnapshotStores;
  /** The blobs that worlds share. */
  blobs: BlobStore;
  /** Real processes of containers; undefined where no images are run. */
  processes?: ContainerProcesses | undefined;
  facts: Omit<EmulatorFacts, 'origin'>;
  /** Every operation of the platform. */
  operations: readonly PlatformOperation[];
  onWorldEnd?: (id: string) => void;
  onError: (error: unknown) => void;
}

/** The worlds of an emulator. */
export interface Host {
  worlds: Worlds;
  /**
   * Opens the default world, or makes it with the scenario of the settings.
   *
   * @throws ConfigError when that scenario is none, before anything is written
   */
  openDefault(): Promise<World>;
  /** Takes other settings, for worlds that are there and for those to come. */
  reconfigure(config: Config): void;
  /** Ends open streams and the ports of worlds; the worlds themselves are closed by `worlds.close()`. */
  endStreams(): Promise<void>;
  close(): void;
}

/** Worlds of these settings; none is open yet. */
export function createHost({
  file,
  origin,
  handlers,
  library,
  snapshots,
  blobs,
  processes,
  facts,
  operations,
  onWorldEnd,
  onError,
  ...options
}: HostOptions): Host {
  let { config } = options;
  const ports = new Map<string, Listener>();
  const budget = portBudget();
  const keyOwners = createKeyOwners();
  // Of worlds that nobody has asked for yet.
  const unopened = new Map<string, { identity: SeededIdentity; clock: Clock }>();
  const labels = new Map<string, string>();
  const made = new Map<string, { asked: AskedWorld; opening: Promise<unknown> | undefined }>();
  const worlds = createWorlds((id) => {
    void ports.get(id)?.close();
    ports.delete(id);
    keyOwners.forget(id);
    unopened.delete(id);
    labels.delete(id);
    made.delete(id);
    snapshots.drop(id);
    blobs.release(id);
  }, onWorldEnd);

  const parts: PartMakers = new Map<PartKey<WorldPart>, (world: World) => WorldPart>([
    [blobsKey, (world) => worldBlobs(blobs, world)],
    [processesKey, (): WorldPart & { all: ContainerProcesses | undefined } => ({ all: processes })],
    emulatorFacts.from(() => ({ ...facts, origin })),
    platformOperations.from(() => operations),
    scenarioLibrary.from(() => library),
    settingsScenario.from(() => () => first),
    snapshotStore.from(({ id }) => snapshots.of(id)),
    hosting.from(() => ownHosting),
    [
      portsKey,
      (world) =>
        createLocalPorts(world, { host: config.server.host, budget, use: () => worlds.use(world.id), onError }),
    ],
  ]);
  let first: NamedScenario | undefined;
  let addOwn: ((world: World) => void) | undefined;
  function open(id: string, where: string, image?: Buffer): World {
    const world = openWorld({
      id,
      file: where,
      ...(image !== undefined && { image }),
      config,
      effects: effectHandlers,
      parts,
      ownerOf,
    });
    // They note what happens to the world from its beginning on.
    journalOf(world);
    blobStoreOf(world);
    clockHistoryOf(world);
    // What begins with a scenario is filled with it at once, in one transaction.
    const isFilledLater = id === 'default' && first !== undefined;
    if (!world.fresh) releaseReservations(world);
    else if (!isFilledLater) seedWorld(world);
    return world;
  }
  function openListed(id: string, where: string, image?: Buffer): World {
    const world = open(id, where, image);
    unopened.delete(id);
    // Others begin as copies of the template, which is filled without what is for one world alone.
    if (id !== 'default') world.db.transaction(() => addOwn?.(world));
    keyOwners.watch(id, world.db);
    processes?.supervise(world);
    return world;
  }
  function ownerOf(secret: string): WorldName | undefined {
    if (!looksLikeToken(secret)) {
      const id = keyOwners.find(hashSecret(secret));
      return id === undefined ? undefined : { id, prefix: prefixOf(id) };
    }
    const claimed = worlds.find(claimedWorld(secret) ?? '');
    return claimed !== undefined && isTokenOf(claimed, secret) ? claimed : undefined;
  }

  // New worlds are created from this one, whose statements are already prepared.
  let template: World | undefined;
  function templateWorld(): World {
    template ??= open('template', ':memory:');
    return template;
  }
  function createFromTemplate({ seed, at, frozen, scenario, fill }: OpenRequest) {
    const inside = templateWorld();
    const clock = beginClock(config, { at, frozen });
    const beginning = { seed, ownSeed: seed, at: clock.floor, frozen: clock.speed === 0, scenario };
    inside.reset({ event: 'reset', subject: '', ...beginning }, () => fill(inside));
    journalOf(inside).clear();
    const hashes = listKeyHashes(inside.db);
    const stands = createClock({ state: inside.clock.state() });
    return { image: inside.image(), identity: seededIdentity(inside), hashes, clock: stands };
  }

  function describe(id: string): Omit<WorldInfo, 'baseUrl'> {
    const { identity, clock } = unopened.get(id) ?? standing(worlds.get(id));
    const { now, frozen } = clock.view();
    const label = labels.get(id) ?? null;
    return { id, label, ...identity, now, frozen, port: ports.get(id)?.port ?? null, ttlMs: worlds.ttlOf(id) };
  }

  async function openDefault(): Promise<World> {
    if (config.scenario === null) return worlds.get('default');
    // Loaded on first use: most starts need nothing of scenarios.
    const { scenarioOfSetting, withClock } = await import('./modules/scenarios/named.js');
    const { addOwn: add, fillWorld } = await import('./modules/scenarios/fill.js');
    addOwn = add;
    const { start, frozen } = config.clock;
    first = withClock(scenarioOfSetting(templateWorld(), library, config.scenario), {
      // Clock and frozen of the settings are meant expressly.
      start: start ?? undefined,
      frozen: frozen || undefined,
    });
    const world = worlds.get('default');
    if (!world.fresh) return world;
    const { name, scenario } = first;
    // A data directory keeps to the seed that its settings name.
    const seed = scenario.seed === undefined || config.seed !== null ? world.random.seed : String(scenario.seed);
    const how = { event: 'scenario', subject: name ?? '', scenario: first, seed, ownSeed: seed } as const;
    world.reset(how, () => fillWorld(world));
    return world;
  }

  async function listenFor(id: string, port: number, isListed: () => boolean): Promise<number> {
    const listener = await openPort(id, port).catch((error: unknown) => {
      if (isListed()) worlds.drop(id);
      throw error;
    });
    if (isListed()) {
      ports.set(id, listener);
      return listener.port;
    }
    await listener.close();
    throw new ApiError('CONFLICT', { message: `The world "${id}" was dropped while its port was opened` });
  }
  async function waitedFor(id: string, opening: Promise<unknown>): Promise<void> {
    const world = made.get(id);
    if (world !== undefined) world.opening = opening.catch(() => {});
    await opening;
  }
  async function openPort(id: string, port: number): Promise<Listener> {
    try {
      return await listen(config.server.host, port, insideWorld(`/w/${id}`, origin, handlers()));
    } catch (error) {
      if (!(error instanceof ListenError)) throw error;
      throw new ApiError('CONFLICT', {
        message: `Port ${port} cannot be listened on (${error.code}); 0 picks a free one`,
      });
    }
  }

  worlds.add('default', () => openListed('default', file));
  const ownHosting: Hosting = {
    ids: worlds.ids,
    describe,
    scenario: () => first,
    async open(request) {
      const { id, label, port, ttl } = request;
      const { image, identity, hashes, clock } = createFromTemplate(request);
      // Listed at once, so that nobody else takes the id while its port is opened.
      const isListed = worlds.add(id, () => openListed(id, ':memory:', image), ttl);
      unopened.set(id, { identity, clock });
      if (label !== undefined) labels.set(id, label);
      keyOwners.note(id, hashes);
      made.set(id, { asked: request.asked, opening: undefined });
      if (port !== undefined) await waitedFor(id, listenFor(id, port, isListed));
      return describe(id);
    },
    async madeBy(id) {
      const known = made.get(id);
      // Whoever asks at the same time waits as well.
      await known?.opening;
      return id === 'default' ? { ttl: 0 } : made.get(id)?.asked;
    },
    drop: worlds.drop,
  };
  return {
    worlds,
    openDefault,
    reconfigure(changed) {
      config = changed;
      for (const world of worlds.opened()) world.reconfigure(changed);
      template?.reconfigure(changed);
    },
    async endStreams() {
      for (const world of worlds.opened()) world.endStreams();
      await Promise.all([...ports.values()].map((listener) => listener.close()));
    },
    close() {
      worlds.close();
      template?.close();
    },
  };
}

function standing(world: World): { identity: SeededIdentity; clock: Clock } {
  return { identity: seededIdentity(world), clock: world.clock };
}

function insideWorld(prefix: string, origin: () => string, { request, upgrade, unreadable }: Handlers): Handlers {
  return {
    request(req, res) {
      leadInto(prefix, origin(), req);
      request(req, res);
    },
    upgrade(req, socket, head) {
      leadInto(prefix, origin(), req);
      upgrade(req, socket, head);
    },
    unreadable,
  };
}
