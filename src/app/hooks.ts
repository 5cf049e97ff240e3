// The hooks of the pipeline: what modules do to requests.

import type { Hooks } from '../http/hooks.js';
import { authorize } from '../modules/authentication/authorize.js';
import { identify } from '../modules/authentication/identify.js';
import { applyFault } from '../modules/faults/apply.js';
import { letArrive } from '../modules/faults/connection.js';
import { type RequestListener, recordRequest } from '../modules/journal/hooks.js';
import { limit, showLimits } from '../modules/limits/hooks.js';
import type { RequestCounts } from '../modules/metrics/request-counts.js';
import { withChallenge } from '../modules/payments/challenge.js';
import { pay } from '../modules/payments/hooks.js';
import { errorPage } from '../modules/sessions/identify-session.js';

/** @param onRequest is called with each request that the journal notes */
export function createHooks(onRequest: RequestListener | undefined, counts: RequestCounts): Hooks {
  return {
    authenticate: identify,
    limit,
    showLimits,
    applyFault,
    pay,
    authorize,
    holdBack: letArrive,
    challenge: withChallenge,
    errorPage,
    record(context) {
      counts.add(context);
      recordRequest(context, onRequest);
    },
  };
}
