// The controls of a world for tests in the same process: what they are given is checked as over HTTP.

import { ApiError, type FieldProblem, problemLines } from '../../core/errors.js';
import { checkInput } from '../../http/validate.js';
import type { Controls } from '../controls.js';
import type { ControlOperation } from '../operation.js';
import { controlOperations } from '../operations.js';
import type { Caller, CallOptions } from './call.js';
import { createRemoteControls } from './controls.js';
import { objectOf } from './options.js';

export interface LocalWorld {
  /** Throws when nothing can be asked any more. */
  requireOpen: () => void;
  /** What else is wrong with a body whose form is wrong. */
  alsoWrong: (door: ControlOperation, body: unknown) => readonly FieldProblem[];
}

/** The controls, each method of which goes through its door: input is checked by the door's declaration and nothing else. */
export function createLocalControls(controls: Controls, { requireOpen, alsoWrong }: LocalWorld): Controls {
  const doors = new Map(controlOperations.map((door) => [`${door.method} ${door.path}`, door]));
  const act = (method: string, path: string, options: CallOptions = {}): unknown => {
    const door = doors.get(`${method} /_emulator${path}`);
    if (door === undefined) throw new Error(`${method} ${path} is no door of the control plane`);
    return told(() => door.act(controls, inputOf(door, options, alsoWrong)));
  };
  // An answer comes as the controls give it: only those that take time are promises.
  const caller = { call: act, events: (path, options) => act('GET', path, options) } as Caller;
  return likewise(controls, createRemoteControls(caller), requireOpen) as Controls;
}

const usual = { strict: true, warn: () => {} };

function inputOf(
  door: ControlOperation,
  { params, query, body, after, signal }: CallOptions,
  alsoWrong: LocalWorld['alsoWrong'],
): Parameters<ControlOperation['act']>[1] {
  return {
    params: door.params && checkInput(door.params, params, usual),
    query: door.query && checkInput(door.query, objectOf(query), usual),
    body:
      door.body &&
      checkInput(door.body, body, {
        ...usual,
        alsoWrong: door.alsoWrong && ((sent: unknown) => alsoWrong(door, sent)),
      }),
    origin: undefined,
    signal,
    lastEventId: after === undefined ? undefined : String(after),
  };
}

// As over HTTP, the message says all that is wrong.
function told(act: () => unknown): unknown {
  const retold = (error: unknown): unknown => {
    const text = error instanceof ApiError ? problemLines(error.options.details)?.join('\n') : undefined;
    if (!(error instanceof ApiError) || error.code !== 'VALIDATION_ERROR' || text === undefined) return error;
    return new ApiError(error.code, { ...error.options, message: text });
  };
  try {
    const result = act();
    if (!(result instanceof Promise)) return result;
    return result.catch((error: unknown) => {
      throw retold(error);
    });
  } catch (error) {
    throw retold(error);
  }
}

// Methods whose answer is a promise reject it; the others throw.
function likewise(model: object, part: object, requireOpen: () => void): object {
  const entries = Object.entries(model).map(([name, own]: [string, unknown]) => {
    const method: unknown = Reflect.get(part, name);
    if (typeof own !== 'function') return [name, likewise(own as object, method as object, requireOpen)];
    const call = (...args: unknown[]): unknown => {
      requireOpen();
      return Reflect.apply(method as (...args: unknown[]) => unknown, part, args);
    };
    return [name, own.constructor.name === 'AsyncFunction' ? async (...args: unknown[]) => call(...args) : call];
  });
  return Object.fromEntries(entries) as object;
}
