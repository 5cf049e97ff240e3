// Hostile requests to the image registry, and what is wrong with its answers.

import type { IncomingHttpHeaders } from 'node:http';
import * as fc from 'fast-check';
import type { Endpoint } from '../../../src/http/endpoint.js';
import { registryErrors } from '../../../src/platform/registry/api.js';
import { imageTypes, indexTypes } from '../../../src/platform/registry/manifest.js';
import { type Client, call } from '../../support/emulator.js';
import { basic, digestOf, image, index, layer, logIn, mediaTypes } from '../../support/oci.js';
import { type Shot, shotText, type Target } from './hostile.js';
import { oddHeaders, oddPairs, oddText, oddValue, prototypeNames, rawBodies } from './hostile-values.js';

const goneDigest = `sha256:${'0'.repeat(64)}`;

/** The things that requests name in braces, and find in the registry. */
export async function pushGround(client: Client & { url: string }, n: number): Promise<Record<string, string>> {
  const mine = await logIn(client, `web-${n}`);
  const other = await logIn(client, `other-${n}`);
  const layers = [layer('a layer', 3_000)];
  const pushed = image({ layers });
  await mine.push('v1', pushed);
  const list = index({ 'linux/amd64': pushed });
  const answer = await mine.putManifest('multi', list);
  if (answer.status !== 201) throw new Error(`the index was not taken: ${answer.bytes}`);
  await other.push('v1', pushed);
  const upload = (await mine.begin()).split('/').at(-1) ?? '';
  const token = (await mine.send('GET', '/v2/token')).body.token as string;
  const begun = (await call(client, 'POST', '/api/v1/containers/credentials', { projectId: `web-${n}` })).body;
  return {
    repository: mine.path.slice('/v2/'.length),
    other: other.path.slice('/v2/'.length),
    layer: layers[0]?.digest ?? '',
    config: pushed.blobs[0]?.digest ?? '',
    manifest: pushed.digest,
    index: list.digest,
    upload,
    basic: mine.authorization,
    foreign: other.authorization,
    bearer: `Bearer ${token}`,
    platform: `Bearer ${client.apiKey}`,
    wrong: basic('AWS', `${begun.credentials.password}x`),
    manifestBody: pushed.bytes.toString(),
    indexBody: list.bytes.toString(),
  };
}

/** A text of a request with what it names. */
export function filled(text: string, named: Record<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => named[name] ?? whole);
}

const odd = (weight: number, ...values: string[]) => ({ weight, arbitrary: fc.constantFrom(...values) });
const encoded = oddText.map((text) => encodeURIComponent(Buffer.from(text).toString()).slice(0, 900));

const names = fc.oneof(
  odd(12, '{repository}'),
  odd(2, '{other}'),
  odd(
    3,
    'UPPER/web',
    '..',
    '../..',
    '%2e%2e/%2e%2e',
    'a//b',
    '/',
    'w/none/acme/web',
    'w/default/acme/web',
    'w/../acme',
    'w/%00/acme/web',
    'acme/web/blobs/uploads',
    'acme/manifests/x/tags',
    'a'.repeat(300),
    'a/'.repeat(400),
    'a-'.repeat(120),
    'a__b___c',
    '%E0%A4%A',
    '%zz',
    '%',
    '*',
    "'",
    ...prototypeNames,
  ),
  { weight: 1, arbitrary: encoded },
);

const references = fc.oneof(
  odd(6, '{layer}', '{config}', '{manifest}', '{index}', '{upload}'),
  odd(4, 'v1', 'multi', 'v2', 'latest', goneDigest),
  odd(
    2,
    'sha256:',
    'sha256:xyz',
    `sha256:${'A'.repeat(64)}`,
    `sha512:${'0'.repeat(128)}`,
    `sha256:${'0'.repeat(65)}`,
    ':',
    '.',
    '-x',
    '..%2F..%2Fworld.db',
    '%2e%2e%2f%2e%2e',
    '%00',
    '%E0%A4%A',
    '%',
    'x'.repeat(129),
    'x'.repeat(2_000),
    '00000000-0000-4000-8000-000000000000',
    ...prototypeNames,
  ),
  { weight: 1, arbitrary: encoded },
);

const pairs = fc.oneof(
  odd(6, ''),
  odd(
    8,
    'digest={layer}',
    'digest={config}',
    `digest=${digestOf('pushed')}`,
    'mount={layer}&from={other}',
    'mount={layer}&from={repository}',
    'n=1',
    'n=1&last=multi',
    'artifactType=application/spdx',
  ),
  odd(
    4,
    `digest=${goneDigest}`,
    'digest=',
    'digest=sha256:xyz',
    `digest=${'x'.repeat(300)}`,
    'digest={layer}&digest={config}',
    'mount={layer}',
    'mount={layer}&from=..%2F..',
    `mount=${goneDigest}&from={other}`,
    'mount=x&from=%00',
    'n=0',
    'n=-1',
    'n=1e400',
    'n=9007199254740993',
    'n=x&last=%00',
    `last=${'z'.repeat(300)}`,
    'artifactType=%00%F0%9F%98%80',
  ),
  { weight: 2, arbitrary: oddPairs },
);

const authorizations = fc.oneof(
  odd(14, '{basic}'),
  odd(3, '{bearer}'),
  odd(
    3,
    '',
    '{foreign}',
    '{platform}',
    '{wrong}',
    'Basic',
    'Basic !!!',
    basic('AWS', ''),
    basic('AWS', '.'),
    basic('AWS', `${Buffer.from('["default","x","y",1e999]').toString('base64url')}.x`),
    basic('AWS', `${Buffer.from('[{},[],null,0]').toString('base64url')}.x`),
    basic('', ':'),
    'Bearer __proto__',
    `Bearer ${'.'.repeat(5_000)}`,
    'Digest username="AWS"',
  ),
);

const headers = fc.oneof(
  odd(6, '{}'),
  odd(
    6,
    ...[...imageTypes, ...indexTypes, 'application/json', 'text/plain; charset=x', ';;;', ''].map((type) =>
      JSON.stringify({ 'content-type': type }),
    ),
    ...['bytes=0-0', 'bytes=5-', 'bytes=-5', 'bytes=9-1', 'bytes=99999-', 'bytes=0-1,3-4', 'bytes=x', 'lines=1-2'].map(
      (range) => JSON.stringify({ range }),
    ),
    ...['0-2', '0-6', '5-9', '3-1', 'bytes 0-9/10', 'bytes */10', 'x', '0-99999999999999', '0-9007199254740993'].map(
      (range) => JSON.stringify({ 'content-range': range, 'content-type': 'application/octet-stream' }),
    ),
    JSON.stringify({ accept: mediaTypes.index }),
    JSON.stringify({ 'transfer-encoding': 'chunked' }),
    JSON.stringify({ 'if-none-match': '"x"', 'if-range': 'x' }),
  ),
  { weight: 3, arbitrary: oddHeaders.map((one) => JSON.stringify(one)) },
);

// A manifest of which one field is another, or one more.
const manifests = fc
  .tuple(
    fc.constantFrom(
      'schemaVersion',
      'mediaType',
      'config',
      'layers',
      'manifests',
      'subject',
      'annotations',
      'artifactType',
    ),
    fc.oneof(
      oddValue,
      fc.array(fc.record({ mediaType: oddText, digest: fc.constantFrom(goneDigest, 'x'), size: fc.integer() })),
      fc.constant({ mediaType: mediaTypes.manifest, digest: goneDigest, size: 7 }),
    ),
    fc.boolean(),
  )
  .map(([name, value, isImage]) => {
    const base = isImage
      ? { schemaVersion: 2, mediaType: mediaTypes.manifest, config: { digest: '{config}' }, layers: [] }
      : { schemaVersion: 2, mediaType: mediaTypes.index, manifests: [] };
    return JSON.stringify({ ...base, [name]: value });
  });

const bodies = fc.oneof<fc.WeightedArbitrary<string | Buffer | undefined>[]>(
  odd(5, '{manifestBody}', '{indexBody}', 'pushed', 'a layer'),
  { weight: 4, arbitrary: manifests },
  { weight: 2, arbitrary: rawBodies },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.constantFrom(Buffer.alloc(300_000, 7), Buffer.alloc(5_000_000, 32)) },
  { weight: 2, arbitrary: fc.constant(undefined) },
);

const methods = ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'POST', 'GET', 'PROPFIND'];

/** Requests of an operation of the registry; what stands in braces is filled in when they are sent. */
export function registryShots(target: Target): fc.Arbitrary<Shot> {
  const takesBody = target.method !== 'GET' && target.method !== 'DELETE';
  const shots = fc.record({
    method: fc.oneof({ weight: 12, arbitrary: fc.constant(target.method as string) }, odd(2, ...methods)),
    path: fc
      .tuple(names, references)
      .map(([name, reference]) => target.path.replace('{name}', () => name).replace('{reference}', () => reference)),
    subject: fc.constant('mine' as const),
    query: pairs,
    headers: fc
      .tuple(authorizations, headers)
      .map(([authorization, more]) => ({ authorization, ...(JSON.parse(more) as Record<string, string>) })),
    body: takesBody
      ? bodies
      : fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: bodies }),
  });
  return shots.map((shot) => Object.assign(shot, { [fc.toStringMethod]: () => shotText(shot) }));
}

interface RegistryReply {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** The problems of an answer of the registry that is no error. */
export function wrongContent(
  endpoint: Endpoint | undefined,
  { status, headers, bytes }: RegistryReply,
): string | undefined {
  const declared = endpoint?.responses[status];
  if (declared === undefined) return 'a status that is not declared';
  const digest = headers['docker-content-digest'];
  if (status === 200 && digest !== undefined && digestOf(bytes) !== digest)
    return `content that has not the digest ${digest}`;
  const { schema } = declared;
  if (schema === undefined) return undefined;
  const [issue] = schema.safeParse(JSON.parse(bytes.toString())).error?.issues ?? [];
  return issue === undefined ? undefined : `breaks its schema: ${issue.path.join('.')} ${issue.message}`;
}

/** The problems of the form in which the registry tells an error. */
export function wrongForm(body: unknown, headers: IncomingHttpHeaders): string | undefined {
  if (headers['docker-distribution-api-version'] !== 'registry/2.0') return 'no version of the registry';
  const { data, error } = registryErrors.safeParse(body);
  if (error !== undefined) return `no error of a registry: ${error.issues[0]?.message}`;
  const [first] = data.errors;
  return first !== undefined && /^[A-Z_]+$/.test(first.code) && first.message !== ''
    ? undefined
    : 'no error in the list';
}
