// What modules do to requests (the hooks of the pipeline), and to effects that are due.

import type { Hooks } from './http/hooks.js';
import { authorize } from './modules/authentication/authorize.js';
import { identify } from './modules/authentication/identify.js';
import { billDay, dayEffect, graceEndEffect, graceOver, payDues } from './modules/containers/billing.js';
import { deletionDue, deletionEffect } from './modules/containers/deletion.js';
import { refundDue, refundEffect } from './modules/containers/refunds.js';
import { payingEffect } from './modules/credits/ledger.js';
import { selectFault } from './modules/faults/apply.js';
import { letArrive } from './modules/faults/connection.js';
import { type RequestListener, recordRequest } from './modules/journal/hooks.js';
import { limit, showLimits } from './modules/limits/hooks.js';
import type { RequestCounts } from './modules/metrics/request-counts.js';
import { withChallenge } from './modules/payments/challenge.js';
import { pay } from './modules/payments/hooks.js';
import { errorPage } from './modules/sessions/identify-session.js';
import { failureEffect, jobFailed } from './modules/voice/jobs.js';
import type { EffectHandlers } from './world/world.js';

/** @param onRequest is called with each request that the journal notes */
export function createHooks(onRequest: RequestListener | undefined, counts: RequestCounts): Hooks {
  return {
    authenticate: identify,
    limit,
    showLimits,
    selectFault,
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

export const effectHandlers: EffectHandlers = {
  [refundEffect]: (world, effect) => refundDue(world, effect.subject, effect.due_at),
  [dayEffect]: billDay,
  [graceEndEffect]: (world, effect) => graceOver(world, effect.subject),
  [payingEffect]: (world, effect) => payDues(world, effect.subject, effect.due_at),
  [deletionEffect]: (world, effect) => deletionDue(world, effect.subject),
  [failureEffect]: (world, effect) => jobFailed(world, effect.subject, effect.due_at),
};
