// The composition root: settings -> worlds -> application -> listeners.

import { accessSync, chmodSync, constants, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openapiDocument } from './api/openapi.js';
import { endpoints } from './api/registry.js';
import type { Config } from './config/schema.js';
import { type Controls, createControls } from './controls/controls.js';
import { controlEndpoints } from './controls/endpoints.js';
import { type SeededIdentity, seededIdentity, seedWorld } from './controls/seed.js';
import { reopenAddresses } from './features/containers/open-addresses.js';
import { findBySlug } from './features/containers/store.js';
import { effectHandlers } from './features/effects.js';
import { createApp } from './http/app.js';
import { slugOfHost, upgradeContainer } from './http/container-server.js';
import { createControlDoor } from './http/control-door.js';
import type { RequestListener } from './http/journal.js';
import { type Handlers, type Listener, listen } from './http/listen.js';
import { createLocalPorts } from './http/ports.js';
import { packageVersion } from './kernel/version.js';
import { holdLock, StoreError } from './store/db.js';
import { openWorld, type World } from './worlds/world.js';
import { createWorlds, type Worlds } from './worlds/worlds.js';

export interface EmulatorOptions {
  config: Config;
  onRequest?: RequestListener | undefined;
  /** Hears of faults of the emulator itself. */
  onError?: (error: unknown) => void;
}

/** A running emulator. */
export interface RunningEmulator extends SeededIdentity {
  /** Where it answers, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** The controls of the default world. */
  readonly controls: Controls;
  readonly version: string;
  /** Where its data lies, or null when it is kept in memory. */
  readonly dataDir: string | null;
  /** Ends open streams, flushes and closes everything. */
  close(): Promise<void>;
}

/**
 * Opens the worlds and listens.
 *
 * @throws ListenError (port taken), StoreError (data directory in use or unusable)
 */
export async function runEmulator({
  config,
  onRequest,
  onError = () => {},
}: EmulatorOptions): Promise<RunningEmulator> {
  const version = packageVersion();
  const startedAt = performance.now();
  const { file, dataDir, release } = openDataDir(config);
  const worlds = createWorlds();
  let listener: Listener | undefined;

  const close = async (): Promise<void> => {
    for (const world of worlds.all()) world.endStreams();
    await listener?.close();
    worlds.close();
    release();
  };
  try {
    const world = openWorld({
      id: 'default',
      config,
      file,
      effects: effectHandlers,
      ports: (of) => createLocalPorts(of, config.server.host, onError),
    });
    worlds.add(world);
    if (world.fresh) seedWorld(world);
    if (dataDir !== null) chmodSync(file, 0o600);

    const controlsOf = controlsOfWorlds((of) =>
      createControls({
        world: of,
        version,
        uptimeMs: () => performance.now() - startedAt,
        worldCount: () => worlds.all().length,
      }),
    );
    listener = await listen(
      config.server.host,
      config.server.port,
      handlersFor({ config, worlds, controlsOf, version, onRequest, onError }),
    );
    await Promise.all(worlds.all().map(reopenAddresses));
    return {
      ...seededIdentity(world),
      url: config.server.publicUrl?.replace(/\/+$/, '') ?? `http://${urlHost(config.server.host)}:${listener.port}`,
      port: listener.port,
      controls: controlsOf(world),
      version,
      dataDir,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Parts {
  config: Config;
  worlds: Worlds;
  controlsOf: (world: World) => Controls;
  version: string;
  onRequest: RequestListener | undefined;
  onError: (error: unknown) => void;
}

function handlersFor({ config, worlds, controlsOf, version, onRequest, onError }: Parts): Handlers {
  const controls = createControlDoor({
    config,
    controlsOf,
    onError,
    openapi: (baseUrl) => controlDocument(baseUrl, version),
  });
  const openapi = (baseUrl: string): object => platformDocument(config, baseUrl, version);
  return {
    request: createApp({ config, worlds, controls, openapi, onRequest, onError }),
    // Containers that share this origin (path and subdomain style) get their WebSockets here.
    upgrade(req, socket, head) {
      const path = /^(?:\/w\/([^/]+))?\/_containers\/([^/?]+)(.*)$/.exec(req.url ?? '');
      const host = config.containers.urlStyle === 'subdomain' ? slugOfHost(req.headers.host ?? '') : undefined;
      const slug = host?.slug ?? path?.[2];
      const world = worlds.all().find((candidate) => candidate.id === (host?.world ?? path?.[1] ?? 'default'));
      if (slug === undefined || world === undefined) {
        socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
        return;
      }
      if (host === undefined) req.url = path?.[3]?.startsWith('/') === true ? path[3] : `/${path?.[3] ?? ''}`;
      upgradeContainer(world, findBySlug(world.db, slug), req, socket, head).catch(onError);
    },
  };
}

/** The platform's OpenAPI document. */
export function platformDocument(config: Config, baseUrl: string, version: string): object {
  return openapiDocument(endpoints, {
    title: `${config.service.name} Cloud, emulated by cloudemu`,
    description: 'The platform’s API as this emulator answers it. x-assumptions marks what rests on a guess.',
    version,
    baseUrl,
  });
}

/** The control plane's OpenAPI document. */
export function controlDocument(baseUrl: string, version: string): object {
  return openapiDocument(controlEndpoints, {
    title: 'cloudemu control plane',
    description: 'Time, failure and state under control. Reachable from this machine only, or with the control token.',
    version,
    baseUrl,
    open: true,
  });
}

function controlsOfWorlds(create: (world: World) => Controls): (world: World) => Controls {
  const known = new WeakMap<World, Controls>();
  return (world) => {
    const controls = known.get(world) ?? create(world);
    known.set(world, controls);
    return controls;
  };
}

const reasons: Record<string, string> = {
  EEXIST: 'a file of that name is there',
  ENOTDIR: 'a part of the path is a file',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'that file system is read-only',
};

function openDataDir(config: Config): { file: string; dataDir: string | null; release: () => void } {
  if (config.data.ephemeral) return { file: ':memory:', dataDir: null, release: () => {} };
  const dataDir = resolve(config.data.dir);
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new StoreError(
      `The data directory ${dataDir} cannot be used: ${reasons[code] ?? code}. Choose another --data-dir, or --ephemeral.`,
    );
  }
  const release = holdLock(join(dataDir, 'lock'));
  if (release === undefined) {
    throw new StoreError(
      `The data directory ${dataDir} is in use by another cloudemu. Stop it, or choose another --data-dir, or --ephemeral.`,
    );
  }
  return { file: join(dataDir, 'world.db'), dataDir, release };
}

/** The host name under which this machine reaches a listening address. */
export function urlHost(host: string): string {
  if (host === 'localhost' || host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
