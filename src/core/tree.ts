// Plain nested records: merging, and reading and writing by dotted path.

export type Tree = { [key: string]: unknown };

export function isTree(value: unknown): value is Tree {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/**
 * Whether it holds fields, or is at least made to hold some: a Map, a Date or a Promise has none of its own, and would
 * pass as an object that is empty.
 */
export function isFields(value: unknown): value is Tree {
  if (!isTree(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects of another realm, as those of Jest, have another prototype, which has none either.
  const isLiteral = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isLiteral || Object.keys(value).length > 0;
}

/** The overlay laid over the base: records merge, everything else replaces. */
export function mergeTrees(base: Tree, overlay: Tree): Tree {
  const merged: Tree = { ...base };
  for (const [key, value] of Object.entries(overlay)) {
    if (value === undefined) continue;
    const below = merged[key];
    merged[key] = isTree(below) && isTree(value) ? mergeTrees(below, value) : value;
  }
  return merged;
}

/** The value at a dotted path, or undefined. */
export function readPath(tree: unknown, path: string): unknown {
  let value: unknown = tree;
  for (const step of path.split('.')) {
    if (!isTree(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

/** Sets the value at a dotted path, making the records on the way. */
export function writePath(tree: Tree, path: string, value: unknown): void {
  const steps = path.split('.');
  const last = steps.pop() ?? path;
  let at = tree;
  for (const step of steps) {
    if (!Object.hasOwn(at, step) || !isTree(at[step])) at[step] = {};
    at = at[step] as Tree;
  }
  at[last] = value;
}

/** The dotted paths at which two trees differ. */
export function differences(a: Tree, b: Tree, prefix = ''): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) => {
    const [mine, other] = [a[key], b[key]];
    if (isTree(mine) && isTree(other)) return differences(mine, other, `${prefix}${key}.`);
    return JSON.stringify(mine) === JSON.stringify(other) ? [] : [`${prefix}${key}`];
  });
}

/** Every dotted path to something that is no record, or is an empty one. */
export function leafPaths(tree: Tree, prefix = ''): string[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    isTree(value) && Object.keys(value).length > 0 ? leafPaths(value, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}

/** The value at a path, through lists and objects; undefined if there is none. */
export function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const step of path) {
    if (value === null || typeof value !== 'object') return undefined;
    value = Object.hasOwn(value, step) ? (value as Record<PropertyKey, unknown>)[step] : undefined;
  }
  return value;
}
