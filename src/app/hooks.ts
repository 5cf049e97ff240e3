// The hooks of the pipeline: what modules do to requests.

import type { Hooks } from '../http/hooks.js';
import { authorize } from '../platform/authentication/authorize.js';
import { identify } from '../platform/authentication/identify.js';
import { limit, showLimits } from '../platform/limits/hooks.js';
import { withChallenge } from '../platform/payments/challenge.js';
import { pay } from '../platform/payments/hooks.js';
import { errorPage } from '../platform/sessions/identify-session.js';
import { applyFault } from '../tools/faults/apply.js';
import { letArrive } from '../tools/faults/connection.js';
import { type RequestListener, recordRequest } from '../tools/journal/hooks.js';
import type { RequestCounts } from '../tools/metrics/request-counts.js';

/** @param onRequest is called with each request that the journal notes */
export function createHooks(onRequest: RequestListener | undefined, counts: RequestCounts): Hooks {
  return {
    identify,
    limit,
    showLimits,
    applyFault,
    pay,
    authorize,
    letArrive,
    challenge: withChallenge,
    errorPage,
    record(context) {
      counts.add(context);
      recordRequest(context, onRequest);
    },
  };
}
