// The worlds of a running emulator: the default one, and those that are made and dropped beside it.

import type { Config } from './config/schema.js';
import type { NamedScenario } from './controls/scenarios/fill.js';
import type { Library } from './controls/scenarios/library.js';
import { seededIdentity, seedWorld } from './controls/seed.js';
import type { Hosting, OpenRequest } from './controls/worlds.js';
import { releaseReservations } from './features/credits/reservations.js';
import { effectHandlers } from './features/effects.js';
import { findKeyByValue } from './features/keys/store.js';
import { isTokenOf } from './features/sessions/sessions.js';
import { type Handlers, ListenError, type Listener, listen } from './http/listen.js';
import { leadInto } from './http/own-port.js';
import { createLocalPorts } from './http/ports.js';
import { ApiError } from './kernel/errors.js';
import { beginClock } from './worlds/beginning.js';
import { openWorld, type World } from './worlds/world.js';
import { createWorlds, type Worlds } from './worlds/worlds.js';

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
  onError: (error: unknown) => void;
}

/** The worlds, and what the controls need to make more. */
export interface Host {
  worlds: Worlds;
  hosting: Hosting;
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
export function createHost({ file, origin, handlers, library, onError, ...options }: HostOptions): Host {
  let { config } = options;
  const ports = new Map<string, Listener>();
  const keys = new Map<string, string>();
  const worlds = createWorlds((id) => {
    void ports.get(id)?.close();
    ports.delete(id);
    for (const [key, owner] of keys) if (owner === id) keys.delete(key);
  });

  function open(id: string, where: string, image?: Buffer): World {
    const world = openWorld({
      id,
      file: where,
      ...(image !== undefined && { image }),
      config,
      effects: effectHandlers,
      ports: (of) => createLocalPorts(of, config.server.host, () => worlds.use(of.id), onError),
      ownerOf(secret) {
        const seeded = keys.get(secret);
        if (seeded !== undefined) return worlds.find(seeded);
        const isOwner = (of: World): boolean => isTokenOf(of, secret) || findKeyByValue(of.db, secret) !== undefined;
        return worlds.opened().find(isOwner);
      },
    });
    if (world.fresh) seedWorld(world);
    else releaseReservations(world);
    return world;
  }

  // New worlds are cast from this one: its statements are ready, theirs are made when they are first asked for.
  let madeMould: World | undefined;
  function mould(): World {
    madeMould ??= open('mould', ':memory:');
    return madeMould;
  }
  function cast({ seed, at, frozen, scenario, fill }: OpenRequest) {
    const inside = mould();
    const clock = beginClock(config, { at, frozen });
    const beginning = { seed, ownSeed: seed, at: clock.floor, frozen: clock.speed === 0, scenario };
    inside.startOver({ event: 'reset', subject: '', ...beginning }, () => fill(inside));
    inside.journal.clear();
    const { now, frozen: stands } = inside.clock.view();
    return { image: inside.image(), identity: seededIdentity(inside), now, frozen: stands };
  }

  let first: NamedScenario | undefined;
  async function openDefault(): Promise<World> {
    if (config.scenario === null) return worlds.get('default');
    // Loaded on first use: most starts need nothing of scenarios.
    const { scenarioOfSetting, withClock } = await import('./controls/scenarios/named.js');
    const { fillWorld } = await import('./controls/scenarios/fill.js');
    const { start, frozen } = config.clock;
    first = withClock(scenarioOfSetting(mould(), library, config.scenario), {
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
    world.startOver(how, () => fillWorld(world));
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

  worlds.add('default', () => open('default', file));
  return {
    worlds,
    hosting: {
      origin,
      ids: worlds.ids,
      get: worlds.get,
      scenario: () => first,
      async open(request) {
        const { id, port, ttl } = request;
        const { image, identity, now, frozen } = cast(request);
        // Listed at once, so that nobody else takes the id while its port is opened.
        const isListed = worlds.add(id, () => open(id, ':memory:', image), ttl);
        keys.set(identity.apiKey, id);
        const ownPort = port === undefined ? null : await listenFor(id, port, isListed);
        return { id, ...identity, now, frozen, port: ownPort, ttlMs: ttl };
      },
      drop: worlds.drop,
      portOf: (id) => ports.get(id)?.port ?? null,
      ttlOf: worlds.ttlOf,
    },
    openDefault,
    reconfigure(changed) {
      config = changed;
      for (const world of worlds.opened()) world.reconfigure(changed);
      madeMould?.reconfigure(changed);
    },
    async endStreams() {
      for (const world of worlds.opened()) world.endStreams();
      await Promise.all([...ports.values()].map((listener) => listener.close()));
    },
    close() {
      worlds.close();
      madeMould?.close();
    },
  };
}

function insideWorld(prefix: string, origin: () => string, { request, upgrade }: Handlers): Handlers {
  return {
    request(req, res) {
      leadInto(prefix, origin(), req);
      request(req, res);
    },
    upgrade(req, socket, head) {
      leadInto(prefix, origin(), req);
      upgrade(req, socket, head);
    },
  };
}
