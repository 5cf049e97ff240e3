// A request in full: what came, what went, why, what it changed, who cites it, and how to send it again.

import { useSignal } from '@preact/signals';
import { useContext } from 'preact/hooks';
import type { LedgerEntry } from '../../../../platform/credits/control.js';
import type { Fault } from '../../../faults/views.js';
import type { HistoryDetails } from '../../../history/schema.js';
import type { RequestDetails } from '../../../journal/control.js';
import type { JournalEntry } from '../../../journal/journal-entry.js';
import type { OpenedStream } from '../../../streams/control.js';
import type { VerdictReport } from '../../../verdicts/control.js';
import type { WhyAnswer } from '../../../why/schema.js';
import type { ListedAssumption } from '../../../worlds/info.js';
import type { RerunResult } from '../../../worlds/rerun.js';
import { get, pageOf, worldId } from '../api.js';
import { Facts, Subject } from '../components/fields.js';
import { Actions, Field, type Texts } from '../components/form.js';
import {
  Badge,
  Body,
  ChangedRows,
  Copy,
  InTimeline,
  KeyValues,
  Notes,
  Section,
  Status,
  type Tone,
  Unread,
} from '../components/parts.js';
import { beginAt, standAt } from '../components/past.js';
import {
  call,
  clock,
  commandLine,
  commandOf,
  flagOfWorld,
  RequestWorld,
  useData,
  useRequestData,
} from '../emulator.js';
import { hrefOf, set } from '../page.js';
import { countText, distanceText, effectText, timeText } from '../text.js';
import { Change } from './credits.js';
import { asCurl, asFaultRule, asFetch, asTest } from './request-copies.js';

export function RequestParts({ requestId }: { requestId: string }) {
  const { value: request, error } = useRequestData<RequestDetails>(`/requests/${encodeURIComponent(requestId)}`);
  const world = useContext(RequestWorld);
  if (request === undefined) return <Unread error={error} />;
  const { operation, errorCode, fault, outcome, caller, durationMs, retryAfter } = request;
  const isStream = request.responseHeaders['content-type']?.startsWith('text/event-stream') === true;
  const copyTest = async (): Promise<string> => {
    const { requests } = await get<{ requests: JournalEntry[] }>('/requests', { limit: 10_000 }, undefined, world);
    return asTest(request, requests);
  };
  return (
    <>
      <Facts
        of={{ operation, errorCode, outcome, caller, durationMs, retryAfter, id: requestId }}
        known={{
          ...(operation === null && { operation: 'none matches' }),
          outcome: outcomes[outcome],
          caller: <Caller caller={caller} />,
        }}
      />
      {fault !== null && <FaultPart id={fault} />}
      <fieldset class="lead" aria-label="Copy">
        <Copy text={() => asCurl(request)}>Copy as curl</Copy>
        <Copy text={() => asFetch(request)}>Copy as fetch</Copy>
        <Copy text={copyTest}>Copy as a test</Copy>
        <Copy text={() => JSON.stringify(asFaultRule(request), null, 2)}>Copy as a fault rule</Copy>
      </fieldset>
      <Notes title="Warnings" of={warningsOf(request)} tone="warning" />
      {request.status >= 400 && <Why requestId={requestId} />}
      <Changes request={request} />
      <InHistory requestId={requestId} />
      <Message title="Request" headers={request.requestHeaders} body={request.requestBody} />
      <Message title="Response" headers={request.responseHeaders} body={request.responseBody} isHidden={isStream} />
      {isStream && <StreamPart requestId={requestId} />}
      <Verdicts requestId={requestId} />
      <Assumptions ids={request.assumptions} />
      <SendAgain request={request} />
      <Section title="Make the next one fail">
        <Actions
          label="Arm a fault"
          actions={[503, 429, 402].map((status) => ({
            label: `Fail the next one with ${status}`,
            operation: 'faults.add',
            input: { ...asFaultRule(request), effect: { status } },
            done: `The next ${operation ?? request.path} gets ${status}`,
          }))}
        />
        <p>
          <a href={hrefOf({ view: 'faults', item: `new ${requestId}` })}>Arm another fault</a>
        </p>
      </Section>
    </>
  );
}

const outcomes: Partial<Record<JournalEntry['outcome'], string>> = {
  lost: 'A fault kept the response, or a part of it, from the client',
  aborted: 'The client disconnected before the response',
};

const findings: Record<string, string> = {
  'secret-in-url': 'A secret was in the URL, where logs and proxies keep it',
  'live-key': 'A live key was sent',
  'expired-credential': 'The credential had expired',
  'unknown-field': 'A field is unknown',
};

// A warning that names the field says more than the finding of its kind.
function warningsOf({ warnings, findings: found }: JournalEntry): string[] {
  const isTold = (finding: string): boolean =>
    finding === 'unknown-field' && warnings.some((text) => /\bunknown\b/.test(text));
  return [...warnings, ...found.filter((one) => !isTold(one)).map((one) => findings[one] ?? one)];
}

interface MessageProps {
  title: 'Request' | 'Response';
  headers: Record<string, string>;
  body: string | null;
  /** The body is shown elsewhere. */
  isHidden?: boolean;
}

function Message({ title, headers, body, isHidden = false }: MessageProps) {
  const entries = Object.entries(headers);
  return (
    <Section title={title} tools={body && <Copy text={body} of={`the body of the ${title.toLowerCase()}`} />}>
      <details>
        <summary>{entries.length} headers</summary>
        <KeyValues entries={entries} />
      </details>
      {!isHidden && <Body text={body} />}
    </Section>
  );
}

const done: Record<string, string> = { POST: 'Acted on', PATCH: 'Changed', PUT: 'Changed', DELETE: 'Removed' };

// The subject of a request that took effect, every credit that it moved, and the rows that it changed.
function Changes({ request }: { request: RequestDetails }) {
  const { requestId, method, operation, subject, status, outcome, changes } = request;
  const { value } = useRequestData<{ ledger: LedgerEntry[] }>('/ledger', [], { requestId });
  const word = status === 201 || status === 202 ? 'Made' : done[method];
  const hasActed = word !== undefined && subject !== null && (status < 300 || outcome === 'lost');
  const movements = value?.ledger ?? [];
  // Rows of the ledger are left out, because its movements are shown in credits.
  const rows = changes?.filter(({ table }) => table !== 'ledger') ?? [];
  const isUnknown = changes === null && word !== undefined && status < 300;
  if (!hasActed && !isUnknown && movements.length + rows.length === 0) return null;
  return (
    <Section title="What it changed">
      {hasActed && (
        <p>
          {word} <Subject kind={operation?.split('.')[0] ?? ''} id={subject} /> <span aria-hidden="true">·</span>{' '}
          <InTimeline of={subject}>All about it</InTimeline>
        </p>
      )}
      {movements.map((movement) => (
        <Change key={movement.id} what={`${movement.reason} (${movement.type})`} of={movement} />
      ))}
      <ChangedRows tables={rows} />
      {isUnknown && (
        <p class="faint">
          Its rows are not known: the history is off, or keeps less (settings <code>data.history</code> and{' '}
          <code>data.historyBytes</code>).
        </p>
      )}
    </Section>
  );
}

function FaultPart({ id }: { id: string }) {
  const { value } = useData<Fault>(`/faults/${encodeURIComponent(id)}`);
  return (
    <Section title="The fault that fired">
      <p>
        <a href={hrefOf({ view: 'faults', item: id })}>{id}</a>{' '}
        {value !== undefined && (
          <span class="faint">{`${effectText(value.effect)}, ${countText(value.hits, 'hit')}`}</span>
        )}
      </p>
    </Section>
  );
}

function Verdicts({ requestId }: { requestId: string }) {
  const { value } = useRequestData<VerdictReport>('/verdicts');
  const citing = value?.verdicts.flatMap(({ rule, title, verdict, evidence }) =>
    evidence
      .filter((one) => one.requestId === requestId)
      .slice(0, 1)
      .map(({ message }) => (
        <>
          <Status of={verdict} /> <a href={hrefOf({ view: 'verdicts', item: rule })}>{title}</a>
          <p class="faint">{message}</p>
        </>
      )),
  );
  return <Notes title="Verdicts that name it" of={citing ?? []} />;
}

function Assumptions({ ids }: { ids: readonly string[] }) {
  const { value } = useData<{ assumptions: ListedAssumption[] }>('/assumptions');
  const named = value?.assumptions.filter(({ id }) => ids.includes(id)) ?? [];
  const notes = named.map(({ text, setting }) => (
    <>
      {text} {setting !== undefined && <code>{setting}</code>}
    </>
  ));
  return <Notes title="Assumptions it rests on" of={notes} />;
}

/** The earlier points that an error depended on; nothing where no rule has read any. */
function Why({ requestId }: { requestId: string }) {
  const { value } = useRequestData<WhyAnswer>('/why', [], { requestId });
  if (value === undefined || value.chain.length === 0) return null;
  return (
    <Section title="Why">
      <p>{value.reason}</p>
      <Notes
        of={value.chain.map(({ point, because, summary, requestId: cause }) => (
          <>
            {because} <br />
            <span class="faint">{`Point ${point}: ${summary}`}</span>{' '}
            {cause !== null && <InTimeline of={cause}>Show it</InTimeline>}
          </>
        ))}
      />
    </Section>
  );
}

/** The changes of a request in a few words, and the worlds that begin at it; nothing where the history does not hold it. */
function InHistory({ requestId }: { requestId: string }) {
  const { value: point } = useRequestData<HistoryDetails>(`/history/${encodeURIComponent(requestId)}`, []);
  const of = flagOfWorld(useContext(RequestWorld) ?? worldId);
  if (point === undefined) return null;
  return (
    <Section title={`Point ${point.point} of the history`}>
      <Notes of={point.changes.map(({ words }) => words)} />
      <Actions
        label="At this point"
        actions={[
          {
            label: 'See all as of it',
            command: commandOf('history.show', { point: point.point, state: true }, of),
            run: () => standAt(point.point),
          },
          ...(['before', 'after'] as const).map((side) => ({
            label: `Fork ${side}`,
            command: commandLine(`world create --at ${requestId}${side === 'before' ? ' --side before' : ''}`, of),
            run: () => beginAt({ requestId, side }),
          })),
        ]}
      />
    </Section>
  );
}

/** Sends the request again in a world as this one was before it, with another body if that is wanted, and compares. */
function SendAgain({ request }: { request: JournalEntry }) {
  const { requestId, requestBody } = request;
  const texts = useSignal<Texts>({ body: requestBody ?? '' });
  const result = useSignal<RerunResult | undefined>(undefined);
  const world = useContext(RequestWorld);
  const isSame = texts.value.body === (requestBody ?? '');
  const input = { id: requestId, ...(!isSame && { body: texts.value.body }) };
  return (
    <Section title="Send it again">
      <p class="faint">In a new world that is as this one was before it: here nothing happens.</p>
      {requestBody !== null && requestBody !== '' && <Field label="Body" name="body" texts={texts} isLong />}
      <Actions
        label="Send it again"
        actions={[
          {
            label: isSame ? 'Send it unchanged' : 'Send it changed',
            command: commandOf('requests.rerun', input, flagOfWorld(world ?? worldId)),
            run: () => call<RerunResult>('requests.rerun', input, world),
            next: (answer: RerunResult) => set(result, answer),
            done: 'Sent again',
          },
        ]}
      />
      {result.value !== undefined && <Comparison result={result.value} />}
    </Section>
  );
}

function Comparison({ result: { world, original, rerun, changes } }: { result: RerunResult }) {
  const side = (title: string, { status, errorCode, body }: RerunResult['original'], rows: typeof changes.original) => (
    <section aria-label={title}>
      <h4>
        {title} <Status of={status} /> {errorCode !== null && <code>{errorCode}</code>}
      </h4>
      <Body text={body} />
      {rows === null ? <p class="faint">Its rows are not known</p> : <ChangedRows tables={rows} />}
    </section>
  );
  return (
    <>
      <div class="fields">
        {side('As it was', original, changes.original)}
        {side('Sent again', rerun, changes.rerun)}
      </div>
      {world !== null && (
        <p>
          <a href={`${pageOf(world)}#/timeline`}>Go on in its world, {world}</a>
        </p>
      )}
    </>
  );
}

/** Returns what names callers: a test key by its name, any other such as `user:<id>` by what it is; and what finds test keys. */
export function useCallers() {
  const { value } = useData<{ keys: { id: string; name: string }[] }>('/keys', ['control']);
  const keyOf = (caller: string) => value?.keys.find(({ id }) => caller === `key:${id}`);
  const nameOf = (caller: string): string => {
    const [, kind, id = ''] = /^([a-z]+):(.*)$/s.exec(caller) ?? [];
    const key = keyOf(caller);
    if (key !== undefined || kind === undefined) return key?.name ?? caller;
    if (kind === 'address') return `address ${id}`;
    return kind === 'secret' ? `an unknown key (${id.slice(0, 8)})` : `${kind} ${id.slice(0, 8)}`;
  };
  return { keyOf, nameOf };
}

/** A caller; a test key leads to what is known of it. */
export function Caller({ caller }: { caller: string }) {
  const { keyOf, nameOf } = useCallers();
  const key = keyOf(caller);
  return (
    <>
      {key === undefined ? (
        nameOf(caller)
      ) : (
        <a href={hrefOf({ view: 'accounts', item: `keys/${key.id}` })}>{key.name}</a>
      )}{' '}
      <code class="faint">{key?.id ?? caller}</code>
    </>
  );
}

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

const held = 'The clock is frozen: what comes in virtual time waits until it is advanced, or runs.';

function Sent({ stream: { state, events, text, isCut, openedAt, lastAt, endedAt } }: { stream: OpenedStream }) {
  const end = endedAt ?? lastAt;
  const took =
    end === null ? '' : `, ${distanceText(Date.parse(end), Date.parse(openedAt)).replace(/^in /, 'within ')}`;
  const isHeld = state === 'open' && clock.value?.frozen === true;
  return (
    <>
      <p class="faint">{`${states[state][2]}: ${countText(events, 'event')} since ${timeText(openedAt)}${took}`}</p>
      <div class={`wraps ${state}`} role="log" aria-label="What was sent">
        {text}
        {isCut && <span class="faint"> … and more</span>}
      </div>
      {isHeld && <Notes of={[held]} tone="warning" />}
    </>
  );
}
