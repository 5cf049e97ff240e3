// What each kind of effect does when it is due.

import type { EffectHandlers } from '../worlds/world.js';
import { refundDue, refundEffect } from './containers/deploy.js';

export const effectHandlers: EffectHandlers = {
  [refundEffect]: (world, effect) => refundDue(world, effect.subject, effect.due_at),
};
