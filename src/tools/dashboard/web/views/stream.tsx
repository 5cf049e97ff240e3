// A stream that a request opened: how it stands, and what was sent through it, as it comes.

import type { OpenedStream } from '../../../streams/control.js';
import { Badge, Section, type Tone } from '../components/parts.js';
import { clock, useData } from '../live.js';
import { useRequestData } from '../request-world.js';
import { distanceText, timeText } from '../text.js';

const states: Record<OpenedStream['state'], [word: string, tone: Tone, what: string]> = {
  open: ['open', 'ahead', 'More may come'],
  complete: ['complete', 'good', 'All was sent'],
  aborted: ['client left', 'warning', 'The client went away before the end'],
  lost: ['broken off', 'bad', 'A fault broke it off'],
};

/** The streams of this world, by the ids of their requests; undefined until they are read. */
export function useStreams(): ReadonlyMap<string, OpenedStream> | undefined {
  const { value } = useData<{ streams: OpenedStream[] }>('/streams', ['stream']);
  return value && new Map(value.streams.map((stream) => [stream.requestId, stream]));
}

/** Open ones are all known: of an unknown one it is certain that it is over. */
export function StreamBadge({ stream }: { stream: OpenedStream | undefined }) {
  const [word, tone] = stream === undefined ? (['ended', 'neutral'] as const) : states[stream.state];
  return <Badge tone={tone}>{word}</Badge>;
}

/** The events that were sent through the stream of a request so far. */
export function StreamPart({ requestId }: { requestId: string }) {
  const { value } = useRequestData<{ streams: OpenedStream[] }>('/streams', ['stream'], { request: requestId });
  if (value === undefined) return null;
  const [stream] = value.streams;
  return (
    <Section title="Stream" tools={<StreamBadge stream={stream} />}>
      {stream === undefined ? (
        <p class="faint">It has ended; of the last 50 streams it is known what was sent.</p>
      ) : (
        <Sent stream={stream} />
      )}
    </Section>
  );
}

function Sent({ stream: { state, events, text, isCut, openedAt, lastAt, endedAt } }: { stream: OpenedStream }) {
  const end = endedAt ?? lastAt;
  const took =
    end === null ? '' : `, ${distanceText(Date.parse(end), Date.parse(openedAt)).replace(/^in /, 'within ')}`;
  const isHeld = state === 'open' && clock.value?.frozen === true;
  return (
    <>
      <p class="faint">
        {`${states[state][2]}: ${events} ${events === 1 ? 'event' : 'events'} since ${timeText(openedAt)}${took}`}
      </p>
      <div class={`wraps ${state}`} role="log" aria-label="What was sent">
        {text}
        {isCut && <span class="faint"> … and more</span>}
      </div>
      {isHeld && (
        <ul class="notes warning">
          <li>The clock is frozen: what comes in virtual time waits until it is advanced, or runs.</li>
        </ul>
      )}
    </>
  );
}
