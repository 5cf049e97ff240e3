// Names from a closed list: strings in the sources, unions of names in the published types (src/build/types/build.mjs).

import * as z from 'zod';

/** The id of an operation of the platform: `containers.create`. */
export type OperationId = string;

/** The id of an operation, or a pattern in which `*` is any text: `containers.*`. */
export type OperationPattern = string;

/** How a deployment can fail: `exec-format`. */
export type FailureMode = string;

/** A scenario that is shipped, or one of your own that `CloudemuScenarios` names. */
export type ScenarioName = string;

/** A scenario by its name, or the file of one: something with a slash in it, or that ends in `.json`. */
export type ScenarioReference = string;

// The published types recognize these texts by their schemas.
export const operationId = z.string();
export const operationPattern = z.string();
export const failureMode = z.string();
export const scenarioName = z.string();
export const scenarioReference = z.string();

/** The name of no scenario: a plain world. */
export const noScenario = 'none';

/** Whether a reference to a scenario means a file. */
export function isScenarioFile(reference: string): boolean {
  return /[\\/]|\.(json|ya?ml)$/i.test(reference);
}

/** The form of a snapshot's name, which is a part of the name of its file. */
export const snapshotNames = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** The form of a world's id, which is a part of its paths. */
export const worldIds = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** Names of variables that `env` may print. With any other name, settings could set one that makes a shell run its value. */
export const clientVariables = /^[A-Z][A-Z0-9_]*_(URL|KEY)$/;
