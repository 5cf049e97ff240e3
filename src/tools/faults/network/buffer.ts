// The network fault of a proxy that buffers: a stream comes only when it has ended, its status and headers included. Other
// responses are sent as they are.

import { writeBody } from '../../../http/file-part.js';
import type { SseEvent } from '../../../http/response.js';
import { begin, type NetworkFaultKind } from './kind.js';

/** The buffer of the proxy, in characters: a longer stream is let go whenever it is full. */
const mostHeld = 8 * 1_024 * 1_024;

export const buffer: NetworkFaultKind = {
  onlyStreams: true,
  async onBody(context, response) {
    const res = begin(context, response);
    await writeBody(res, response.body, 0, response.body.length);
    res.end();
  },
  onStream({ ctx: { res } }, answer) {
    // Heartbeats and headers would show that the stream has begun.
    res.cork();
    return {
      ...answer,
      open(sink) {
        let held: SseEvent[] = [];
        let length = 0;
        async function letGo(): Promise<void> {
          const events = held;
          held = [];
          length = 0;
          res.uncork();
          await sink.send(events);
        }
        answer.open({
          ...sink,
          async send(events) {
            held.push(...events);
            for (const { data } of events) length += data.length;
            if (length <= mostHeld) return;
            await letGo();
            res.cork();
          },
          end() {
            void letGo().then(() => sink.end());
          },
        });
      },
    };
  },
};
