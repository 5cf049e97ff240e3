// Pushes to the emulator's registry by raw requests, as clients of registries send them.

import { createHash } from 'node:crypto';
import { type Client, call } from './emulator.js';

export interface Registry {
  /** The name in the registry. */
  name: string;
  /** The beginning of references to its images. */
  uri: string;
  /** The secret to log in with. */
  password: string;
  /** A request below /v2/<name>. */
  send(method: string, path: string, body?: string, headers?: Record<string, string>): Promise<Response>;
}

/** The repository of a project, with its credentials. */
export async function registryOf(emulator: Client, projectId = 'web'): Promise<Registry> {
  const { body } = await call(emulator, 'POST', '/api/v1/containers/credentials', { projectId });
  const { uri } = body.repository as { uri: string };
  const name = uri.slice(uri.indexOf('/') + 1);
  const send: Registry['send'] = (method, path, content, headers = {}) =>
    fetch(`${body.credentials.proxyEndpoint}/v2/${name}${path}`, {
      method,
      headers: { authorization: `Basic ${body.data.authToken}`, ...headers },
      ...(content !== undefined && { body: content }),
    });
  return { name, uri, password: body.credentials.password, send };
}

export function digestOf(content: Buffer | string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

export async function pushBlob(registry: Registry, content: string) {
  const digest = digestOf(content);
  const answer = await registry.send('POST', `/blobs/uploads/?digest=${digest}`, content);
  if (answer.status !== 201) throw new Error(`the blob was answered ${answer.status}: ${await answer.text()}`);
  return { digest, size: Buffer.byteLength(content) };
}

export async function pushManifest(registry: Registry, reference: string | undefined, manifest: { mediaType: string }) {
  const body = JSON.stringify({ schemaVersion: 2, ...manifest });
  const digest = digestOf(body);
  const headers = { 'content-type': manifest.mediaType };
  const answer = await registry.send('PUT', `/manifests/${reference ?? digest}`, body, headers);
  if (answer.status !== 201) throw new Error(`the manifest was answered ${answer.status}: ${await answer.text()}`);
  return { mediaType: manifest.mediaType, digest, size: Buffer.byteLength(body) };
}

export interface PushedConfig {
  architecture?: string;
  os?: string;
  config?: Record<string, unknown>;
}

/** An image of one layer; its config is what is given. */
export async function pushImage(
  registry: Registry,
  tag: string | undefined,
  { architecture = 'arm64', os = 'linux', config = {} }: PushedConfig = {},
  layer = 'a layer',
) {
  const content = JSON.stringify({ architecture, os, config, rootfs: { type: 'layers', diff_ids: [] } });
  return pushManifest(registry, tag, {
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    ...{
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...(await pushBlob(registry, content)) },
      layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...(await pushBlob(registry, layer)) }],
    },
  });
}

/** An index of an image for each architecture. */
export async function pushIndex(registry: Registry, tag: string, architectures: readonly string[]) {
  const manifests = [];
  for (const architecture of architectures)
    manifests.push({
      ...(await pushImage(registry, undefined, { architecture })),
      platform: { os: 'linux', architecture },
    });
  return pushManifest(registry, tag, { mediaType: 'application/vnd.oci.image.index.v1+json', ...{ manifests } });
}
