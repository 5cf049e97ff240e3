// Options of methods that are no field of a request: checked before anything is asked.

import { ApiError, type FieldProblem, problemLine } from '../core/errors.js';
import { nearest } from '../core/nearest.js';
import { describe } from '../core/problems.js';
import { isFields, type Tree } from '../core/tree.js';

/** A validation error whose message says all that is wrong. */
export function refused(...problems: FieldProblem[]): ApiError {
  return new ApiError('VALIDATION_ERROR', { message: problems.map(problemLine).join('\n'), details: problems });
}

/**
 * The options of a method; none is the same as an empty object.
 *
 * @throws ApiError VALIDATION_ERROR for what is no object, or a name that is unknown
 */
export function optionsOf<Options extends object>(
  given: Options | undefined,
  names: readonly (keyof Options & string)[],
): Options {
  const options = objectOf(given);
  const problems = unknownNames(options, names);
  if (problems.length > 0) throw refused(...problems);
  return options as Options;
}

/**
 * Options whose fields are checked elsewhere.
 *
 * @param names of the fields that it must have
 * @throws ApiError VALIDATION_ERROR for what is no object
 */
export function objectOf(given: unknown, names: readonly string[] = []): Tree {
  if (given === undefined) return {};
  if (isFields(given)) return given;
  const such = names.length === 0 ? '' : ` such as { ${names.join(', ')} }`;
  throw refused({ path: 'options', message: `must be an object${such}`, received: describe(given) });
}

/** A problem of a request as who calls a method knows it: he knows nothing of paths, queries and bodies. */
export function asOption(problem: FieldProblem): FieldProblem {
  return { ...problem, path: problem.path.replace(/^(query|path)\./, '').replace(/^body$/, 'options') };
}

/** The error for an id that names nothing; the command adds which list has the right ones. */
export function noSuch(kind: string, id: unknown, hint = ''): ApiError {
  return new ApiError('NOT_FOUND', { message: `There is no ${kind} ${describe(id)}${hint}` });
}

/** A problem for each unknown name. */
export function unknownNames(given: object, names: readonly string[]): FieldProblem[] {
  return Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => ({ path: name, message: 'is unknown', suggestion: nearest(name, names) }));
}

/**
 * The part of a path that names one thing.
 *
 * @throws ApiError VALIDATION_ERROR for what is not text
 */
export function nameIn(params: Record<string, unknown>, name: string): string {
  const value = params[name];
  if (typeof value === 'string') return value;
  const message = value === undefined ? 'is required' : 'must be a string';
  throw refused({ path: name, message, received: describe(value) });
}
