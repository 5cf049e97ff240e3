// What each kind of effect does when it is due.

import { billDay, dayEffect, graceEndEffect, graceOver, payDues } from './modules/containers/billing.js';
import { deletionDue, deletionEffect } from './modules/containers/deletion.js';
import { refundDue, refundEffect } from './modules/containers/refunds.js';
import { payingEffect } from './modules/credits/ledger.js';
import { failureEffect, jobFailed } from './modules/voice/jobs.js';
import type { EffectHandlers } from './world/world.js';

export const effectHandlers: EffectHandlers = {
  [refundEffect]: (world, effect) => refundDue(world, effect.subject, effect.due_at),
  [dayEffect]: (world, effect) => billDay(world, effect.due_at),
  [graceEndEffect]: (world, effect) => graceOver(world, effect.subject),
  [payingEffect]: (world, effect) => payDues(world, effect.subject, effect.due_at),
  [deletionEffect]: (world, effect) => deletionDue(world, effect.subject),
  [failureEffect]: (world, effect) => jobFailed(world, effect.subject, effect.due_at),
};
