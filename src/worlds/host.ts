// The worlds of a running emulator: the default one, and those that are made and dropped beside it.

import { dirname } from 'node:path';
import type { Config } from '../config/schema.js';
import { Clock, type ClockState, wallNow } from '../core/clock.js';
import { hashSecret } from '../core/random.js';
import { orClosed } from '../db/connection.js';
import type { Handlers } from '../http/listen.js';
import { type PlatformOperation, platformOperations } from '../http/platform-operations.js';
import { isoOrNull } from '../http/wire.js';
import { portsKey, reopenAddresses } from '../platform/containers/address/open-addresses.js';
import { createLocalPorts, portBudget } from '../platform/containers/address/ports.js';
import { type ContainerProcesses, processesKey, processesPart } from '../platform/containers/processes.js';
import { releaseReservations } from '../platform/credits/reservations.js';
import { findKeyByValue } from '../platform/keys/store.js';
import { type BlobStore, blobStoreOf, blobsKey, worldBlobs } from '../platform/registry/blobs.js';
import { isTokenOf } from '../platform/sessions/sessions.js';
import { claimedWorld, looksLikeToken } from '../platform/sessions/token.js';
import { lookAt } from '../tools/history/look.js';
import { journalOf } from '../tools/journal/journal.js';
import type { NamedScenario } from '../tools/scenarios/fill.js';
import { type Library, libraryFor, scenarioLibrary, settingsScenario } from '../tools/scenarios/library.js';
import type { ScenarioInput } from '../tools/scenarios/schema.js';
import { seedWorld } from '../tools/scenarios/seed-world.js';
import { snapshotStore } from '../tools/snapshots/snapshot-store.js';
import type { SnapshotStores } from '../tools/snapshots/snapshot-stores.js';
import { clockHistoryOf } from '../tools/timeline/clock-history.js';
import { type Hosting, hosting } from '../tools/worlds/hosting.js';
import type { WorldInfo } from '../tools/worlds/request.js';
import { emulatorFacts, type SharedFacts } from '../world/given.js';
import { endless } from '../world/made-world.js';
import type { WorldPart } from '../world/parts.js';
import { lastRecord } from '../world/place.js';
import { type SeededIdentity, seededIdentity } from '../world/seeded.js';
import { openWorld, type PartKey, type PartMakers, type World } from '../world/world.js';
import { prefixOf, type WorldName } from '../world/world-name.js';
import { Worlds } from '../world/worlds.js';
import { effectHandlers } from './due-effects.js';
import { createFileStorage } from './in-files.js';
import { createKeptWorlds, type Keeping, type KeptWorlds } from './kept-worlds.js';
import { NewWorlds } from './new-worlds.js';
import { WorldPorts } from './ports.js';
import { type ListedWorlds, openStoredWorlds } from './stored-worlds.js';
import { createMemoryStorage, type WorldSource } from './world-storage.js';

export interface HostOptions {
  config: Config;
  /** The default world's database, or ':memory:'. */
  file: string;
  /** The document of a scenario, in the place of that of the settings. */
  scenario?: ScenarioInput | undefined;
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

/** The worlds of an emulator; none is open at first. */
export class Host {
  readonly worlds: Worlds;
  /** The worlds beside the default one. */
  readonly stored: ListedWorlds;
  readonly ports: WorldPorts;
  private config: Config;
  private readonly parts: PartMakers;
  private readonly making: NewWorlds;
  private readonly kept: KeptWorlds;
  // Both are there once the default world is asked for, where the settings name a scenario.
  private scenario: NamedScenario | undefined;
  private addOwn: ((world: World) => void) | undefined;

  constructor(private readonly options: HostOptions) {
    const { config, file, dir, origin, handlers, snapshots, blobs, keeping = 'worlds', onWorldEnd } = options;
    this.config = config;
    this.parts = this.makers();
    this.stored = openStoredWorlds(
      dir === undefined ? createMemoryStorage() : createFileStorage(dir),
      (id, source, isNew) => this.openStored(id, source, isNew),
      (id, source) => this.open(id, source),
      snapshots.close,
    );
    this.worlds = new Worlds({
      openDefault: () => this.openListed('default', { file }),
      stored: this.stored,
      onDrop: (id) => {
        this.kept.forget(id);
        snapshots.drop(id);
        this.ports.close(id);
        blobs.release(id);
      },
      ...(onWorldEnd !== undefined && { onEnd: onWorldEnd }),
      mostOpen: config.worlds.open,
      // One team learns nothing about the worlds of others.
      suggests: config.server.controlTokens.length === 0,
    });
    const { worlds, stored } = this;
    this.ports = new WorldPorts({ host: config.server.host, origin, handlers, worlds });
    this.kept = createKeptWorlds({ keeping, dataDir: file === ':memory:' ? undefined : dirname(file), worlds, stored });
    this.making = new NewWorlds({
      worlds,
      stored,
      ports: this.ports,
      config: () => this.config,
      openTemplate: () => this.open('template', { file: ':memory:' }),
      look: (image, act) => this.look(image, act),
    });
  }

  /**
   * Opens the default world, or makes it with the scenario of the settings, and tells of worlds that their list has lost.
   *
   * @throws ConfigError when that scenario is none, before anything is written
   */
  async openDefault(onWarning: (text: string) => void): Promise<World> {
    const { config, worlds } = this;
    for (const text of this.stored.reconcile()) onWarning(text);
    const asked = this.options.scenario ?? config.scenario;
    if (asked === null) return worlds.get('default');
    // Loaded on first use: most starts need nothing of scenarios.
    const { scenarioOfSetting, withClock } = await import('../tools/scenarios/named.js');
    const { addOwn, fillAtOnce } = await import('../tools/scenarios/fill.js');
    this.addOwn = addOwn;
    const { start, frozen } = config.clock;
    const chosen = withClock(scenarioOfSetting(this.making.template(), this.options.library, asked), {
      // Clock and frozen of the settings are meant expressly.
      start: start ?? undefined,
      frozen: frozen || undefined,
    });
    this.scenario = chosen;
    const world = worlds.get('default');
    if (!world.wasEmpty) return world;
    const { name, scenario } = chosen;
    // A data directory keeps to the seed that its settings name.
    const seed = scenario.seed === undefined || config.seed !== null ? world.random.seed : String(scenario.seed);
    const how = { event: 'scenario', subject: name ?? '', scenario: chosen, seed, ownSeed: seed } as const;
    world.reset(how, () => fillAtOnce(world));
    return world;
  }

  /** Opens the ports that worlds on disk have had; one that is taken by now is reported, and the world stays without. */
  async reopenPorts(onWarning: (text: string) => void): Promise<void> {
    this.worlds.sweep();
    for (const { id, port } of this.stored.withPorts())
      await this.ports.open(id, port, 'stays').catch(({ message }: Error) => onWarning(`World ${id}: ${message}`));
  }

  /** The open worlds, with the one that others are filled in. */
  opened(): World[] {
    return [this.making.opened() ?? [], this.worlds.opened()].flat();
  }

  /** Takes other settings, for worlds that are there and for those to come. */
  reconfigure(config: Config): void {
    this.config = config;
    for (const world of this.opened()) world.reconfigure(config);
  }

  /** Ends open streams and the ports of worlds; the worlds themselves are closed by `close`. */
  endStreams(): Promise<void> {
    for (const world of this.worlds.opened()) world.endStreams();
    return this.ports.closeAll();
  }

  close(): void {
    this.worlds.close();
    this.making.opened()?.close();
  }

  private open(id: string, source: WorldSource): World {
    const { config, scenario } = this;
    const ownerOf = (secret: string): WorldName | undefined => this.ownerOf(secret);
    const world = openWorld({ id, ...source, config, effects: effectHandlers, parts: this.parts, ownerOf });
    return orClosed(source.file, world, () => {
      // They note what happens to the world from its beginning on.
      for (const noting of [journalOf, blobStoreOf, clockHistoryOf]) noting(world);
      // A default world with a scenario is filled when all is there: see `openDefault`.
      if (!world.wasEmpty) releaseReservations(world);
      else if (id !== 'default' || scenario === undefined) seedWorld(world);
      return world;
    });
  }

  private openListed(id: string, source: WorldSource, isNew = false): World {
    const world = this.open(id, source);
    return orClosed(source.file, world, () => {
      // The template, whose copy it is, was filled without what is for one world alone.
      if (isNew) world.db.transaction(() => this.addOwn?.(world));
      world.remembered.begin();
      this.options.processes?.supervise(world);
      return world;
    });
  }

  private openStored(id: string, source: WorldSource, isNew: boolean): World {
    const world = this.openListed(id, source, isNew);
    void reopenAddresses(world).catch(this.options.onError);
    return world;
  }

  /** Opens data for a moment, as a world that nobody else sees. */
  private look<Result>(image: Buffer, act: (world: World) => Result): Result {
    const world = this.open('template', { file: ':memory:', image });
    const result = orClosed(':memory:', world, () => act(world));
    world.close();
    return result;
  }

  private ownerOf(secret: string): WorldName | undefined {
    const { worlds, stored } = this;
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

  private describe(id: string): Omit<WorldInfo, 'baseUrl'> {
    const { worlds, stored } = this;
    const world = worlds.peek(id);
    const known = stored.read(id);
    const { identity, clock } = world === undefined ? (known ?? standing(worlds.get(id))) : standing(world);
    const { now, frozen } = new Clock({ state: clock }).view();
    const { label = null, checkout } = known?.asked ?? {};
    const [ttl, idleMs] = [worlds.ttlOf(id), worlds.idleMsOf(id)];
    return {
      id,
      label,
      ...identity,
      now,
      frozen,
      port: this.ports.portOf(id),
      ttlMs: ttl === endless ? null : ttl,
      root: checkout?.root ?? null,
      branch: checkout?.branch ?? null,
      usedAt: isoOrNull(idleMs === undefined ? (stored.index.get(id)?.usedAt ?? null) : wallNow() - idleMs),
      bytes: known === undefined ? null : stored.bytesOf(id),
    };
  }

  /** What modules may do with worlds. */
  private readonly hosting: Hosting = {
    worlds: () => this.worlds,
    describe: (id) => this.describe(id),
    countOf: (owner) => this.stored.index.countOf(owner) + this.making.countOf(owner),
    scenario: () => this.scenario,
    keep: (world) => this.kept.keep(world),
    giveWay: (id) => this.kept.giveWay(id),
    make: async (request) => {
      await this.making.make(request);
      return this.describe(request.id);
    },
    beingMade: (id) => this.making.beingMade(id),
    isTaken: (id) => this.worlds.has(id) || this.making.beingMade(id) !== undefined,
    madeBy: (id) => (id === 'default' ? { ttl: 0 } : this.stored.read(id)?.asked),
    drop: (id) => {
      this.making.drop(id);
      this.worlds.drop(id);
    },
  };

  /** How parts of worlds are made that need more than the world. */
  private makers(): PartMakers {
    const { config, origin, blobs, processes, facts, operations, library, snapshots, onError } = this.options;
    const budget = portBudget();
    return new Map<PartKey<WorldPart>, (world: World) => WorldPart>([
      [blobsKey, (world) => worldBlobs(blobs, world)],
      [processesKey, () => processesPart(processes)],
      emulatorFacts.from(({ id }) => ({ ...facts, origin, mark: `${facts.identity.name}/${id}` })),
      platformOperations.from(() => operations),
      scenarioLibrary.from((world) => libraryFor(library, world)),
      settingsScenario.from(() => () => this.scenario),
      snapshotStore.from(({ id }) => snapshots.of(id)),
      hosting.from(() => this.hosting),
      lastRecord.from((world) => () => journalOf(world).last()),
      lookAt.from(() => (image, act) => this.look(image, act)),
      [
        portsKey,
        (world) =>
          createLocalPorts(world, { host: config.server.host, budget, use: () => this.worlds.use(world.id), onError }),
      ],
    ]);
  }
}

function standing(world: World): { identity: SeededIdentity; clock: ClockState } {
  return { identity: seededIdentity(world), clock: world.clock.state() };
}
