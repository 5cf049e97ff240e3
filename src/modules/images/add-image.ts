// Adds an image that nobody pushed, by the name of its repository: for controls and scenarios.

import * as z from 'zod';
import { invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { characters } from '../../http/wire.js';
import { seededIdentity } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { repositoryName } from '../containers/address.js';
import { ownRepository } from '../containers/image.js';
import { isRepository } from '../registry/names.js';
import { takeKeptImage } from './kept-image.js';
import { imageFacts, makeImage, tagName } from './make-image.js';

export const imageRequest = z.strictObject({
  repository: characters(1, 255).describe('Project of the seeded organization, or a full repository name with slashes'),
  tag: tagName.optional().describe('Tag; by default latest'),
  ...imageFacts,
});

/** An image to generate. */
export type ImageRequest = z.input<typeof imageRequest>;

/**
 * Generates an image within a transaction, or takes the one of a digest as long as the emulator has it.
 *
 * @throws ApiError VALIDATION_ERROR
 */
export function addImage(
  world: World,
  {
    repository: wanted,
    tag = 'latest',
    digest,
    ...facts
  }: z.output<typeof imageRequest> & { digest?: string | undefined },
): { repository: string; digest: string } {
  const repository = repositoryNamed(world, wanted);
  if (digest !== undefined && takeKeptImage(world, repository, tag, digest)) return { repository, digest };
  return { repository, digest: makeImage(world, repository, tag, facts) };
}

function repositoryNamed(world: World, wanted: string): string {
  const name = wanted.includes('/')
    ? (ownRepository(world, wanted) ?? wanted)
    : repositoryName(world, seededIdentity(world).organizationId, wanted);
  if (isRepository(name)) return name;
  throw invalid({
    path: 'repository',
    message: 'must be a project, or lower-case letters, digits and single . _ - between them, in parts divided by /',
    received: describe(wanted),
  });
}
