// The environment variables of a hosted agent: what a client may set of them.

import { ApiError, invalid } from '../../core/errors.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { type JsonAnswer, ok } from '../../http/response.js';
import { reservedAmong } from '../containers/wire/reserved-variables.js';
import { ownHostedAgent } from './access.js';
import { isShared, stateAt } from './lifecycle.js';
import { busyWith } from './operations.js';
import * as schema from './schema.js';
import { saveHostedAgent } from './store.js';

type EnvironmentCall = HandlerContext<{ agentId: string }, unknown, typeof schema.environmentBody._output>;

/**
 * Sets and removes variables of an agent, within the caller's transaction.
 *
 * @throws ApiError NOT_FOUND, CONFLICT while a job is in progress, VALIDATION_ERROR
 */
export function changeEnvironment(call: EnvironmentCall): JsonAnswer {
  const { world, now, body } = call;
  const agent = ownHostedAgent(world, call.caller, call.params.agentId);
  const { activeJob, status } = stateAt(agent, now);
  if (activeJob !== null) throw busyWith(activeJob, status);
  const entries = Object.entries(body.environmentVars);
  const reservedKeys = reservedAmong(entries.map(([name]) => name));
  if (reservedKeys.length > 0) throw keptByPlatform(reservedKeys);
  const removedKeys = entries.filter(([name, value]) => value === null && name in agent.environment_vars);
  const set = entries.filter((entry): entry is [string, string] => entry[1] !== null);
  const kept = Object.entries(agent.environment_vars).filter(([name]) => body.environmentVars[name] !== null);
  const environment_vars = { ...Object.fromEntries(kept), ...Object.fromEntries(set) };
  const checked = schema.environment.safeParse(environment_vars);
  const issue = checked.error?.issues[0];
  if (issue !== undefined)
    throw invalid({ path: ['environmentVars', ...issue.path].join('.'), message: issue.message });
  saveHostedAgent(world.db, { ...agent, environment_vars, updated_at: now });
  const data = {
    agentId: agent.id,
    updatedKeys: set.map(([name]) => name),
    removedKeys: removedKeys.map(([name]) => name),
    status,
    executionTier: agent.tier,
    needsRestart: !isShared(agent) && status === 'running',
  };
  return ok({ success: true, data });
}

function keptByPlatform(reservedKeys: readonly string[]): ApiError {
  const { options } = invalid(
    ...reservedKeys.map((name) => ({ path: `environmentVars.${name}`, message: 'is a variable of the platform' })),
  );
  return new ApiError('VALIDATION_ERROR', { ...options, extra: { reservedKeys } });
}
