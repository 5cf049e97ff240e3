// A queued reply as people read it: what the model says, calls or fails with, and how it comes.

import type { OrderedReply } from '../../../../platform/models/control.js';
import { Badge } from '../components/parts.js';
import { durationText } from '../text.js';

type Reply = OrderedReply['reply'];

export function QueuedReply({ reply }: { reply: Reply }) {
  const { text, value, chunks, refusal, toolCalls = [], error } = reply;
  const said = text ?? chunks?.join('') ?? refusal ?? (value === undefined ? undefined : JSON.stringify(value));
  const failure = typeof error === 'string' ? { code: error } : error;
  const manner = mannerOf(reply);
  return (
    <>
      {said !== undefined && (
        <p class="wraps">
          {refusal !== undefined && <Badge tone="warning">refuses</Badge>}
          {said}
        </p>
      )}
      {toolCalls.map(({ name, arguments: given = {} }, index) => (
        <p key={`${name}-${index}`} class="wraps">
          calls <code>{`${name}(${typeof given === 'string' ? given : JSON.stringify(given)})`}</code>
        </p>
      ))}
      {failure !== undefined && (
        <p class="wraps">
          <Badge tone="bad">{failure.code}</Badge> {failure.message}
        </p>
      )}
      {manner !== '' && <p class="faint">{manner}</p>}
    </>
  );
}

// In the order in which a client notices it.
function mannerOf({
  firstDelay,
  delay,
  clock,
  chunkSize,
  stallAfter,
  malformedAt,
  finishReason,
  error,
}: Reply): string {
  const { after, retryAfter } = typeof error === 'object' ? error : {};
  return [
    firstDelay && `${durationText(firstDelay)} before the first chunk`,
    delay && `${durationText(delay)} between chunks`,
    clock === 'wall' && 'in real time',
    chunkSize && `${chunkSize} tokens per chunk`,
    stallAfter !== undefined && `stalls after ${stallAfter} chunks`,
    malformedAt && `chunk ${malformedAt} is cut in half`,
    after && `fails after ${after} chunks`,
    retryAfter !== undefined && `says to retry after ${retryAfter} s`,
    finishReason && `ends with ${finishReason}`,
  ]
    .filter((part) => typeof part === 'string')
    .join(', ');
}
