// Image manifests and indexes: validation on push, references, and the facts that a deployment needs.

import { isUtf8 } from 'node:buffer';
import * as z from 'zod';
import { clientLimits, parsedJson, readJson } from '../../core/json.js';
import { describe, problemsOf } from '../../core/problems.js';
import { isDigest } from './names.js';

const descriptor = z.lazy(() =>
  z.looseObject({
    mediaType: z.string().min(1).max(255),
    digest: z.string().refine(isDigest, { message: 'must be sha256: and 64 hex digits' }),
    size: z.int().min(0),
    urls: z.array(z.string()).optional(),
    artifactType: z.string().optional(),
    annotations: z.record(z.string(), z.string()).optional(),
    platform: z.looseObject({ os: z.string(), architecture: z.string(), variant: z.string().optional() }).optional(),
  }),
);

const common = {
  schemaVersion: z.literal(2),
  mediaType: z.string().max(255).optional(),
  artifactType: z.string().max(255).optional(),
  subject: descriptor.optional(),
  annotations: z.record(z.string(), z.string()).optional(),
};

const imageSchema = z.lazy(() =>
  z.looseObject({ ...common, config: descriptor, layers: z.array(descriptor).max(1_000) }),
);
const indexSchema = z.lazy(() => z.looseObject({ ...common, manifests: z.array(descriptor).max(1_000) }));

export type Descriptor = z.output<typeof descriptor>;
export type ImageManifest = z.output<typeof imageSchema>;
export type ImageIndex = z.output<typeof indexSchema>;

export const indexTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];
export const imageTypes = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];

export const manifestTypes = [...indexTypes, ...imageTypes];

/** A parsed manifest: of an image or artifact, or an index of manifests. */
export type Manifest = { mediaType: string } & (
  | { kind: 'image'; content: ImageManifest }
  | { kind: 'index'; content: ImageIndex }
);

/**
 * Parses a pushed manifest.
 *
 * @param contentType the request's, which must agree with the manifest's own `mediaType`
 * @returns the manifest, or a sentence that says what is wrong with it
 */
export function readManifest(bytes: Buffer, contentType: string): Manifest | string {
  // A byte order mark stays: with one it is no JSON, neither for clients nor for what reads the stored bytes.
  const reading = isUtf8(bytes)
    ? readJson(bytes.toString('utf8'), clientLimits)
    : { problem: 'it is not UTF-8', excess: undefined };
  if ('problem' in reading)
    return `the manifest ${reading.excess === true ? reading.problem : `is not JSON: ${reading.problem}`}`;
  const { value } = reading;
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return `the manifest must be an object, got ${describe(value)}`;
  const declared = contentType.split(';')[0]?.trim() ?? '';
  const { mediaType: own } = value as { mediaType?: unknown };
  if (typeof own === 'string' && declared !== '' && own !== declared)
    return `its mediaType is ${describe(own)}, the request's Content-Type ${describe(declared)}: they must be the same`;
  const mediaType = typeof own === 'string' ? own : declared;
  const isIndex = indexTypes.includes(mediaType);
  if (!isIndex && !imageTypes.includes(mediaType))
    return `${describe(mediaType)} is not a type of manifest that this registry takes: ${[...imageTypes, ...indexTypes].join(', ')}`;
  // Clients that read it as the other kind would pull something else under the same digest.
  const foreign = (isIndex ? ['config', 'layers'] : ['manifests']).find((name) => Object.hasOwn(value, name));
  if (foreign !== undefined) return `${foreign} is not allowed in ${isIndex ? 'an index' : 'the manifest of an image'}`;
  const schema = isIndex ? indexSchema : imageSchema;
  const result = schema.safeParse(value);
  if (!result.success) {
    const [first] = problemsOf(result.error.issues, value, schema);
    return `${first?.path ?? 'the manifest'} ${first?.message ?? 'is not valid'}`;
  }
  return isIndex
    ? { kind: 'index', mediaType, content: result.data as ImageIndex }
    : { kind: 'image', mediaType, content: result.data as ImageManifest };
}

/** The blobs that an image needs, without layers that the manifest declares to be stored elsewhere. */
export function blobsOf({ config, layers }: ImageManifest): Descriptor[] {
  return [config, ...layers.filter(({ urls = [] }) => urls.length === 0)];
}

/** The declared type of a manifest, for the list of referrers. */
export function artifactTypeOf(manifest: Manifest): string | undefined {
  const { artifactType } = manifest.content;
  if (artifactType !== undefined && artifactType !== '') return artifactType;
  return manifest.kind === 'image' ? manifest.content.config.mediaType : undefined;
}

export const imageConfig = z.lazy(() =>
  z.object({
    os: z.string(),
    architecture: z.string(),
    variant: z.string().nullable(),
    user: z.string().nullable(),
    entrypoint: z.array(z.string()),
    command: z.array(z.string()),
    exposedPorts: z.array(z.string()).describe('As in the config: `8080/tcp`'),
    labels: z.record(z.string(), z.string()),
    environment: z
      .array(z.string())
      .describe('Names of its environment variables: values may be secrets, so they are left out'),
    createdAt: z.string().nullable(),
  }),
);

/** The runtime part of an image's config. */
export type ImageConfig = z.output<typeof imageConfig>;

const texts = z.lazy(() => z.array(z.string()).nullish().catch(null));
const configSchema = z.lazy(() =>
  z.looseObject({
    os: z.string().catch(''),
    architecture: z.string().catch(''),
    variant: z.string().nullish().catch(null),
    created: z.string().nullish().catch(null),
    config: z
      .looseObject({
        User: z.string().nullish().catch(null),
        Entrypoint: texts,
        Cmd: texts,
        Env: texts,
        ExposedPorts: z.record(z.string(), z.unknown()).nullish().catch(null),
        Labels: z.record(z.string(), z.string()).nullish().catch(null),
      })
      .nullish()
      .catch(null),
  }),
);

/** The content of a config blob, or undefined when it is not the config of a runnable image. */
export function readConfig(content: Buffer): ImageConfig | undefined {
  const result = configSchema.safeParse(parsedJson(content.toString('utf8')));
  if (!result.success || result.data.os === '' || result.data.architecture === '') return undefined;
  const { os, architecture, variant, created, config } = result.data;
  return {
    os,
    architecture,
    variant: variant ?? null,
    user: config?.User || null,
    entrypoint: config?.Entrypoint ?? [],
    command: config?.Cmd ?? [],
    exposedPorts: Object.keys(config?.ExposedPorts ?? {}),
    labels: config?.Labels ?? {},
    environment: (config?.Env ?? []).map((variable) => variable.split('=', 1)[0] ?? ''),
    createdAt: created ?? null,
  };
}

/** A platform in its usual notation: `linux/arm64/v8`. */
export function platformText(platform: {
  os: string;
  architecture: string;
  variant?: string | null | undefined;
}): string {
  const { os, architecture, variant } = platform;
  return [os, architecture, ...(variant === null || variant === undefined || variant === '' ? [] : [variant])].join(
    '/',
  );
}
