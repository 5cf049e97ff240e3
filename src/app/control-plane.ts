// The control plane of a running emulator. The emulator imports it when it is first asked for: a start need not wait for
// what most clients never use.

import type { Config } from '../config/schema.js';
import { type ControlHandlerOptions, createControlHandler } from '../control/http.js';
import { createLocalControls } from '../control/local.js';
import { createDocuments } from '../http/documents.js';
import { openapiDocument } from '../http/openapi.js';
import type { Worlds } from '../world/worlds.js';
import { type Controls, controlOperations, controlTree } from './controls.js';

export interface ControlPlaneOptions extends Pick<ControlHandlerOptions, 'config' | 'onError'> {
  worlds: Worlds;
  version: string;
}

export function createControlPlane({ config, worlds, version, onError }: ControlPlaneOptions) {
  const documentOf = createDocuments(
    ({ errors }: Config) => errors.style,
    (settings, baseUrl) => controlDocument(settings, baseUrl, version),
  );
  return {
    /**
     * The controls of a world for this process, whose input is checked as over HTTP.
     *
     * @throws ApiError NOT_FOUND
     */
    controlsOf(id: string): Controls {
      worlds.get(id);
      return createLocalControls(controlTree, worlds.follow(id), () => worlds.use(id));
    },
    /** Answers requests under /_emulator. */
    handle: createControlHandler({ config, operations: controlOperations, onError, openapi: documentOf }),
  };
}

export type ControlPlane = ReturnType<typeof createControlPlane>;

/** The control plane's OpenAPI document. */
export function controlDocument({ errors }: Config, baseUrl: string, version: string): object {
  return openapiDocument(controlOperations, {
    title: 'cloudemu control plane',
    description: 'Time, failure and state under control. Reachable from this machine only, or with the control token.',
    version,
    baseUrl,
    errors: errors.style,
    open: true,
  });
}
