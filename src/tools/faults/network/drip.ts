// The network fault that sends a response slowly, in small pieces.

import { writeBody } from '../../../http/file-part.js';
import { pause } from '../connection.js';
import { begin, type NetworkFaultKind, withFirstEvents } from './kind.js';

const pieceMs = 50;

export const drip: NetworkFaultKind = {
  spreadsDelay: true,
  async onBody(context, response, { overMs }) {
    const { body } = response;
    const res = begin(context, response);
    const pieces = Math.max(1, Math.min(body.length, Math.ceil(overMs / pieceMs)));
    for (let i = 0; i < pieces; i++) {
      const from = Math.floor((body.length * i) / pieces);
      if ((await pause(context, overMs / pieces)) !== 'over') {
        context.outcome = 'aborted';
        return void res.destroy();
      }
      await writeBody(res, body, from, Math.floor((body.length * (i + 1)) / pieces));
    }
    res.end();
  },
  onStream: (context, answer, { overMs }) =>
    withFirstEvents(answer, async (events, sink) => {
      for (const event of events) {
        if ((await pause(context, overMs / events.length)) !== 'over') return;
        await sink.send([event]);
      }
    }),
};
