// The registry's operations, as the OCI distribution specification defines them. Names contain slashes and may begin
// with a world, so `names.ts` parses their paths.

import * as z from 'zod';
import { ApiError, type ErrorCode } from '../../core/errors.js';
import { type Endpoint, type EndpointDeclaration, endpoint } from '../../http/endpoint.js';
import { byteRange, hasCurrent, rangeHeader } from '../../http/file-part.js';
import { type Answer, ok, text } from '../../http/response.js';
import { iso } from '../../http/wire.js';
import { waitSeconds } from '../../world/to-client-time.js';
import { blobStoreOf } from './blobs.js';
import { enter, fullNameOf, issueToken, type RepositoryCall, readAuthorization } from './credentials.js';
import * as manifests from './manifests.js';
import { isDigest } from './names.js';
import { hasBlob, removeBlob } from './store.js';
import * as uploads from './uploads.js';

// Errors in the form of the registry protocol.

/** The bodies of the registry's errors. */
export const registryErrors = z
  .lazy(() =>
    z.looseObject({ errors: z.array(z.object({ code: z.string(), message: z.string(), detail: z.unknown() })) }),
  )
  .meta({ id: 'RegistryErrors' });

const codes: Partial<Record<ErrorCode, string>> = {
  FORBIDDEN: 'DENIED',
  RATE_LIMITED: 'TOOMANYREQUESTS',
  NOT_FOUND: 'NAME_UNKNOWN',
  ROUTE_NOT_FOUND: 'UNSUPPORTED',
  METHOD_NOT_ALLOWED: 'UNSUPPORTED',
  PAYLOAD_TOO_LARGE: 'MANIFEST_INVALID',
  SERVICE_UNAVAILABLE: 'UNAVAILABLE',
  INTERNAL_ERROR: 'UNKNOWN',
};

// The problems of a query.
const parameterCodes: Record<string, string> = {
  'query.digest': 'DIGEST_INVALID',
  'query.mount': 'DIGEST_INVALID',
  'query.from': 'NAME_INVALID',
  'query.n': 'PAGINATION_NUMBER_INVALID',
  'query.last': 'PAGINATION_NUMBER_INVALID',
};

/** An error in the form of the registry protocol. */
function registryError({ code, message, options }: ApiError): Record<string, unknown> {
  const [first] = Array.isArray(options.details) ? (options.details as { path?: string }[]) : [];
  const known = code === 'VALIDATION_ERROR' ? parameterCodes[first?.path ?? ''] : codes[code];
  return { code: known ?? code, message, detail: options.details ?? null };
}

const params = z.lazy(() => z.object({ name: z.string(), reference: z.string() }));
const anything = z.lazy(() => z.looseObject({}));
const blobQuery = z.lazy(() =>
  z.looseObject({
    digest: z.string().max(200).optional(),
    mount: z.string().max(200).optional(),
    from: z.string().max(300).optional(),
  }),
);
const pageQuery = z.lazy(() =>
  z.looseObject({
    n: z.coerce.number().int().min(0).optional(),
    last: z.string().max(200).optional(),
  }),
);

const tokenAnswer = z.lazy(() =>
  z.object({ token: z.string(), access_token: z.string(), expires_in: z.int(), issued_at: z.string() }),
);
const catalogAnswer = z.lazy(() => z.object({ repositories: z.array(z.string()) }));
const tagsAnswer = z.lazy(() => z.object({ name: z.string(), tags: z.array(z.string()) }));

type Declared<Query extends z.ZodType, Prepared> = Pick<
  EndpointDeclaration<typeof params, Query, z.ZodType, Prepared>,
  'id' | 'method' | 'path' | 'summary' | 'query' | 'prepare' | 'handle' | 'responses'
> & { errors?: ErrorCode[] };

// Shared by all of them: callers need no account, no limit counts them, bodies are streamed, and errors have the
// registry's form beside the platform's.
function operation<Query extends z.ZodType, Prepared = undefined>(declared: Declared<Query, Prepared>): Endpoint {
  return endpoint({
    ...declared,
    auth: 'public',
    params,
    isUnlimited: true,
    // A name may begin with a world that does not exist.
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NAME_INVALID', 'NAME_UNKNOWN', ...(declared.errors ?? [])],
    besideError: { schema: registryErrors, of: (error) => ({ errors: [registryError(error)] }) },
    answerHeaders: (status, { world, baseUrl, params }) => ({
      'Docker-Distribution-API-Version': 'registry/2.0',
      ...(status === 401 && { 'WWW-Authenticate': challenge(world.config.registry.challenge, baseUrl, params.name) }),
    }),
  });
}

function challenge(kind: 'basic' | 'bearer', baseUrl: string, name: string | undefined): string {
  const { origin, host, pathname } = new URL(baseUrl);
  if (kind === 'basic') return 'Basic realm="cloudemu"';
  const world = pathname === '/' ? '' : `${pathname.slice(1)}/`;
  const scope = name === undefined || name === '' ? '' : `,scope="repository:${world}${name}:pull,push"`;
  return `Bearer realm="${origin}/v2/token",service="${host}"${scope}`;
}

const accepted = { 202: { description: 'Accepted' } };
const notModified = { 304: { description: 'If-None-Match names its digest' } };

export const registryEndpoints: readonly Endpoint[] = [
  operation({
    id: 'registry.base',
    method: 'GET',
    path: '/v2/',
    summary: 'Check that the registry is there and that the credentials are valid',
    responses: { 200: { description: 'The registry is there, and the credentials are valid', schema: z.object({}) } },
    handle(call) {
      readAuthorization(call.world, call.header('authorization'), call.now);
      return ok({});
    },
  }),
  operation({
    id: 'registry.token',
    method: 'GET',
    path: '/v2/token',
    summary: 'Exchange credentials for a token',
    query: anything,
    responses: { 200: { description: 'The token', schema: tokenAnswer } },
    handle(call) {
      const access = readAuthorization(call.world, call.header('authorization'), call.now);
      const { token, expiresAt } = issueToken(call.world, access, call.now);
      return ok({
        token,
        access_token: token,
        expires_in: waitSeconds(call.world, expiresAt - call.now),
        issued_at: iso(call.now),
      });
    },
  }),
  operation({
    id: 'registry.catalog',
    method: 'GET',
    path: '/v2/_catalog',
    summary: 'List the repositories that the credentials are for',
    query: anything,
    responses: { 200: { description: 'The names of the repositories', schema: catalogAnswer } },
    handle(call) {
      const { repository } = readAuthorization(call.world, call.header('authorization'), call.now);
      return ok({ repositories: [fullNameOf(call.world, repository)] });
    },
  }),
  operation({
    id: 'registry.startUpload',
    method: 'POST',
    path: '/v2/{name}/blobs/uploads/',
    summary: 'Start to push a blob, push it whole, or mount it from another repository',
    query: blobQuery,
    responses: { 201: { description: 'The blob is stored' }, 202: { description: 'The upload has begun' } },
    errors: ['DIGEST_INVALID', 'SIZE_INVALID', 'RANGE_INVALID', 'SERVICE_UNAVAILABLE'],
    prepare: uploads.startUpload,
    handle: (call) => uploads.answerPush(call, call.prepared),
  }),
  operation({
    id: 'registry.uploadStatus',
    method: 'GET',
    path: '/v2/{name}/blobs/uploads/{reference}',
    summary: 'Get the progress of an upload',
    query: blobQuery,
    responses: { 204: { description: 'The header Range says it' } },
    errors: ['BLOB_UPLOAD_UNKNOWN'],
    handle: uploads.uploadStatus,
  }),
  operation({
    id: 'registry.uploadChunk',
    method: 'PATCH',
    path: '/v2/{name}/blobs/uploads/{reference}',
    summary: 'Send a part of a blob',
    query: blobQuery,
    responses: { 202: { description: 'The part is stored' } },
    errors: ['BLOB_UPLOAD_UNKNOWN', 'RANGE_INVALID', 'SIZE_INVALID', 'SERVICE_UNAVAILABLE'],
    prepare: uploads.continueUpload,
    handle: (call) => uploads.answerPush(call, call.prepared),
  }),
  operation({
    id: 'registry.finishUpload',
    method: 'PUT',
    path: '/v2/{name}/blobs/uploads/{reference}',
    summary: 'Finish an upload with the digest of all that was sent',
    query: blobQuery,
    responses: { 201: { description: 'The blob is stored' } },
    errors: ['BLOB_UPLOAD_UNKNOWN', 'DIGEST_INVALID', 'SIZE_INVALID', 'RANGE_INVALID', 'SERVICE_UNAVAILABLE'],
    prepare: uploads.finishUpload,
    handle: (call) => uploads.answerPush(call, call.prepared),
  }),
  operation({
    id: 'registry.cancelUpload',
    method: 'DELETE',
    path: '/v2/{name}/blobs/uploads/{reference}',
    summary: 'Cancel an upload',
    query: blobQuery,
    responses: { 204: { description: 'It has ended' } },
    errors: ['BLOB_UPLOAD_UNKNOWN'],
    prepare: uploads.cancelUpload,
    handle: () => ({ ...text(''), status: 204 }),
  }),
  operation({
    id: 'registry.getBlob',
    method: 'GET',
    path: '/v2/{name}/blobs/{reference}',
    summary: 'Get a blob, or a part of it',
    query: anything,
    responses: {
      200: { description: 'Its content' },
      206: { description: 'The part that the header Range names' },
      ...notModified,
    },
    errors: ['BLOB_UNKNOWN', 'RANGE_INVALID'],
    handle: getBlob,
  }),
  operation({
    id: 'registry.deleteBlob',
    method: 'DELETE',
    path: '/v2/{name}/blobs/{reference}',
    summary: 'Remove a blob from a repository',
    query: anything,
    responses: accepted,
    errors: ['BLOB_UNKNOWN'],
    handle(call) {
      enter(call);
      if (!removeBlob(call.world.db, call.params.name, call.params.reference)) throw blobUnknown(call);
      blobStoreOf(call.world).collectSoon();
      return { ...text(''), status: 202 };
    },
  }),
  operation({
    id: 'registry.putManifest',
    method: 'PUT',
    path: '/v2/{name}/manifests/{reference}',
    summary: 'Push a manifest under a tag or digest',
    query: anything,
    responses: { 201: { description: 'The manifest is stored' } },
    errors: [
      'MANIFEST_INVALID',
      'MANIFEST_BLOB_UNKNOWN',
      'MANIFEST_UNKNOWN',
      'DIGEST_INVALID',
      'SIZE_INVALID',
      'PAYLOAD_TOO_LARGE',
    ],
    prepare: manifests.receiveManifest,
    handle: (call) => manifests.storeManifest(call, call.prepared),
  }),
  operation({
    id: 'registry.getManifest',
    method: 'GET',
    path: '/v2/{name}/manifests/{reference}',
    summary: 'Get a manifest by tag or digest',
    query: anything,
    responses: { 200: { description: 'The manifest, byte for byte' }, ...notModified },
    errors: ['MANIFEST_UNKNOWN'],
    handle: manifests.getManifest,
  }),
  operation({
    id: 'registry.deleteManifest',
    method: 'DELETE',
    path: '/v2/{name}/manifests/{reference}',
    summary: 'Remove a tag, or a manifest with all its tags',
    query: anything,
    responses: accepted,
    errors: ['MANIFEST_UNKNOWN'],
    handle: manifests.deleteManifest,
  }),
  operation({
    id: 'registry.listTags',
    method: 'GET',
    path: '/v2/{name}/tags/list',
    summary: 'List the tags of a repository, in alphabetical order',
    query: pageQuery,
    responses: { 200: { description: 'The tags', schema: tagsAnswer } },
    errors: ['VALIDATION_ERROR'],
    handle: manifests.tagList,
  }),
  operation({
    id: 'registry.listReferrers',
    method: 'GET',
    path: '/v2/{name}/referrers/{reference}',
    summary: 'List what was pushed as an addition to a manifest: signatures, bills of materials',
    query: z.looseObject({ artifactType: z.string().max(255).optional() }),
    responses: { 200: { description: 'An index of the additions' } },
    errors: ['DIGEST_INVALID'],
    handle: manifests.referrers,
  }),
];

function getBlob(call: RepositoryCall): Answer {
  enter(call);
  const { name, reference: digest } = call.params;
  const { db } = call.world;
  const blobs = blobStoreOf(call.world);
  const size = isDigest(digest) && hasBlob(db, name, digest) ? blobs.sizeOf(digest) : undefined;
  if (size === undefined) throw blobUnknown(call);
  const headers = { 'Docker-Content-Digest': digest, ETag: `"${digest}"`, 'Accept-Ranges': 'bytes' };
  if (hasCurrent(call, headers.ETag)) return { ...text(''), status: 304, headers };
  const file = { path: blobs.pathOf(digest), size };
  const range = byteRange(rangeHeader(call, headers.ETag), size);
  if (range === 'unsatisfiable')
    throw new ApiError('RANGE_INVALID', {
      message: `The blob has ${size} bytes`,
      headers: { 'Content-Range': `bytes */${size}` },
    });
  const type = 'application/octet-stream';
  if (range === undefined) return { kind: 'file', status: 200, type, file, first: 0, last: size - 1, headers };
  const { first, last } = range;
  const partial = { ...headers, 'Content-Range': `bytes ${first}-${last}/${size}` };
  return { kind: 'file', status: 206, type, file, first, last, headers: partial };
}

function blobUnknown({ params }: RepositoryCall): ApiError {
  return new ApiError('BLOB_UNKNOWN', { message: `${params.name} has no blob ${params.reference.slice(0, 140)}` });
}
