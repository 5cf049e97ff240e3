// The arguments of a method as a request to its operation, and the request as arguments of `run`.

import { describe } from '../core/problems.js';
import { isFields, isTree, type Tree } from '../core/tree.js';
import type { CallExtras, ControlOperation, MethodShape } from './operation.js';
import { nameIn, objectOf, refused, unknownNames } from './options.js';

/** The request that a call of a method makes to its operation. */
export interface Call extends CallExtras {
  params: Tree;
  query: Tree;
  body: unknown;
}

export const parametersOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** Whether these arguments mean the operation that takes a document, where the method also takes a name. */
export function meansDocument({ document }: Pick<MethodShape, 'document'>, [first]: readonly unknown[]): boolean {
  return document !== undefined && typeof first !== 'string';
}

/**
 * The request that a method makes of its arguments; the operation checks the fields.
 *
 * @throws ApiError VALIDATION_ERROR for what cannot be a request at all
 */
export function callOf(shape: MethodShape, args: readonly unknown[]): Call {
  const { path, takesBody, takesQuery, extras, shorthand, byDefault, paramsInside, fixed } = shape;
  const names = parametersOf(path);
  let rest = args;
  let params: Tree = {};
  let body: unknown;
  if (paramsInside === true) {
    const given = objectOf(args[0], names);
    params = Object.fromEntries(names.map((name) => [name, given[name]]));
    body = Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
    rest = args.slice(1);
  } else {
    params = Object.fromEntries(names.map((name, index) => [name, nameOf(name, args[index])]));
    rest = args.slice(names.length);
    if (takesBody) {
      const [first = byDefault ?? {}] = rest;
      body = shorthand !== undefined && !isFields(first) ? { [shorthand]: first } : objectOf(first);
      rest = rest.slice(1);
    }
  }
  const { query, ...taken } = lastArgument(rest[0], { extras, takesQuery, isFirst: rest.length === args.length });
  for (const name of names) nameIn(params, name);
  return { params, query: { ...query, ...fixed }, body, ...taken };
}

// Points of a history have numbers, which are text in a path. What has an id is never a number.
const nameOf = (parameter: string, given: unknown): unknown =>
  parameter === 'point' && Number.isSafeInteger(given) ? String(given) : given;

/** The request for the operation that takes a document: its fields, and options beside them. */
export function documentCallOf([document, options]: readonly unknown[]): Call {
  if (isFields(document)) return { params: {}, query: {}, body: { ...document, ...objectOf(options) } };
  throw refused({ path: 'scenario', message: 'must be a name or a document', received: describe(document) });
}

function lastArgument(
  given: unknown,
  { extras, takesQuery, isFirst }: { extras: readonly string[]; takesQuery: boolean; isFirst: boolean },
): CallExtras & { query: Tree } {
  if (!takesQuery && extras.length === 0) {
    // An object with fields behind other arguments is meant for the operation. Anything else may come from whoever calls:
    // `ids.map(faults.remove)`, `clock.advance('1s').then(clock.get)`.
    const isMeant = !isFirst && isTree(given) && Object.getPrototypeOf(given) === Object.prototype;
    const fields = isMeant ? Object.entries(given).filter(([, value]) => value !== undefined) : [];
    const names = unknownNames(Object.fromEntries(fields), []);
    if (names.length > 0) throw refused(...names);
    return { query: {} };
  }
  const fields = Object.entries(objectOf(given));
  const query = Object.fromEntries(fields.filter(([name]) => !extras.includes(name)));
  const taken: CallExtras = Object.fromEntries(fields.filter(([name]) => extras.includes(name)));
  const problems = takesQuery ? [] : unknownNames(query, extras);
  if (taken.signal !== undefined && !(taken.signal instanceof AbortSignal))
    problems.push({ path: 'signal', message: 'must be an AbortSignal', received: describe(taken.signal) });
  if (problems.length > 0) throw refused(...problems);
  return { query, ...taken };
}

/** The operation that a query means: a variant, or the operation itself. */
export function chosenBy(query: unknown, operation: ControlOperation): ControlOperation {
  const given = (query ?? {}) as Tree;
  const isMeant = ({ shape: { fixed = {} } }: ControlOperation): boolean =>
    Object.entries(fixed).every(([name, value]) => given[name] === value);
  return operation.variants?.find(isMeant) ?? operation;
}

/** The arguments of `run` after the context. */
export function argumentsOf(shape: MethodShape, { params, query, body, ...extras }: Call): unknown[] {
  const { path, takesBody, takesQuery, paramsInside } = shape;
  const wanted = Object.fromEntries(shape.extras.map((name) => [name, extras[name]]));
  const last = takesQuery || shape.extras.length > 0 ? [{ ...query, ...wanted }] : [];
  if (paramsInside === true) return [{ ...params, ...(body as object | undefined) }, ...last];
  return [...parametersOf(path).map((name) => params[name]), ...(takesBody ? [body] : []), ...last];
}
