// A request in other forms: for a shell, for a program, as a fault rule, as a test.

import type { JournalEntry } from '../../../journal/journal-entry.js';
import { base } from '../api.js';
import { shellQuoted } from '../text.js';

type Request = Pick<
  JournalEntry,
  'method' | 'path' | 'query' | 'operation' | 'status' | 'requestHeaders' | 'requestBody'
>;

// Headers that the client's library sets by itself, and those that are masked.
const ownHeaders =
  /^(host|connection|content-length|accept-encoding|accept|user-agent|transfer-encoding|sec-.*|cookie)$/;

/** The headers that the client itself chose; `isFilled`: the value names the key, every other text is the client's. */
function headersOf({ requestHeaders }: Request, key: string): { name: string; value: string; isFilled: boolean }[] {
  const filled = new Map([
    ['authorization', `Bearer ${key}`],
    ['x-api-key', key],
  ]);
  return Object.entries(requestHeaders)
    .filter(([name]) => !ownHeaders.test(name))
    .map(([name, value]) => ({ name, value: filled.get(name) ?? value, isFilled: filled.has(name) }));
}

const urlOf = ({ path, query }: Request): string => `${location.origin}${base}${path}${query}`;

/** For a shell; the key comes from the environment. */
export function asCurl(request: Request): string {
  const { method, requestBody } = request;
  const headers = headersOf(request, '$CLOUD_API_KEY').map(({ name, value, isFilled }) =>
    isFilled ? `-H "${name}: ${value}"` : `-H ${shellQuoted(`${name}: ${value}`)}`,
  );
  const body = requestBody === null ? [] : [`--data ${shellQuoted(requestBody)}`];
  return [`curl -sS -X ${method} ${shellQuoted(urlOf(request))}`, ...headers, ...body].join(' \\\n  ');
}

/** For a program. */
export function asFetch(request: Request): string {
  const { method, requestBody } = request;
  const headers = headersOf(request, `\${process.env.CLOUD_API_KEY}`).map(
    ({ name, value, isFilled }) => `    ${JSON.stringify(name)}: ${isFilled ? `\`${value}\`` : JSON.stringify(value)},`,
  );
  return [
    `const response = await fetch(${JSON.stringify(urlOf(request))}, {`,
    `  method: ${JSON.stringify(method)},`,
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']),
    ...(requestBody === null ? [] : [`  body: ${JSON.stringify(requestBody)},`]),
    '});',
  ].join('\n');
}

/** A rule that makes the next such request fail. */
export function asFaultRule({ method, path, operation }: Request) {
  const match = operation === null ? { method, path } : { operation };
  return { match, when: { times: 1 }, effect: { status: 503 } };
}

type Recorded = Request & Pick<JournalEntry, 'seq' | 'subject' | 'responseBody' | 'fault' | 'kind'>;

/**
 * A test of the same request, which passes in a new world: it first sends what had made the things that the request
 * names, and what had changed them since.
 *
 * @param earlier the requests of the journal, in any order
 */
export function asTest(request: Recorded, earlier: readonly Recorded[]): string {
  const { method, path, operation, status, requestHeaders } = request;
  const steps = stepsBefore(request, earlier);
  const names = new Map<string, string>();
  const lines = steps.flatMap((step): string[] => {
    const call = sendOf(step, names);
    const made = step.method === 'POST' ? placeOf(step) : undefined;
    if (made === undefined || names.has(step.subject ?? '')) return [`  await ${call};`];
    const name = `id${names.size === 0 ? '' : names.size + 1}`;
    names.set(step.subject ?? '', name);
    return [`  const ${name} = (await (await ${call}).json()).${made};`];
  });
  const needed = idsIn(request).find((id) => !names.has(id) && path.includes(`/containers/${id}`));
  if (needed !== undefined && status < 400 && status > 0) {
    // A scenario or a control operation has made it.
    names.set(needed, 'id');
    lines.unshift(
      `  const id = (await (await send('POST', '/api/v1/containers', { name: 'web', project_name: 'web', ecr_image_uri: 'registry.local/web:v1' })).json()).data.id;`,
    );
  }
  const isAnonymous = requestHeaders.authorization === undefined && requestHeaders['x-api-key'] === undefined;
  const key = isAnonymous ? ', null' : status === 401 ? `, 'ek_test_unknown'` : '';
  const call = sendOf(request, names, key);
  if (request.fault !== null) {
    const rule = { ...asFaultRule(request), effect: status === 0 ? { network: 'reset' } : { status } };
    lines.push(`  await world.controls.faults.add(${JSON.stringify(rule)});`);
  }
  return `import { createTest, expect } from 'cloudemu/vitest';

const test = createTest();

test(${JSON.stringify(`${operation ?? `${method} ${path}`} answers ${status === 0 ? 'nothing' : status}`)}, async ({ world }) => {
  const send = (method: string, path: string, body?: unknown, key: string | null = world.apiKey) =>
    world.fetch(path, {
      method,
      headers: {
        ...(key !== null && { authorization: \`Bearer \${key}\` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
${lines.map((line) => `${line}\n`).join('')}${
  status === 0
    ? `  await expect(${call}).rejects.toThrow();\n`
    : `  const response = await ${call};\n  expect(response.status).toBe(${status});\n`
}});
`;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

const idsIn = ({ path, query, requestBody }: Request): string[] => [
  ...new Set(`${path} ${query} ${requestBody ?? ''}`.match(uuid)),
];

// Finds the requests that created the things that the request names, and the earlier requests that changed these, in their
// order.
function stepsBefore(request: Recorded, all: readonly Recorded[]): Recorded[] {
  const earlier = all.filter(
    (one) =>
      one.kind === 'request' && one.seq < request.seq && one.method !== 'GET' && one.status >= 200 && one.status < 300,
  );
  const steps = new Set<Recorded>();
  const waiting = idsIn(request);
  const known = new Set(waiting);
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    const about = earlier.filter(({ subject }) => subject === id);
    // Changes of a thing that was not made here find nothing.
    if (!about.some((one) => placeOf(one) !== undefined && !one.path.includes(one.subject ?? ''))) continue;
    for (const step of about) {
      steps.add(step);
      for (const other of idsIn(step)) {
        if (known.has(other)) continue;
        known.add(other);
        waiting.push(other);
      }
    }
  }
  return [...steps].sort((a, b) => a.seq - b.seq);
}

// The path to the id of the created thing in the response: `data.id`.
function placeOf({ subject, responseBody }: Recorded): string | undefined {
  const find = (value: unknown, path: string[]): string | undefined => {
    if (value === subject) return path.join('.');
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    for (const [name, inner] of Object.entries(value)) {
      const found = find(inner, [...path, name]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  try {
    return subject === null ? undefined : find(JSON.parse(responseBody ?? ''), []);
  } catch {
    return undefined;
  }
}

// A call of `send`, with the ids of this world in the place of those of then.
function sendOf({ method, path, query, requestBody }: Request, names: ReadonlyMap<string, string>, key = ''): string {
  const body = bodyOf(requestBody);
  const written = body === undefined ? (key === '' ? '' : ', undefined') : `, ${filled(body, names)}`;
  return `send(${JSON.stringify(method)}, ${filled(JSON.stringify(path + query), names)}${written}${key})`;
}

// The body as code: an object where it is JSON, else a text.
function bodyOf(text: string | null): string | undefined {
  if (text === null || text === '') return undefined;
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return JSON.stringify(text);
  }
}

// In code made of JSON, each text that holds a known id becomes a template.
function filled(code: string, names: ReadonlyMap<string, string>): string {
  return code.replace(/"(?:[^"\\]|\\.)*"/g, (literal) => {
    const ids = [...names.keys()].filter((id) => literal.includes(id));
    if (ids.length === 0) return literal;
    const text = JSON.stringify(JSON.parse(literal))
      .slice(1, -1)
      .replaceAll('\\"', '"')
      .replace(/[`]|\$\{/g, '\\$&');
    return `\`${ids.reduce((filling, id) => filling.replaceAll(id, `\${${names.get(id)}}`), text)}\``;
  });
}
