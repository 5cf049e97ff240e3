// The rule that streams are closed.

import { counted } from '../../core/words.js';
import { markersOf, requestsOf } from './reading.js';
import { conclude, evidenceOf, type Rule } from './verdict.js';

/** Every stream has ended: the client closed it, or the server had nothing more to send. */
export const streamsClosed: Rule = {
  id: 'streams-closed',
  title: 'Closes its streams',
  demands: 'The client leaves no stream open when it is done.',
  judge(records, { runningSince }) {
    const ended = new Set(markersOf(records, 'stream-ended').map(({ subject }) => subject));
    const streams = requestsOf(records).filter(({ outcome }) => outcome === 'streaming');
    // Streams of a killed process have no end marker, but are no longer open.
    const open = streams.filter(({ seq, wall }) => !ended.has(String(seq)) && wall >= runningSince);
    return conclude(
      streams.length,
      open.map((entry) => evidenceOf(entry, 'is still open')),
      {
        none: 'No stream was opened.',
        pass: `${counted(streams.length, 'stream')}, all of them closed.`,
        fail: `${open.length} of ${counted(streams.length, 'stream')} still open: close (or abort) a stream when you no longer read it.`,
      },
    );
  },
};
