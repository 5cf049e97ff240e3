// What today's server asks before it creates a container, and what it says where that fails.

import type * as z from 'zod';
import { ApiError } from '../../../../core/errors.js';
import { fitsStars } from '../../../../core/patterns.js';
import type { World } from '../../../../world/world.js';
import { quotaState } from '../../../quotas/tiers.js';
import { parseImage } from '../../image.js';
import { containerAt } from '../../lifecycle/lifecycle.js';
import { type ContainerRecord, countContainers, listOfProject } from '../../store.js';
import { reservedAmong, setByPlatform } from '../reserved-variables.js';
import { refusalText } from './present.js';
import type * as schema from './schema.js';

/**
 * Refuses variables that the platform sets itself.
 *
 * @throws ApiError VALIDATION_ERROR that names them
 */
export function refuseReserved(variables: Record<string, string>): void {
  const names = reservedAmong(Object.keys(variables));
  if (names.length === 0) return;
  const message = `environmentVars may not set platform-reserved keys: ${names.join(', ')}`;
  throw setByPlatform(names, { message, flatCode: 'RESERVED_ENV_KEYS' });
}

/**
 * Refuses an image that the settings do not allow.
 *
 * @throws ApiError FORBIDDEN
 */
export function checkImage({ config }: World, image: string, warn: (text: string) => void): void {
  const { allowedImages, requireDigest } = config.containers;
  if (!allowedImages.some((pattern) => fitsStars(pattern, image))) {
    warn('the setting containers.allowedImages lists the images that may be deployed; ["*"] allows all');
    throw new ApiError('FORBIDDEN', {
      message: `Image '${image}' is not permitted`,
      details: { allowed: allowedImages.slice(0, 50) },
      flatCode: 'CONTAINER_IMAGE_NOT_ALLOWED',
    });
  }
  if (requireDigest && parseImage(image)?.digest === undefined)
    throw new ApiError('FORBIDDEN', {
      message: `Image '${image}' must be pinned to a full sha256 digest (e.g. repo@sha256:<64 hex>)`,
      flatCode: 'CONTAINER_IMAGE_NOT_DIGEST_PINNED',
    });
}

/** The number of containers that an organization has and may have. */
export function quotaOf(world: World, organizationId: string): z.output<typeof schema.quota> {
  const state = quotaState(world, 'containers', organizationId, countContainers(world.db, organizationId));
  return state.allowed ? state : { ...state, error: `Container quota exceeded (${state.current}/${state.max})` };
}

/**
 * Refuses one more container where the quota is used up.
 *
 * @throws ApiError CONTAINER_QUOTA_EXCEEDED
 */
export function requireQuota(world: World, organizationId: string): void {
  const quota = quotaOf(world, organizationId);
  if (quota.error === undefined) return;
  throw new ApiError('CONTAINER_QUOTA_EXCEEDED', {
    message: quota.error,
    details: { current: quota.current, max: quota.max },
    extra: { quota },
  });
}

/** The container of a project that has neither failed nor been stopped: creating the project again gives this one. */
export function findAlive(
  world: World,
  organizationId: string,
  projectName: string,
  now: number,
): ContainerRecord | undefined {
  return listOfProject(world.db, organizationId, projectName).find(
    (record) => !['failed', 'stopped', 'deleting'].includes(containerAt(record.deployments, now).status),
  );
}

/**
 * Refuses to start a stopped container again: what it ran on is no longer its own.
 *
 * @throws ApiError CONFLICT
 */
export function refuseStopped(record: ContainerRecord, now: number): void {
  if (containerAt(record.deployments, now).status !== 'stopped') return;
  throw new ApiError('CONFLICT', { message: 'Container runtime slot was released; redeploy is required' });
}

/**
 * The error of a request that could not start its container, or undefined.
 *
 * @param noCapacity the code where no node was found; once one is chosen, all failures are one
 */
export function notStarted(
  { deployments }: ContainerRecord,
  noCapacity: 'CONTAINER_NOT_STARTED' | 'SERVICE_UNAVAILABLE',
): ApiError | undefined {
  const { plan, spec } = deployments.at(-1) ?? {};
  if (plan?.refusal === undefined || spec === undefined) return undefined;
  const { refusal, mode } = plan;
  const options = { message: refusalText(refusal, spec.ecr_image_uri), details: { reason: refusal, mode } };
  return refusal === 'no_capacity'
    ? new ApiError(noCapacity, { ...options, flatCode: refusal })
    : new ApiError('CONTAINER_NOT_STARTED', options);
}
