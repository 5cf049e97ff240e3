// The network fault of a platform that restarts: a whole response is its last one, and connections are refused for a while.

import { writeBody } from '../../../http/file-part.js';
import { emulatorFacts } from '../../../world/given.js';
import { begin, type NetworkFaultKind } from './kind.js';

export const refuse: NetworkFaultKind = {
  spreadsDelay: true,
  concernsAll: true,
  async onBody(context, response, { overMs }) {
    // First, as the client may send the next request as soon as it has this response.
    emulatorFacts.of(context.world).refuse?.(overMs);
    context.ctx.res.shouldKeepAlive = false;
    const res = begin(context, response);
    await writeBody(res, response.body, 0, response.body.length);
    res.end();
  },
  onStream: (_context, answer) => answer,
};
