// Layers, configs, manifests and indexes, and raw requests to a registry that push and pull them.

import { createHash } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import type { Readable } from 'node:stream';
import { type Client, call } from './emulator.js';

export const mediaTypes = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
  empty: 'application/vnd.oci.empty.v1+json',
};

/** Some bytes, and what a manifest calls them by. */
export interface Content {
  bytes: Buffer;
  digest: string;
  mediaType: string;
}

export interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
}

/** A manifest with the blobs that it names. */
export interface Image extends Content {
  blobs: Content[];
}

export function digestOf(bytes: Buffer | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export function content(bytes: Buffer | string, mediaType: string): Content {
  return { bytes: Buffer.from(bytes), digest: digestOf(bytes), mediaType };
}

export function descriptorOf({ bytes, digest, mediaType }: Content): Descriptor {
  return { mediaType, digest, size: bytes.length };
}

/** A layer of so many bytes, which nobody unpacks. */
export function layer(text = 'a layer', size = text.length): Content {
  return content(Buffer.alloc(size, text), mediaTypes.layer);
}

export interface ImageFields {
  architecture?: string;
  os?: string;
  layers?: Content[];
  /** The fields of the config's own `config`. */
  config?: Record<string, unknown>;
  /** Further fields of the manifest. */
  manifest?: Record<string, unknown>;
}

/** An image of a config and layers. */
export function image(fields: ImageFields = {}): Image {
  const { architecture = 'amd64', os = 'linux', layers = [layer()], config = {}, manifest = {} } = fields;
  const diffs = layers.map(({ digest }) => digest);
  const about = { architecture, os, config, rootfs: { type: 'layers', diff_ids: diffs } };
  const configBlob = content(JSON.stringify(about), mediaTypes.config);
  const body = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: descriptorOf(configBlob),
    layers: layers.map(descriptorOf),
    ...manifest,
  };
  return { ...content(JSON.stringify(body), mediaTypes.manifest), blobs: [configBlob, ...layers] };
}

/** An addition to something: a signature, a bill of materials. */
export function artifact(artifactType: string, subject: Content, annotations?: Record<string, string>): Image {
  const nothing = content('{}', mediaTypes.empty);
  const body = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    artifactType,
    config: descriptorOf(nothing),
    layers: [descriptorOf(nothing)],
    subject: descriptorOf(subject),
    ...(annotations !== undefined && { annotations }),
  };
  return { ...content(JSON.stringify(body), mediaTypes.manifest), blobs: [nothing] };
}

/** An index of images, one for each platform. */
export function index(images: Record<string, Image>): Content {
  const manifests = Object.entries(images).map(([platform, one]) => {
    const [os = '', architecture = ''] = platform.split('/');
    return { ...descriptorOf(one), platform: { os, architecture } };
  });
  return content(JSON.stringify({ schemaVersion: 2, mediaType: mediaTypes.index, manifests }), mediaTypes.index);
}

export interface RegistryAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  /** Parsed where it is JSON. */
  body: any;
}

export interface SendOptions {
  headers?: OutgoingHttpHeaders;
  /** A stream is sent in chunks of the transfer, without a length. */
  body?: Buffer | string | Readable;
  /** Null: none. */
  authorization?: string | null;
}

/** The knowledge of a client that has fetched credentials. */
export interface Repository {
  /** Without the world's prefix. */
  name: string;
  /** `/v2/<name>` as the credentials' answer means it, with the world's prefix. */
  path: string;
  username: string;
  password: string;
  authorization: string;
  /** A request to a path below the repository, or to one of the registry that begins with /v2/. */
  send(method: string, path: string, options?: SendOptions): Promise<RegistryAnswer>;
  /** Pushes a blob in one request, and demands that it succeeds. */
  pushBlob(blob: Content): Promise<void>;
  /** Begins an upload and returns its location. */
  begin(): Promise<string>;
  putManifest(reference: string, manifest: Content): Promise<RegistryAnswer>;
  /** Pushes an image with its blobs, and demands that it succeeds. */
  push(reference: string, pushed: Image): Promise<void>;
}

const agent = new Agent({ keepAlive: false });

/** A request of which nothing is added or followed. */
export function sendTo(
  url: string,
  method: string,
  path: string,
  headers: OutgoingHttpHeaders = {},
  body: SendOptions['body'] = undefined,
): Promise<RegistryAnswer> {
  const isStream = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
  const length = isStream ? undefined : Buffer.byteLength((body as Buffer | string | undefined) ?? '');
  const wantsLength = length !== undefined && (length > 0 || /^(POST|PUT|PATCH)$/.test(method));
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        agent,
        hostname,
        port,
        method,
        path,
        headers: { ...(wantsLength && { 'Content-Length': length }), ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, body: parsed(bytes) });
        });
      },
    );
    asked.on('error', reject);
    if (isStream) body.on('error', (error) => asked.destroy(error)).pipe(asked);
    else asked.end(body);
  });
}

/** Fetches credentials for a project's repository. */
export async function logIn(client: Client & { url: string }, projectId = 'web'): Promise<Repository> {
  const { credentials, repository } = (await call(client, 'POST', '/api/v1/containers/credentials', { projectId }))
    .body;
  return repositoryWith(client.url, repository, credentials);
}

function repositoryWith(
  url: string,
  { name, uri }: { name: string; uri: string },
  { username, password }: { username: string; password: string },
): Repository {
  const path = `/v2/${uri.slice(uri.indexOf('/') + 1)}`;
  const own = basic(username, password);
  const send: Repository['send'] = (method, asked, { headers = {}, body, authorization = own } = {}) =>
    sendTo(
      url,
      method,
      asked.startsWith('/v2') ? asked : `${path}${asked}`,
      { ...(authorization !== null && { Authorization: authorization }), ...headers },
      body,
    );
  const demand = async (answering: Promise<RegistryAnswer>, status: number): Promise<RegistryAnswer> => {
    const answer = await answering;
    if (answer.status !== status) throw new Error(`answered ${answer.status}, not ${status}: ${answer.bytes}`);
    return answer;
  };
  const repository: Repository = {
    name,
    path,
    username,
    password,
    authorization: own,
    send,
    async pushBlob({ digest, bytes }) {
      await demand(send('POST', `/blobs/uploads/?digest=${digest}`, { body: bytes }), 201);
    },
    async begin() {
      const { headers } = await demand(send('POST', '/blobs/uploads/'), 202);
      return headers.location ?? '';
    },
    putManifest: (reference, { bytes, mediaType }) =>
      send('PUT', `/manifests/${reference}`, { headers: { 'Content-Type': mediaType }, body: bytes }),
    async push(reference, pushed) {
      for (const blob of pushed.blobs) await repository.pushBlob(blob);
      await demand(repository.putManifest(reference, pushed), 201);
    },
  };
  return repository;
}

export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
