// The controls of a world in process: methods that run their operations with input checked as over HTTP.

import { ApiError, type FieldProblem, problemLines } from '../core/errors.js';
import { checkInput } from '../http/validate.js';
import type { World } from '../world/world.js';
import { argumentsOf, type Call, callOf, chosenBy, documentCallOf, meansDocument } from './arguments.js';
import { type ControlOperation, type ControlsOf, controlled, isOperation } from './operation.js';
import { asOption } from './options.js';

/**
 * The methods of a group of operations in a world. A method whose `run` is asynchronous returns a promise; the others
 * return what `run` returns, and throw.
 *
 * @param worldNow the world, open; throws when it has ended
 * @param use notes that it is in use until the returned function is called
 */
export function createLocalControls<Group extends object>(
  group: Group,
  worldNow: () => World,
  use: () => () => void,
): ControlsOf<Group> {
  const members = Object.entries(group as Record<string, ControlOperation | object>).map(([name, member]) => [
    name,
    isOperation(member) ? methodOf(member, worldNow, use) : createLocalControls(member, worldNow, use),
  ]);
  return Object.fromEntries(members) as ControlsOf<Group>;
}

function methodOf(operation: ControlOperation, worldNow: () => World, use: () => () => void): unknown {
  const { document = operation } = operation;
  const method = (...args: unknown[]): unknown => {
    const world = worldNow();
    const result = explained(() =>
      meansDocument(operation.shape, args)
        ? runIn(world, document, documentCallOf(args))
        : runIn(world, operation, callOf(operation.shape, args)),
    );
    if (!(result instanceof Promise)) return told(operation, world)(result);
    const orEnded = (error: unknown): never => {
      // If the world has ended meanwhile, any error may come of it; `worldNow` throws the one that says so.
      if (world.isClosed) worldNow();
      throw error;
    };
    return result.catch(orEnded).then(told(operation, world)).finally(use());
  };
  return operation.runs === 'async' ? async (...args: unknown[]) => method(...args) : method;
}

// Open pages learn what was changed here as they learn what was changed over HTTP.
function told({ method }: ControlOperation, world: World): (result: unknown) => unknown {
  return (result) => {
    if (method !== 'GET') world.bus.emit(controlled);
    return result;
  };
}

function runIn(world: World, operation: ControlOperation, call: Call): unknown {
  const usual = { strict: true, warn: () => {} };
  const { alsoWrong } = operation;
  const checked = {
    ...call,
    params: operation.params && checkInput(operation.params, call.params, usual),
    query: operation.query && checkInput(operation.query, call.query, usual),
    body:
      operation.body &&
      checkInput(operation.body, call.body, {
        ...usual,
        ...(alsoWrong !== undefined && { alsoWrong: (sent: unknown) => alsoWrong(world, sent) }),
      }),
  } as Call;
  const { run, shape } = chosenBy(checked.query, operation);
  const subject = operation.id;
  const begin = (): unknown => run({ world, origin: undefined }, ...argumentsOf(shape, checked));
  return world.remembered.as({ kind: 'control', subject }, begin);
}

// The message says all that is wrong: who calls a method need not look into `details`.
function explained(act: () => unknown): unknown {
  const retold = (error: unknown): unknown => {
    if (!(error instanceof ApiError) || error.code !== 'VALIDATION_ERROR') return error;
    const { details } = error.options;
    const told = Array.isArray(details) ? (details as FieldProblem[]).map(asOption) : details;
    const text = problemLines(told)?.join('\n');
    return text === undefined ? error : new ApiError(error.code, { ...error.options, message: text, details: told });
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
