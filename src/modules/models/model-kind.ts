// The model of a request that is no conversation: what it is for must be what is asked of it.

import { invalid } from '../../core/errors.js';
import { nearest } from '../../core/nearest.js';
import { describe } from '../../core/problems.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { findModel, listModels, type Model, modelOf } from './models.js';

/**
 * The model of that name, if it is of a kind or nobody knows it.
 *
 * @throws ApiError VALIDATION_ERROR for one of another kind; NOT_FOUND where the settings refuse unknown ones
 */
export function modelOfKind(
  { world, warn }: Pick<HandlerContext, 'world' | 'warn'>,
  id: string,
  kind: Model['kind'],
): Model {
  const found = findModel(world, id);
  if (found === undefined) return { ...modelOf(world, id, warn), kind };
  if (found.kind === kind) return found;
  const fitting = listModels(world)
    .filter((model) => model.kind === kind)
    .map((model) => model.id);
  throw invalid({
    path: 'model',
    message: `is a model for ${found.kind}: for ${kind} there are ${fitting.slice(0, 6).join(', ') || 'none'}`,
    received: describe(id),
    suggestion: nearest(id, fitting) ?? fitting[0],
  });
}
