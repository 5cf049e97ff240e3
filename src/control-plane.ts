// The control plane of a running emulator: the controls of each world, and their control operation under /_emulator. The emulator
// imports it when it is first asked for: a start need not wait for what most clients never use.

import { createLocalControls } from './control/client/local.js';
import { type ControlHandlerOptions, createControlHandler } from './control/control-handler.js';
import { type Controls, type ControlsContext, createControls } from './control/controls.js';
import { controlOperations } from './control/operations.js';
import type { ControlHandler } from './http/app.js';
import { openapiDocument } from './http/openapi.js';
import type { SnapshotStores } from './modules/snapshots/snapshot-stores.js';
import type { World } from './world/world.js';
import type { Worlds } from './world/worlds.js';

export interface ControlPlaneOptions
  extends Omit<ControlsContext, 'world' | 'shelf'>,
    Pick<ControlHandlerOptions, 'config' | 'onError'> {
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
  handle: ControlHandler;
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
        alsoWrong: (operation, body) => operation.alsoWrong?.(world, body) ?? [],
      });
    },
    handle: createControlHandler({
      config,
      controlsOf,
      onError,
      openapi: (baseUrl) => controlDocument(baseUrl, context.version),
    }),
  };
}

/** The control plane's OpenAPI document. */
export function controlDocument(baseUrl: string, version: string): object {
  return openapiDocument(controlOperations, {
    title: 'cloudemu control plane',
    description: 'Time, failure and state under control. Reachable from this machine only, or with the control token.',
    version,
    baseUrl,
    open: true,
  });
}
