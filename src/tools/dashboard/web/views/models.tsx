// Models: what they were asked and answered, and what they answer next.

import { useSignal } from '@preact/signals';
import type { OrderedReply } from '../../../../platform/models/control.js';
import type { JournalEntry } from '../../../journal/journal-entry.js';
import type { OpenedStream } from '../../../streams/control.js';
import { post, remove } from '../api.js';
import { Act } from '../components/actions.js';
import { Field, Fields, filled, type Texts } from '../components/form.js';
import { Body } from '../components/json.js';
import type { Column } from '../components/list.js';
import { ListView } from '../components/list-view.js';
import { Empty, KeyValues, Section, Status, When } from '../components/parts.js';
import { Sample } from '../components/sample.js';
import { useData } from '../live.js';
import { hrefOf } from '../route.js';
import { set } from '../set.js';
import { durationText, shellQuoted } from '../text.js';
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
          <p class="said">{answerOf(request, request.stream)}</p>
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
const fields = ['model', 'text', 'firstDelay', 'delay', 'chunkSize', 'stallAfter', 'error', 'times'];

function Order() {
  const texts = useSignal<Texts>({ text: '' });
  const request = filled(texts.value, fields, ['chunkSize', 'stallAfter', 'times']);
  // For which calls it is says nothing of the reply.
  const isEmpty = Object.keys(request).every((name) => name === 'model' || name === 'times');
  return (
    <Section title="Queue the next reply" level={2}>
      <Fields>
        <Field label="Text" name="text" texts={texts} isLong placeholder="What the model says" />
        <Field label="Model" name="model" texts={texts} placeholder="any, or gpt-*" />
        <Field label="Error" name="error" texts={texts} options={errors} none="none" />
        <Field label="Before the first chunk" name="firstDelay" texts={texts} placeholder="0ms" />
        <Field label="Between chunks" name="delay" texts={texts} placeholder="0ms" />
        <Field label="Tokens per chunk" name="chunkSize" texts={texts} type="number" />
        <Field label="Stall after chunks" name="stallAfter" texts={texts} type="number" placeholder="never" />
        <Field label="Times" name="times" texts={texts} type="number" placeholder="1" />
      </Fields>
      <Act
        group="Queue"
        label="Queue"
        command={isEmpty ? `replies add 'Hello'` : `replies add ${shellQuoted(JSON.stringify(request))}`}
        run={async () => {
          await post('/replies', request);
          set(texts, { ...texts.value, text: '' });
        }}
        done="The next reply is queued"
        isPrimary
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
        <Act
          group="Queue"
          label="Clear"
          command="replies clear"
          run={() => remove('/replies')}
          done="No reply is queued any more"
          isDangerous
        />
      )}
    </Section>
  );
}
