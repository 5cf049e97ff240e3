// The control operations of the images of the registry.

import * as z from 'zod';
import { imageRequest } from '../modules/images/controls.js';
import { type ControlOperation, control, listed } from './operation.js';

const image = z.object({
  uri: z.string().describe('The image’s name, as used in deployments'),
  repository: z.string(),
  digest: z.string(),
  tags: z.array(z.string()),
  kind: z.enum(['image', 'index', 'artifact']),
  platforms: z.array(z.string()),
  size: z.int().describe('In bytes'),
  pushedAt: z.string(),
  containers: z
    .array(z.string())
    .describe('The project_names of the containers that run it or are being deployed with it'),
  complete: z.boolean().describe('Whether all its layers are present'),
});

export const imageConfig = z.object({
  os: z.string(),
  architecture: z.string(),
  variant: z.string().nullable(),
  user: z.string().nullable(),
  entrypoint: z.array(z.string()),
  command: z.array(z.string()),
  exposedPorts: z.array(z.string()),
  labels: z.record(z.string(), z.string()),
  environment: z.array(z.string()).describe('Names of its environment variables'),
  createdAt: z.string().nullable(),
});

const details = image.extend({
  missing: z.array(z.string()).describe('Layers and manifests that it refers to and the registry does not have'),
  images: z.array(
    z.object({
      platform: z.string().nullable(),
      digest: z.string(),
      size: z.int(),
      layers: z.array(z.object({ digest: z.string(), size: z.int(), mediaType: z.string() })),
      config: imageConfig.nullable(),
    }),
  ),
  manifest: z.record(z.string(), z.unknown()),
});

const named = z.object({
  image: z.string().describe('The image’s digest or reference, or the end of the reference, such as web:v1'),
});

export const imageOperations: readonly ControlOperation[] = [
  control({
    id: 'control.images.list',
    method: 'GET',
    path: '/_emulator/images',
    summary: 'List the images of the registry, newest first',
    response: listed('images', image),
    act: (controls, { origin }) => controls.images.list(origin),
  }),
  control({
    id: 'control.images.make',
    method: 'POST',
    path: '/_emulator/images',
    summary: 'Generate an image, as if it had been pushed',
    body: imageRequest,
    response: details,
    status: () => 201,
    act: (controls, { body, origin }) => controls.images.make(body, origin),
  }),
  control({
    id: 'control.images.get',
    method: 'GET',
    path: '/_emulator/images/{image}',
    summary: 'Show an image with its manifest, layers and config',
    params: named,
    errors: ['NOT_FOUND'],
    response: details,
    act: (controls, { params, origin }) => controls.images.get(params.image, origin),
  }),
  control({
    id: 'control.images.remove',
    method: 'DELETE',
    path: '/_emulator/images/{image}',
    summary: 'Remove a tag (and the image, with its last tag), or an image by its digest',
    params: named,
    errors: ['NOT_FOUND'],
    response: z.object({
      repository: z.string(),
      digest: z.string(),
      tags: z.array(z.string()),
      removed: z.boolean().describe('Whether the image itself was removed'),
    }),
    act: (controls, { params }) => controls.images.remove(params.image),
  }),
];
