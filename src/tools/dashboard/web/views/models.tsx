// Models: what they were asked and answered, and what they answer next.

import { useSignal } from '@preact/signals';
import type { OrderedReply } from '../../../../platform/models/control.js';
import type { JournalEntry } from '../../../journal/journal-entry.js';
import type { OpenedStream } from '../../../streams/control.js';
import { Actions, Sample } from '../components/actions.js';
import { inputOf, OperationForm, type Texts } from '../components/form.js';
import { Body } from '../components/json.js';
import type { Column } from '../components/list.js';
import { ListView } from '../components/list-view.js';
import { Empty, KeyValues, Section, Status, When } from '../components/parts.js';
import { useData } from '../live.js';
import { hrefOf } from '../route.js';
import { durationText } from '../text.js';
import { answerOf, askedOf, eventsOf, modelOf } from './model-texts.js';
import { QueuedReply } from './queued-reply.js';
import { StreamBadge, StreamPart, useStreams } from './stream.js';

const modelCalls = /^(chat|responses|embeddings|images|videos|audio|agents\.(chat|run))/;

export function Models() {
  const { value, error } = useData<{ requests: JournalEntry[] }>('/requests', ['request'], { limit: 500 });
  const streams = useStreams();
  return (
    <ListView
      title="Models"
      note="What models are asked and answer, and the replies that they give next."
      error={error}
      filter="Filter calls"
      textOf={({ operation, requestBody, responseBody, stream }) =>
        `${operation} ${requestBody ?? ''} ${responseBody ?? stream?.text ?? ''}`
      }
      beside={
        <>
          <Order />
          <Queue />
        </>
      }
      label="Model calls"
      rows={value?.requests
        .filter(({ operation }) => operation !== null && modelCalls.test(operation))
        .map((request): ModelCall => ({ ...request, stream: streams?.get(request.requestId) }))}
      columns={columns}
      keyOf={({ requestId }) => requestId}
      empty={
        <Empty title="No model was asked yet">
          <p>Send a prompt. Unless you queue a reply, the reply repeats the prompt:</p>
          <Sample
            path="/api/v1/chat/completions"
            args={`-d '{"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello"}]}'`}
          />
        </Empty>
      }
      titleOf={({ operation, path }) => operation ?? path}
      detail={(request) => <Call request={request} />}
    />
  );
}

interface ModelCall extends JournalEntry {
  /** The stream of the answer, if it is among those that are known. */
  stream: OpenedStream | undefined;
}

const columns: readonly Column<ModelCall>[] = [
  { title: 'At', width: '8.5rem', minor: 640, cell: ({ at }) => <When at={at} /> },
  { title: 'Status', width: '6.75rem', cell: (request) => <State request={request} /> },
  { title: 'Model', width: 'minmax(0, 1fr)', minor: 300, cell: (request) => <code>{modelOf(request)}</code> },
  {
    title: 'Asked',
    width: 'minmax(0, 2fr)',
    minor: 560,
    cell: (request) => <span class="faint">{askedOf(request)}</span>,
  },
  { title: 'Reply', width: 'minmax(0, 2fr)', cell: (request) => answerOf(request, request.stream) },
  { title: 'Took', width: '4.5rem', minor: true, align: 'end', cell: ({ durationMs }) => durationText(durationMs) },
];

function State({ request: { status, outcome, stream } }: { request: ModelCall }) {
  if (stream !== undefined || outcome === 'streaming') return <StreamBadge stream={stream} />;
  return <Status of={status} />;
}

function Call({ request }: { request: ModelCall }) {
  const { seq, requestId, stream, status, durationMs, errorCode, requestBody, responseBody } = request;
  const events = eventsOf(responseBody ?? '');
  return (
    <>
      <KeyValues
        entries={[
          ['Model', <code key="model">{modelOf(request)}</code>],
          ['Status', <Status key="status" of={status} />],
          ['Error', errorCode],
          ['Took', durationText(durationMs)],
          ['Stream', events.length === 0 ? null : `${events.length} events`],
          [
            'Request',
            <a key="request" href={hrefOf({ view: 'timeline', item: `request:${seq}` })}>
              in the timeline
            </a>,
          ],
        ]}
      />
      {stream === undefined ? (
        <Section title="Reply">
          <p class="wraps">{answerOf(request, request.stream)}</p>
        </Section>
      ) : (
        <StreamPart requestId={requestId} />
      )}
      <Section title="Asked">
        <Body text={requestBody} />
      </Section>
      {stream === undefined && (
        <Section title="Response as it came">
          <Body text={responseBody} />
        </Section>
      )}
    </>
  );
}

const errors = [
  'CONTENT_POLICY',
  'CONTEXT_LENGTH',
  'MODEL_UNAVAILABLE',
  'GENERATION_FAILED',
  'RATE_LIMITED',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_ERROR',
];

function Order() {
  const texts = useSignal<Texts>({});
  // For which calls it is says nothing of the reply.
  const isEmpty = Object.keys(inputOf('replies.add', texts.value)).every(
    (name) => name === 'model' || name === 'times',
  );
  return (
    <Section title="Queue the next reply" level={2}>
      <OperationForm
        isTall
        label="Queue"
        operation="replies.add"
        fields="text model error firstDelay delay chunkSize stallAfter times"
        texts={texts}
        known={{
          text: { isLong: true, placeholder: 'What the model says' },
          model: { placeholder: 'any, or gpt-*' },
          error: { options: errors, none: 'none' },
          firstDelay: { label: 'Before the first chunk', placeholder: '0ms' },
          delay: { label: 'Between chunks', placeholder: '0ms' },
          chunkSize: { label: 'Tokens per chunk' },
          stallAfter: { label: 'Stall after chunks', placeholder: 'never' },
        }}
        done="The next reply is queued"
        disabled={isEmpty}
      />
    </Section>
  );
}

function Queue() {
  const { value } = useData<{ replies: OrderedReply[] }>('/replies', ['request', 'control', 'clock']);
  const replies = value?.replies ?? [];
  return (
    <Section title="Queued replies" level={2}>
      {replies.length === 0 && <p class="faint">None: models reply as they usually do.</p>}
      {replies.map(({ id, model, times, reply, warning }) => (
        <div key={id} class="card">
          <p>
            <strong>{model ?? 'any model'}</strong> <span class="faint">{times === 1 ? 'once' : `${times} times`}</span>
          </p>
          <QueuedReply reply={reply} />
          {warning !== null && (
            <ul class="notes warning">
              <li>{warning}.</li>
            </ul>
          )}
        </div>
      ))}
      {replies.length > 0 && (
        <Actions
          label="Queue"
          actions={[
            {
              label: 'Clear',
              operation: 'replies.clear',
              done: 'No reply is queued any more',
              isDangerous: true,
            },
          ]}
        />
      )}
    </Section>
  );
}
