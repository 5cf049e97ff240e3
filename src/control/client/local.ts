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
  alsoWrong: (operation: ControlOperation, body: unknown) => readonly FieldProblem[];
}

/** The controls in process. Each method calls its control operation, whose declaration alone checks the input. */
export function createLocalControls(controls: Controls, { requireOpen, alsoWrong }: LocalWorld): Controls {
  const operations = new Map(
    controlOperations.map((operation) => [`${operation.method} ${operation.path}`, operation]),
  );
  const act = (method: string, path: string, options: CallOptions = {}): unknown => {
    const operation = operations.get(`${method} /_emulator${path}`);
    if (operation === undefined) throw new Error(`${method} ${path} is no control operation`);
    return told(() => operation.act(controls, inputOf(operation, options, alsoWrong)));
  };
  // An answer comes as the controls give it: only those that take time are promises.
  const caller = { call: act, events: (path, options) => act('GET', path, options) } as Caller;
  return likewise(controls, createRemoteControls(caller), requireOpen) as Controls;
}

const usual = { strict: true, warn: () => {} };

function inputOf(
  operation: ControlOperation,
  { params, query, body, after, signal }: CallOptions,
  alsoWrong: LocalWorld['alsoWrong'],
): Parameters<ControlOperation['act']>[1] {
  return {
    params: operation.params && checkInput(operation.params, params, usual),
    query: operation.query && checkInput(operation.query, objectOf(query), usual),
    body:
      operation.body &&
      checkInput(operation.body, body, {
        ...usual,
        alsoWrong: operation.alsoWrong && ((sent: unknown) => alsoWrong(operation, sent)),
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
