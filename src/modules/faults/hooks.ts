// The pipeline's hook for fault rules.

import type { Endpoint } from '../../http/endpoint.js';
import type { FaultRunner } from '../../http/hooks.js';
import type { RequestContext } from '../../http/request-context.js';
import { runFaulted } from './apply.js';
import { type SelectedFault, selectFaultRule } from './select-fault.js';

/**
 * Selects the fault rule that acts on a request, and counts it.
 *
 * @throws ApiError VALIDATION_ERROR for a header that is not a rule
 */
export function selectFault(
  context: RequestContext,
  endpoint: Endpoint,
): FaultRunner | undefined | Promise<FaultRunner | undefined> {
  const runnerOf = (chosen: SelectedFault | undefined): FaultRunner | undefined =>
    chosen && ((readBody, run) => runFaulted(context, endpoint, chosen, readBody, run));
  const chosen = selectFaultRule(context, endpoint);
  return chosen instanceof Promise ? chosen.then(runnerOf) : runnerOf(chosen);
}
