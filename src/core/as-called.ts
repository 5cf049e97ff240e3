// Errors of the public API begin their stack at the caller's line: what lies in between is one bundle.

import { fileURLToPath } from 'node:url';
import { asTyped } from './typed-command.js';

type Callable = (...args: never[]) => unknown;

/**
 * Runs the body of a public function; what it throws, or what its promise is rejected with, points at the caller.
 *
 * @param called the public function itself
 * @example export const double = (value: number) => asCalled(double, () => calculate(value));
 */
export function asCalled<Result>(called: Callable, body: () => Result): Result {
  let result: Result;
  try {
    result = body();
  } catch (error) {
    return rethrow(pointAt(called, error));
  }
  return result instanceof Promise ? (settled(result) as Result) : result;
}

/** The same object, every method of which, also of objects in it, is `asCalled`. */
export function allAsCalled<Part extends object>(part: Part): Part {
  const entries = Object.entries(part).map(([name, value]) => {
    if (typeof value === 'function') {
      const called = (...args: unknown[]): unknown => asCalled(called, () => Reflect.apply(value, part, args));
      return [name, called];
    }
    return [name, typeof value === 'object' && value !== null ? allAsCalled(value) : value];
  });
  return Object.fromEntries(entries) as Part;
}

async function settled<Value>(promise: Promise<Value>): Promise<Value> {
  try {
    return await promise;
  } catch (error) {
    throw pointAt(settled, error);
  }
}

// An error of the caller's own, such as the reason of its signal, is passed on unchanged.
function pointAt(called: Callable, error: unknown): unknown {
  if (!(error instanceof Error) || error.stack?.includes(bundle) !== true) return error;
  // The place of a fault of ours is kept as the cause: it is worth knowing, and some faults keep the line of code whatever
  // their stack says.
  const seen = isFault(error) ? new Error(error.message, { cause: error }) : error;
  // A message may name a command to type, and the stack begins with the message.
  const said = asTyped(error.message);
  const before = said === error.message ? error.stack : error.stack.replace(error.message, () => said);
  if (said !== error.message) seen.message = said;
  Error.captureStackTrace(seen, called);
  // If nothing awaits the promise, only the frames of the stack before it lead to the caller.
  if (!isPlaced(seen.stack)) seen.stack = before.split('\n').filter(isOutside).join('\n');
  return seen;
}

const isPlaced = (stack = ''): boolean => /\n {4}at /.test(stack);
const isOutside = (line: string): boolean => !(line.startsWith('    at ') && line.includes(bundle));

const bundle = fileURLToPath(import.meta.url);

function isFault(error: Error): boolean {
  return [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind);
}

// Node shows the line that has thrown unless it contains these words: in a bundle it is a hundred kilobytes long.
function rethrow(error: unknown): never {
  'node-do-not-add-exception-line';
  throw error;
}
