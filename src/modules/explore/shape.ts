// The shape of a request: which fields it has and of what kind their values are, whatever the values.

/** Equal for requests that say the same kinds of things. */
export function wireShape(body: string | null, query: string): string {
  const names = [...new URLSearchParams(query).keys()].sort().join('&');
  return `${names === '' ? '' : `?${names} `}${body === null ? '' : bodyShape(body)}`;
}

function bodyShape(body: string): string {
  try {
    return shapeOf(JSON.parse(body));
  } catch {
    return 'text';
  }
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].sort().join('|')}]`;
  if (value === null || typeof value !== 'object') return value === null ? 'null' : ((typeof value)[0] ?? '');
  const fields = Object.entries(value).map(([name, inside]) => `${name}:${shapeOf(inside)}`);
  return `{${fields.sort().join(',')}}`;
}
