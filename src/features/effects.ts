// What each kind of effect does when it is due.

import type { EffectHandlers } from '../worlds/world.js';
import { billDay, dayEffect, graceEndEffect, graceOver, payDues } from './containers/billing.js';
import { deletionDue, deletionEffect } from './containers/deletion.js';
import { refundDue, refundEffect } from './containers/refunds.js';
import { payingEffect } from './credits/ledger.js';
import { failureEffect, jobFailed } from './voice/clone.js';

export const effectHandlers: EffectHandlers = {
  [refundEffect]: (world, effect) => refundDue(world, effect.subject, effect.due_at),
  [dayEffect]: (world, effect) => billDay(world, effect.due_at),
  [graceEndEffect]: (world, effect) => graceOver(world, effect.subject),
  [payingEffect]: (world, effect) => payDues(world, effect.subject, effect.due_at),
  [deletionEffect]: (world, effect) => deletionDue(world, effect.subject),
  [failureEffect]: (world, effect) => jobFailed(world, effect.subject, effect.due_at),
};
