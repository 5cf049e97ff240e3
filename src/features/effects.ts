// What each kind of effect does when it is due.

import type { EffectHandlers } from '../worlds/world.js';
import { deletionDue, deletionEffect } from './containers/deletion.js';
import { refundDue, refundEffect } from './containers/refunds.js';

export const effectHandlers: EffectHandlers = {
  [refundEffect]: (world, effect) => refundDue(world, effect.subject, effect.due_at),
  [deletionEffect]: (world, effect) => deletionDue(world, effect.subject),
};
