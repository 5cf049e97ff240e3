// Worlds that begin as another one was at a point of its history.

import type { ControlContext } from '../../control/operation.js';
import { noSuch } from '../../control/options.js';
import { invalid } from '../../core/errors.js';
import type { AskedWorld } from '../../world/made-world.js';
import type { World } from '../../world/world.js';
import { worldAtPoint } from '../history/fork.js';

/** Finds an open world. */
export type FindWorld = (id: string) => World;

// They are those of the world at that point.
const ofSource = ['seed', 'scenario', 'label', 'base', 'settings'] as const;

/**
 * The data of a world that is to begin at a point.
 *
 * @throws ApiError NOT_FOUND (world, point), VALIDATION_ERROR, or CONFLICT where it cannot be exactly as it was
 */
export function dataAt({ world, team }: ControlContext, request: AskedWorld, find: FindWorld): Buffer {
  const { at = {} } = request;
  const name = at.point ?? at.requestId;
  if (name === undefined || (at.point !== undefined && at.requestId !== undefined))
    throw invalid({
      path: name === undefined ? 'at.point' : 'at.requestId',
      message:
        name === undefined
          ? 'is missing: the number of a point, or the id of a request'
          : 'cannot be given with `point`',
    });
  const also =
    request.clock?.start === undefined ? ofSource.find((field) => request[field] !== undefined) : 'clock.start';
  if (also !== undefined)
    throw invalid({ path: also, message: 'cannot be given with `at`: the new world goes on with that of its source' });
  const source = at.world ?? world.id;
  if (team !== undefined && !source.startsWith(team.prefix)) throw noSuch('world', source);
  const from = at.world === undefined ? world : find(at.world);
  return worldAtPoint(from, name, at.side ?? 'after', request.clock?.frozen);
}
