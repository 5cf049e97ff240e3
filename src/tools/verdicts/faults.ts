// The rule that every fault rule has fired.

import { counted } from '../../core/words.js';
import { conclude, type Rule } from './verdict.js';

/** Each fault rule that is not optional has fired at least once. A test whose rule never fired has tested nothing. */
export const faultsAllFired: Rule = {
  id: 'faults-all-fired',
  title: 'Encounters every fault that is set',
  demands: 'Each fault rule that is not optional has fired at least once.',
  judge(_records, { faults }) {
    const unused = faults.filter(({ hits }) => hits === 0);
    const order = faults.length > 1 ? ' (of those that match a request the oldest comes first)' : '';
    return conclude(
      faults.length,
      unused.map(({ id, description }) => ({
        requestId: null,
        at: null,
        operation: null,
        method: null,
        path: null,
        message: `fault ${id} (${description}) never fired`,
      })),
      {
        none: 'No fault is set.',
        pass: `${counted(faults.length, 'fault')} set, and each has fired.`,
        fail: `${unused.length} of ${counted(faults.length, 'fault')} never fired: check what it matches${order}, or remove it.`,
      },
    );
  },
};
