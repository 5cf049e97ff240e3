// The worlds of a running emulator: the default one, and those that are made and dropped beside it.

import { dirname } from 'node:path';
import type { Config } from '../config/schema.js';
import { type Clock, wallNow } from '../core/clock.js';
import { hashSecret } from '../core/random.js';
import { orClosed } from '../db/connection.js';
import type { Handlers } from '../http/listen.js';
import { type PlatformOperation, platformOperations } from '../http/platform-operations.js';
import { isoOrNull } from '../http/wire.js';
import { portsKey, reopenAddresses } from '../modules/containers/open-addresses.js';
import { createLocalPorts, portBudget } from '../modules/containers/ports.js';
import { type ContainerProcesses, processesKey, processesPart } from '../modules/containers/processes.js';
import { releaseReservations } from '../modules/credits/reservations.js';
import { clockHistoryOf } from '../modules/dashboard/clock-history.js';
import { lookAt } from '../modules/history/look.js';
import { journalOf } from '../modules/journal/journal.js';
import { findKeyByValue } from '../modules/keys/store.js';
import { type BlobStore, blobStoreOf, blobsKey, worldBlobs } from '../modules/registry/blobs.js';
import type { NamedScenario } from '../modules/scenarios/fill.js';
import { imageMaker } from '../modules/scenarios/image-maker.js';
import { type Library, libraryFor, scenarioLibrary, settingsScenario } from '../modules/scenarios/library.js';
import { seedWorld } from '../modules/scenarios/seed-world.js';
import { isTokenOf } from '../modules/sessions/sessions.js';
import { claimedWorld, looksLikeToken } from '../modules/sessions/token.js';
import { snapshotStore } from '../modules/snapshots/snapshot-store.js';
import type { SnapshotStores } from '../modules/snapshots/snapshot-stores.js';
import { type Hosting, hosting } from '../modules/worlds/hosting.js';
import type { WorldInfo } from '../modules/worlds/request.js';
import { emulatorFacts, type SharedFacts } from '../world/given.js';
import { endless } from '../world/made-world.js';
import type { WorldPart } from '../world/parts.js';
import { type SeededIdentity, seededIdentity } from '../world/seeded.js';
import { openWorld, type PartKey, type PartMakers, type World } from '../world/world.js';
import { prefixOf, type WorldName } from '../world/world-name.js';
import { createWorlds, type Worlds } from '../world/worlds.js';
import { createCreation } from './creation.js';
import { effectHandlers } from './due-effects.js';
import { createFileStorage } from './in-files.js';
import { createKeptWorlds, type Keeping } from './kept-worlds.js';
import { createWorldPorts, type WorldPorts } from './ports.js';
import { type ListedWorlds, openStoredWorlds } from './stored-worlds.js';
import { createTemplate } from './template.js';
import { createMemoryStorage, type WorldSource } from './world-storage.js';

export interface HostOptions {
  config: Config;
  /** The default world's database, or ':memory:'. */
  file: string;
  /** The directory of worlds that lie on disk; undefined: they are in memory. */
  dir?: string | undefined;
  /** The URL of the emulator, without a trailing slash. */
  origin: () => string;
  /** The handlers of a world's port of its own. */
  handlers: () => Handlers;
  /** The library in which the scenario of the settings is looked up. */
  library: Library;
  snapshots: SnapshotStores;
  /** The blobs that worlds share. */
  blobs: BlobStore;
  /** Real processes of containers; undefined where no images are run. */
  processes?: ContainerProcesses | undefined;
  facts: SharedFacts;
  /** Every operation of the platform. */
  operations: readonly PlatformOperation[];
  /** How worlds of failed tests are kept; default: in the emulator. */
  keeping?: Keeping | undefined;
  onWorldEnd?: (id: string) => void;
  onError: (error: unknown) => void;
}

/** The worlds of an emulator. */
export interface Host extends Pick<WorldPorts, 'entrance' | 'refuse'> {
  worlds: Worlds;
  /**
   * Opens the default world, or makes it with the scenario of the settings, and tells of worlds that their list has lost.
   *
   * @throws ConfigError when that scenario is none, before anything is written
   */
  openDefault(onWarning: (text: string) => void): Promise<World>;
  /** Opens the ports that worlds on disk have had; one that is taken by now is reported, and the world stays without. */
  reopenPorts(onWarning: (text: string) => void): Promise<void>;
  /** The worlds beside the default one. */
  stored: ListedWorlds;
  /** The open worlds, with the one that others are filled in. */
  opened(): World[];
  /** Takes other settings, for worlds that are there and for those to come. */
  reconfigure(config: Config): void;
  /** Ends open streams and the ports of worlds; the worlds themselves are closed by `worlds.close()`. */
  endStreams(): Promise<void>;
  close(): void;
}

/** Worlds of these settings; none is open yet. */
export function createHost({
  file,
  dir,
  origin,
  handlers,
  library,
  snapshots,
  blobs,
  processes,
  facts,
  operations,
  keeping = 'worlds',
  onWorldEnd,
  onError,
  ...options
}: HostOptions): Host {
  let { config } = options;
  // Both are there once the default world is asked for, where the settings name a scenario.
  const ofSettings: { scenario?: NamedScenario; addOwn?: (world: World) => void } = {};
  const budget = portBudget();
  const storage = dir === undefined ? createMemoryStorage() : createFileStorage(dir);
  const stored = openStoredWorlds(storage, openStored, open, snapshots.close);
  const worlds = createWorlds({
    openDefault: () => openListed('default', { file }),
    stored,
    onDrop(id) {
      kept.forget(id);
      snapshots.drop(id);
      ports.close(id);
      blobs.release(id);
    },
    ...(onWorldEnd !== undefined && { onEnd: onWorldEnd }),
    mostOpen: config.worlds.open,
    // One team learns nothing about the worlds of others.
    suggests: config.server.controlTokens.length === 0,
  });
  const ports = createWorldPorts({ host: config.server.host, origin, handlers, worlds });

  // Made when a world is first opened: all that they name is there by then.
  const parts: PartMakers = new Map<PartKey<WorldPart>, (world: World) => WorldPart>([
    [blobsKey, (world) => worldBlobs(blobs, world)],
    [processesKey, () => processesPart(processes)],
    emulatorFacts.from(({ id }) => ({ ...facts, origin, mark: `${facts.identity.name}/${id}` })),
    platformOperations.from(() => operations),
    imageMaker.from(() => async (beginning, fill) => (await template.create(beginning, fill)).image),
    scenarioLibrary.from((world) => libraryFor(library, world)),
    settingsScenario.from(() => () => ofSettings.scenario),
    snapshotStore.from(({ id }) => snapshots.of(id)),
    hosting.from(() => ownHosting),
    lookAt.from(() => look),
    [
      portsKey,
      (world) =>
        createLocalPorts(world, { host: config.server.host, budget, use: () => worlds.use(world.id), onError }),
    ],
  ]);
  function open(id: string, source: WorldSource): World {
    const world = openWorld({ id, ...source, config, effects: effectHandlers, parts, ownerOf });
    return orClosed(source.file, world, () => {
      // They note what happens to the world from its beginning on.
      for (const noting of [journalOf, blobStoreOf, clockHistoryOf]) noting(world);
      // A default world with a scenario is filled when all is there: see `openDefault`.
      if (!world.wasEmpty) releaseReservations(world);
      else if (id !== 'default' || ofSettings.scenario === undefined) seedWorld(world);
      return world;
    });
  }
  function openListed(id: string, source: WorldSource, isNew = false): World {
    const world = open(id, source);
    return orClosed(source.file, world, () => {
      // The template, whose copy it is, was filled without what is for one world alone.
      if (isNew) world.db.transaction(() => ofSettings.addOwn?.(world));
      world.remembered.begin();
      processes?.supervise(world);
      return world;
    });
  }
  function openStored(id: string, source: WorldSource, isNew: boolean): World {
    const world = openListed(id, source, isNew);
    void reopenAddresses(world).catch(onError);
    return world;
  }
  function ownerOf(secret: string): WorldName | undefined {
    if (!looksLikeToken(secret)) {
      const isOfDefault = findKeyByValue(worlds.get('default').db, secret) !== undefined;
      const id = isOfDefault ? 'default' : stored.ownerOfKey(hashSecret(secret));
      // A fork has the keys of its source, and nobody was given one by it.
      const isOfFork = id !== undefined && stored.read(id)?.asked.at !== undefined;
      return id === undefined || isOfFork ? undefined : { id, prefix: prefixOf(id) };
    }
    const claimed = worlds.find(claimedWorld(secret) ?? '');
    return claimed !== undefined && isTokenOf(claimed, secret) ? claimed : undefined;
  }

  const template = createTemplate(() => open('template', { file: ':memory:' }), worlds.requireOpen);

  function describe(id: string): Omit<WorldInfo, 'baseUrl'> {
    const world = worlds.peek(id);
    const known = stored.read(id);
    const { identity, clock } = world === undefined ? (known ?? standing(worlds.get(id))) : standing(world);
    const { now, frozen } = clock.view();
    const { label = null, checkout } = known?.asked ?? {};
    const [ttl, idleMs] = [worlds.ttlOf(id), worlds.idleMsOf(id)];
    const usedAt = idleMs === undefined ? (stored.usedAt(id) ?? null) : wallNow() - idleMs;
    return {
      ...{ id, label, ...identity, now, frozen, port: ports.portOf(id), ttlMs: ttl === endless ? null : ttl },
      ...{ root: checkout?.root ?? null, branch: checkout?.branch ?? null },
      ...{ usedAt: isoOrNull(usedAt), bytes: known === undefined ? null : stored.bytesOf(id) },
    };
  }

  async function openDefault(onWarning: (text: string) => void): Promise<World> {
    for (const text of stored.reconcile()) onWarning(text);
    if (config.scenario === null) return worlds.get('default');
    // Loaded on first use: most starts need nothing of scenarios.
    const { scenarioOfSetting, withClock } = await import('../modules/scenarios/named.js');
    const { addOwn, fillAtOnce } = await import('../modules/scenarios/fill.js');
    ofSettings.addOwn = addOwn;
    const { start, frozen } = config.clock;
    const chosen = withClock(scenarioOfSetting(template.world(), library, config.scenario), {
      // Clock and frozen of the settings are meant expressly.
      start: start ?? undefined,
      frozen: frozen || undefined,
    });
    ofSettings.scenario = chosen;
    const world = worlds.get('default');
    if (!world.wasEmpty) return world;
    const { name, scenario } = chosen;
    // A data directory keeps to the seed that its settings name.
    const seed = scenario.seed === undefined || config.seed !== null ? world.random.seed : String(scenario.seed);
    const how = { event: 'scenario', subject: name ?? '', scenario: chosen, seed, ownSeed: seed } as const;
    world.reset(how, () => fillAtOnce(world));
    return world;
  }

  const kept = createKeptWorlds({ keeping, dataDir: file === ':memory:' ? undefined : dirname(file), worlds, stored });
  function look<Result>(image: Buffer, act: (world: World) => Result): Result {
    const world = open('template', { file: ':memory:', image });
    const result = orClosed(':memory:', world, () => act(world));
    world.close();
    return result;
  }
  const creation = createCreation({ worlds, stored, ports, template, config: () => config, look });
  const ownHosting: Hosting = {
    has: worlds.has,
    list: worlds.list,
    count: worlds.count,
    open: worlds.get,
    describe,
    countOf: (owner) => stored.countOf(owner) + creation.countOf(owner),
    scenario: () => ofSettings.scenario,
    keep: kept.keep,
    giveWay: kept.giveWay,
    async make(request) {
      await creation.make(request);
      return describe(request.id);
    },
    beingMade: creation.beingMade,
    isTaken: (id) => worlds.has(id) || creation.beingMade(id) !== undefined,
    madeBy: (id) => (id === 'default' ? { ttl: 0 } : stored.read(id)?.asked),
    drop(id) {
      creation.drop(id);
      worlds.drop(id);
    },
  };
  const opened = (): World[] => [template.opened() ?? [], worlds.opened()].flat();
  return {
    worlds,
    openDefault,
    ...{ entrance: ports.entrance, refuse: ports.refuse },
    stored,
    async reopenPorts(onWarning) {
      worlds.sweep();
      for (const { id, port } of stored.withPorts())
        await ports.open(id, port, 'stays').catch(({ message }: Error) => onWarning(`World ${id}: ${message}`));
    },
    opened,
    reconfigure(changed) {
      config = changed;
      for (const world of opened()) world.reconfigure(changed);
    },
    endStreams() {
      for (const world of worlds.opened()) world.endStreams();
      return ports.closeAll();
    },
    close() {
      worlds.close();
      template.opened()?.close();
    },
  };
}

function standing(world: World): { identity: SeededIdentity; clock: Clock } {
  return { identity: seededIdentity(world), clock: world.clock };
}
