// Models: what they were asked and answered, and what they answer next.

import { useSignal } from '@preact/signals';
import type { OrderedReply } from '../../../../platform/models/control.js';
import type { JournalEntry } from '../../../journal/journal-entry.js';
import type { OpenedStream } from '../../../streams/control.js';
import { Facts } from '../components/fields.js';
import { Actions, inputOf, OperationForm, Sample, type Texts } from '../components/form.js';
import { ListView } from '../components/list.js';
import { Badge, Body, Notes, Section, Status } from '../components/parts.js';
import { useData } from '../emulator.js';
import { hrefOf } from '../page.js';
import { durationText } from '../text.js';
import { StreamBadge, StreamPart, useStreams } from './request.js';

const modelCalls = /^(chat|responses|embeddings|images|videos|audio|agents\.(chat|run))/;

interface ModelCall extends JournalEntry {
  /** The stream of the answer, if it is among those that are known. */
  stream: OpenedStream | undefined;
}

export function Models() {
  const { value, error } = useData<{ requests: JournalEntry[] }>('/requests', ['request'], { limit: 500 });
  const streams = useStreams();
  return (
    <ListView<ModelCall>
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
        .map((request) => ({ ...request, stream: streams?.get(request.requestId) }))}
      columns="at?640 status:6.75rem model:1fr?300 asked:2fr?560 reply:2fr durationMs?"
      cells={{
        status: ({ status, outcome, stream }) =>
          stream !== undefined || outcome === 'streaming' ? <StreamBadge stream={stream} /> : <Status of={status} />,
        model: (request) => <code>{modelOf(request)}</code>,
        asked: (request) => <span class="faint">{askedOf(request)}</span>,
        reply: (request) => answerOf(request, request.stream),
      }}
      keyOf={({ requestId }) => requestId}
      none="No model was asked yet"
      hint={
        <Sample
          says="Send a prompt. Unless you queue a reply, the reply repeats the prompt:"
          path="/api/v1/chat/completions"
          args={`-d '{"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello"}]}'`}
        />
      }
      titleOf={({ operation, path }) => operation ?? path}
      detail={(request) => <Call request={request} />}
    />
  );
}

function Call({ request }: { request: ModelCall }) {
  const { seq, requestId, stream, status, durationMs, errorCode, requestBody, responseBody } = request;
  const events = eventsOf(responseBody ?? '');
  return (
    <>
      <Facts
        of={{ errorCode, durationMs }}
        known={{
          model: <code>{modelOf(request)}</code>,
          status: <Status of={status} />,
          stream: events.length === 0 ? null : `${events.length} events`,
          request: <a href={hrefOf({ view: 'timeline', item: `request:${seq}` })}>in the timeline</a>,
        }}
      />
      {stream !== undefined && <StreamPart requestId={requestId} />}
      {stream === undefined && (
        <Section title="Reply">
          <p class="wraps">{answerOf(request, stream)}</p>
        </Section>
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

function Order() {
  const texts = useSignal<Texts>({});
  // For which calls it is says nothing of the reply.
  const { model, times, ...said } = inputOf('replies.add', texts.value);
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
          error: { none: 'none' },
          firstDelay: { placeholder: '0ms' },
          delay: { label: 'Between chunks', placeholder: '0ms' },
          stallAfter: { placeholder: 'never' },
        }}
        done="The next reply is queued"
        disabled={Object.keys(said).length === 0}
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
      {replies.map((reply) => (
        <QueuedReply key={reply.id} of={reply} />
      ))}
      {replies.length > 0 && (
        <Actions
          label="Queue"
          actions={[
            { label: 'Clear', operation: 'replies.clear', done: 'No reply is queued any more', isDangerous: true },
          ]}
        />
      )}
    </Section>
  );
}

/** A queued reply as people read it: what the model says, calls or fails with, and how it comes. */
function QueuedReply({ of: { model, times, reply, warning } }: { of: OrderedReply }) {
  const { text, value, chunks, refusal, toolCalls = [], error, firstDelay, delay, ...manner } = reply;
  const said = text ?? chunks?.join('') ?? refusal ?? (value === undefined ? undefined : JSON.stringify(value));
  const { code = error, message, ...failing } = typeof error === 'object' ? error : {};
  return (
    <div class="card stack">
      <p>
        <strong>{model ?? 'any model'}</strong> <span class="faint">{times === 1 ? 'once' : `${times} times`}</span>
      </p>
      {said !== undefined && (
        <p class="wraps">
          {refusal !== undefined && <Badge tone="warning">refuses</Badge>}
          {said}
        </p>
      )}
      {toolCalls.map(({ name, arguments: given = {} }) => (
        <p key={name} class="wraps">
          calls <code>{`${name}(${typeof given === 'string' ? given : JSON.stringify(given)})`}</code>
        </p>
      ))}
      {error !== undefined && (
        <p class="wraps">
          <Badge tone="bad">{String(code)}</Badge> {message}
        </p>
      )}
      <Facts
        of={{ ...manner, ...failing }}
        known={{
          firstDelay: firstDelay ? durationText(firstDelay) : null,
          betweenChunks: delay ? durationText(delay) : null,
        }}
      />
      <Notes of={warning === null ? [] : [`${warning}.`]} tone="warning" />
    </div>
  );
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The model that was asked; of a request that names none, its operation. */
function modelOf({ requestBody, operation }: JournalEntry): string {
  return textAt(requestBody, ['model']) || (operation ?? '');
}

/** The first text at one of some paths of a JSON document, of which -1 is the last entry of a list; '' where there is none. */
function textAt(json: string | null, paths: readonly string[]): string {
  const document = parsed(json);
  const step = (value: unknown, name: string): unknown =>
    Array.isArray(value) ? value.at(Number(name)) : (value as Record<string, unknown> | null | undefined)?.[name];
  const found = paths.map((path) => path.split('.').reduce(step, document));
  return found.find((text): text is string => typeof text === 'string') ?? '';
}

/** The last thing that was said to it; whatever is no plain text is in the details. */
const askedOf = ({ requestBody }: JournalEntry): string =>
  textAt(requestBody, ['messages.-1.content', 'input', 'prompt', 'message']);

/** The places of the text of an answer, or of a piece of a stream. */
const answers = ['choices.0.delta.content', 'choices.0.message.content', 'output.0.content.0.text', 'error.message'];

const textOf = (piece: string): string =>
  textAt(piece, textAt(piece, ['type']) === 'response.output_text.delta' ? ['delta'] : answers);

/** The data of a stream's events, each a text. */
const eventsOf = (body: string): string[] =>
  body.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []));

/** The answer of a model; of a stream that is still open, the part that has come. */
function answerOf({ responseBody, outcome }: JournalEntry, stream: OpenedStream | undefined): string {
  if (stream !== undefined) return stream.text;
  if (responseBody === null) return outcome === 'streaming' ? 'A stream, of which nothing was kept' : '';
  const events = eventsOf(responseBody);
  const pieces = events.length > 0 ? events : [responseBody];
  const text = pieces.map(textOf).join('');
  return text === '' ? responseBody.slice(0, 200) : text;
}
