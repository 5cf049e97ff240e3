// The effects that are due in a world, each by the module that applies it.

import { topUpDue } from '../platform/billing/settings.js';
import { billDay, dayEffect, graceEndEffect, graceOver, payDues } from '../platform/containers/lifecycle/billing.js';
import { deletionDue, deletionEffect } from '../platform/containers/lifecycle/deletion.js';
import { refundDue, refundEffect } from '../platform/containers/lifecycle/refunds.js';
import { payingEffect, topUpEffect } from '../platform/credits/ledger.js';
import { hourDue, hourEffect } from '../platform/hosted-agents/billing.js';
import { jobDue, jobEffect } from '../platform/hosted-agents/operations.js';
import { warmEffect } from '../platform/hosted-agents/plan.js';
import { failureEffect, jobFailed } from '../platform/voice/jobs.js';
import type { EffectHandlers } from '../world/settling.js';
import type { World } from '../world/world.js';

/** The functions that apply effects, by their kinds. */
export const effectHandlers: EffectHandlers<World> = {
  [refundEffect]: (world, effect) => refundDue(world, effect.subject, effect.due_at),
  [dayEffect]: billDay,
  [graceEndEffect]: (world, effect) => graceOver(world, effect.subject),
  [payingEffect]: (world, effect) => payDues(world, effect.subject, effect.due_at),
  [topUpEffect]: (world, effect) => topUpDue(world, effect.subject, effect.due_at),
  [deletionEffect]: (world, effect) => deletionDue(world, effect.subject),
  [hourEffect]: (world, effect) => hourDue(world, effect.subject, effect.due_at),
  [jobEffect]: (world, effect) => jobDue(world, effect.subject, effect.due_at),
  [warmEffect]: () => {},
  [failureEffect]: (world, effect) => jobFailed(world, effect.subject, effect.due_at),
};
