// The control plane of a running emulator: the controls of each world, and their door under /_emulator. The emulator
// imports it when it is first asked for: a start need not wait for what most clients never use.

import { openapiDocument } from './api/openapi.js';
import { createLocalControls } from './client/local.js';
import { type Controls, type ControlsContext, createControls } from './controls/controls.js';
import { controlEndpoints } from './controls/endpoints.js';
import type { SideDoor } from './http/app.js';
import { type ControlDoorOptions, createControlDoor } from './http/control-door.js';
import type { SnapshotStores } from './store/snapshot-stores.js';
import type { World } from './worlds/world.js';
import type { Worlds } from './worlds/worlds.js';

export interface ControlPlaneOptions
  extends Omit<ControlsContext, 'world' | 'shelf'>,
    Pick<ControlDoorOptions, 'config' | 'onError'> {
  worlds: Worlds;
  snapshots: SnapshotStores;
}

export interface ControlPlane {
  /**
   * The controls of a world for who is in this process, checked as over HTTP.
   *
   * @throws ApiError NOT_FOUND
   */
  checkedControlsOf(worldId: string): Controls;
  /** @throws ApiError NOT_FOUND */
  controlsOf(worldId: string): Controls;
  /** Answers what is asked under /_emulator. */
  door: SideDoor;
}

export function createControlPlane({
  config,
  worlds,
  snapshots,
  onError,
  ...context
}: ControlPlaneOptions): ControlPlane {
  const known = new WeakMap<World, Controls>();
  function controlsOf(world: World): Controls {
    const controls = known.get(world) ?? createControls({ ...context, world, shelf: snapshots.of(world.id) });
    known.set(world, controls);
    return controls;
  }
  return {
    controlsOf: (id) => controlsOf(worlds.get(id)),
    checkedControlsOf(id) {
      const world = worlds.get(id);
      return createLocalControls(controlsOf(world), {
        requireOpen: () => worlds.requireOpen(world),
        alsoWrong: (door, body) => door.alsoWrong?.(world, body) ?? [],
      });
    },
    door: createControlDoor({
      config,
      controlsOf,
      onError,
      openapi: (baseUrl) => controlDocument(baseUrl, context.version),
    }),
  };
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
