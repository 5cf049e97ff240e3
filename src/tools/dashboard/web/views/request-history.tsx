// What a request has to do with the history: why it was answered so, the worlds that can begin at it, and how it would
// have been answered otherwise.

import { useSignal } from '@preact/signals';
import { useContext } from 'preact/hooks';
import type { HistoryDetails } from '../../../history/schema.js';
import type { JournalEntry } from '../../../journal/journal-entry.js';
import type { ChangedTable } from '../../../journal/row-changes.js';
import type { WhyAnswer } from '../../../why/schema.js';
import type { RerunResult } from '../../../worlds/rerun.js';
import { pageOf, worldId } from '../api.js';
import { Actions } from '../components/actions.js';
import { Field, type Texts } from '../components/form.js';
import { Body } from '../components/json.js';
import { Section, Status } from '../components/parts.js';
import { ChangedRows } from '../components/row-changes.js';
import { call, commandLine, commandOf, flagOfWorld } from '../operation.js';
import { RequestWorld, useRequestData } from '../request-world.js';
import { hrefOf } from '../route.js';
import { set } from '../set.js';
import { beginAt, standAt } from '../standing.js';

/** The earlier points that an error depended on; nothing where no rule has read any. */
export function Why({ requestId }: { requestId: string }) {
  const { value } = useRequestData<WhyAnswer>('/why', [], { requestId });
  if (value === undefined || value.chain.length === 0) return null;
  return (
    <Section title="Why">
      <p>{value.reason}</p>
      <ul class="notes">
        {value.chain.map(({ point, because, summary, requestId: cause }) => (
          <li key={point}>
            {because} <br />
            <span class="faint">
              Point {point}: {summary}
            </span>{' '}
            {cause !== null && <a href={hrefOf({ view: 'timeline', filter: cause })}>Show it</a>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The changes of a request in a few words, and the worlds that begin at it; nothing where the history does not hold it. */
export function InHistory({ requestId }: { requestId: string }) {
  const { value: point } = useRequestData<HistoryDetails>(`/history/${encodeURIComponent(requestId)}`, []);
  const of = flagOfWorld(useContext(RequestWorld) ?? worldId);
  if (point === undefined) return null;
  return (
    <Section title={`Point ${point.point} of the history`}>
      <ul class="notes">
        {point.changes.map(({ table, key, words }) => (
          <li key={`${table} ${key}`}>{words}</li>
        ))}
      </ul>
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
export function SendAgain({ request }: { request: JournalEntry }) {
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
  return (
    <>
      <div class="fields">
        <Side title="As it was" answer={original} changes={changes.original} />
        <Side title="Sent again" answer={rerun} changes={changes.rerun} />
      </div>
      {world !== null && (
        <p>
          <a href={`${pageOf(world)}#/timeline`}>Go on in its world, {world}</a>
        </p>
      )}
    </>
  );
}

interface SideProps {
  title: string;
  answer: RerunResult['original'];
  changes: readonly ChangedTable[] | null;
}

function Side({ title, answer: { status, errorCode, body }, changes }: SideProps) {
  return (
    <section aria-label={title}>
      <h4>
        {title} <Status of={status} /> {errorCode !== null && <code>{errorCode}</code>}
      </h4>
      <Body text={body} />
      {changes === null ? <p class="faint">Its rows are not known</p> : <ChangedRows tables={changes} />}
    </section>
  );
}
