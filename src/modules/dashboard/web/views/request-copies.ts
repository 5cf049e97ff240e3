// A request in other forms: for a shell, for a program, as a fault rule, as a test.

import type { JournalEntry } from '../../../journal/journal-entry.js';
import { base } from '../api.js';
import { shellQuoted } from '../text.js';

type Request = Pick<
  JournalEntry,
  'method' | 'path' | 'query' | 'operation' | 'status' | 'requestHeaders' | 'requestBody'
>;

// What the client's library sets by itself, and what is masked.
const ownHeaders =
  /^(host|connection|content-length|accept-encoding|accept|user-agent|transfer-encoding|sec-.*|cookie)$/;

/** @param key how the key's value is filled in; every other text is the client's, and quoted */
function headersOf(
  { requestHeaders }: Request,
  key: string,
  quoted: (text: string) => string,
  filled: (text: string) => string,
) {
  return Object.entries(requestHeaders).flatMap(([name, value]): string[] => {
    if (ownHeaders.test(name)) return [];
    if (name === 'authorization') return [filled(`${name}: Bearer ${key}`)];
    return [name === 'x-api-key' ? filled(`${name}: ${key}`) : quoted(`${name}: ${value}`)];
  });
}

const urlOf = ({ path, query }: Request): string => `${location.origin}${base}${path}${query}`;

/** For a shell; the key comes from the environment. */
export function asCurl(request: Request): string {
  const { method, requestBody } = request;
  const lines = [`curl -sS -X ${method} ${shellQuoted(urlOf(request))}`];
  for (const header of headersOf(request, '$CLOUD_API_KEY', shellQuoted, (text) => `"${text}"`))
    lines.push(`-H ${header}`);
  if (requestBody !== null) lines.push(`--data ${shellQuoted(requestBody)}`);
  return lines.join(' \\\n  ');
}

/** For a program. */
export function asFetch(request: Request): string {
  const { method, requestBody } = request;
  const asField =
    (quote: (text: string) => string) =>
    (text: string): string => {
      const colon = text.indexOf(':');
      return `    ${JSON.stringify(text.slice(0, colon))}: ${quote(text.slice(colon + 2))},`;
    };
  const key = `\${process.env.CLOUD_API_KEY}`;
  const headers = headersOf(
    request,
    key,
    asField(JSON.stringify),
    asField((text) => `\`${text}\``),
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

/** A test of the same request. */
export function asTest(request: Request): string {
  const { method, path, query, status, requestBody, operation } = request;
  const body = requestBody === null ? '' : `\n    body: ${JSON.stringify(requestBody)},`;
  return `import { createTest, expect } from 'cloudemu/vitest';

const test = createTest();

test(${JSON.stringify(`${operation ?? `${method} ${path}`} answers ${status}`)}, async ({ world }) => {
  const response = await world.fetch(${JSON.stringify(path + query)}, {
    method: ${JSON.stringify(method)},
    headers: { authorization: \`Bearer \${world.apiKey}\` },${body}
  });
  expect(response.status).toBe(${status});
});
`;
}
