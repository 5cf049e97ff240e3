// The parameters of a query. Koa's own reading takes time that grows with the square of their number.

/** Each parameter's value, or values where it came more than once. */
export function readParameters(query: string): Record<string, string | string[]> {
  const values = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    const before = values.get(name);
    if (before === undefined) values.set(name, value);
    else if (typeof before === 'string') values.set(name, [before, value]);
    else before.push(value);
  }
  return Object.fromEntries(values);
}
