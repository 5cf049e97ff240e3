// A request in full: what came, what went, why, what it changed, who cites it, and how to send it again.

import { useContext } from 'preact/hooks';
import type { LedgerEntry } from '../../../../platform/credits/control.js';
import type { Fault } from '../../../faults/views.js';
import type { RequestDetails } from '../../../journal/control.js';
import type { JournalEntry } from '../../../journal/journal-entry.js';
import type { VerdictReport } from '../../../verdicts/control.js';
import type { ListedAssumption } from '../../../worlds/info.js';
import { get } from '../api.js';
import { Actions } from '../components/actions.js';
import { Copy } from '../components/copy.js';
import { Body } from '../components/json.js';
import { KeyValues, Problem, Section, Status } from '../components/parts.js';
import { ChangedRows } from '../components/row-changes.js';
import { useData } from '../live.js';
import { RequestWorld, useRequestData } from '../request-world.js';
import { hrefOf } from '../route.js';
import { creditsText, durationText, signedText } from '../text.js';
import { Caller } from './caller.js';
import { effectText } from './fault-text.js';
import { asCurl, asFaultRule, asFetch, asTest } from './request-copies.js';
import { InHistory, SendAgain, Why } from './request-history.js';
import { StreamPart } from './stream.js';
import { kindOfSubject, SubjectLink } from './subject-link.js';

export function RequestParts({ requestId }: { requestId: string }) {
  const { value: request, error } = useRequestData<RequestDetails>(`/requests/${encodeURIComponent(requestId)}`, []);
  const world = useContext(RequestWorld);
  if (request === undefined) return error === '' ? <p class="faint">Reading…</p> : <Problem text={error} />;
  const { operation, fault } = request;
  const isStream = request.responseHeaders['content-type']?.startsWith('text/event-stream') === true;
  return (
    <>
      <KeyValues
        entries={[
          ['Operation', operation === null ? 'none matches' : <code>{operation}</code>],
          ['Error', request.errorCode],
          [
            'Outcome',
            request.outcome === 'answered' || request.outcome === 'streaming' ? null : outcomes[request.outcome],
          ],
          ['Caller', <Caller key="caller" caller={request.caller} />],
          ['Took', durationText(request.durationMs)],
          ['Retry after', request.retryAfter === null ? null : `${request.retryAfter} s`],
          ['Request id', <code key="id">{requestId}</code>],
        ]}
      />
      {fault !== null && <FaultPart id={fault} />}
      <fieldset class="lead" aria-label="Copy">
        <Copy text={() => asCurl(request)}>Copy as curl</Copy>
        <Copy text={() => asFetch(request)}>Copy as fetch</Copy>
        <Copy text={() => testOf(request, world)}>Copy as a test</Copy>
        <Copy text={() => JSON.stringify(asFaultRule(request), null, 2)}>Copy as a fault rule</Copy>
      </fieldset>
      {warningsOf(request).length > 0 && (
        <Section title="Warnings">
          <ul class="notes warning">
            {warningsOf(request).map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Section>
      )}
      {request.status >= 400 && <Why requestId={requestId} />}
      <Changes request={request} />
      <InHistory requestId={requestId} />
      <Section title="Request" tools={<CopyBody of="request" text={request.requestBody} />}>
        <Headers headers={request.requestHeaders} />
        <Body text={request.requestBody} />
      </Section>
      <Section title="Response" tools={<CopyBody of="response" text={request.responseBody} />}>
        <Headers headers={request.responseHeaders} />
        {!isStream && <Body text={request.responseBody} />}
      </Section>
      {isStream && <StreamPart requestId={requestId} />}
      <Verdicts requestId={requestId} />
      <Assumptions ids={request.assumptions} />
      <SendAgain request={request} />
      <Section title="Make the next one fail">
        <Arm request={request} />
        <p>
          <a href={hrefOf({ view: 'faults', item: `new ${requestId}` })}>Arm another fault</a>
        </p>
      </Section>
    </>
  );
}

async function testOf(request: RequestDetails, world: string | undefined): Promise<string> {
  const { requests } = await get<{ requests: JournalEntry[] }>('/requests', { limit: 10_000 }, undefined, world);
  return asTest(request, requests);
}

function CopyBody({ of, text }: { of: 'request' | 'response'; text: string | null }) {
  if (text === null || text === '') return null;
  return <Copy text={text} of={`the body of the ${of}`} />;
}

const outcomes = {
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

function Headers({ headers }: { headers: Record<string, string> }) {
  const names = Object.keys(headers);
  return (
    <details>
      <summary>{names.length} headers</summary>
      <KeyValues entries={names.map((name) => [name, headers[name]])} />
    </details>
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
          {word} <SubjectLink kind={kindOfSubject(operation)} id={subject} /> <span aria-hidden="true">·</span>{' '}
          <a href={hrefOf({ view: 'timeline', filter: subject })}>All about it</a>
        </p>
      )}
      {movements.map(({ id, reason, type, amount, balanceBefore, balanceAfter }) => (
        <p key={id} class="bar">
          <span>
            {reason} <small class="faint">{type}</small>
          </span>
          <span>
            {creditsText(balanceBefore)} → {creditsText(balanceAfter)} <strong>{signedText(amount)}</strong>
          </span>
        </p>
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
          <span class="faint">
            {effectText(value.effect)}, {value.hits === 1 ? 'hit once' : `${value.hits} hits`}
          </span>
        )}
      </p>
    </Section>
  );
}

function Verdicts({ requestId }: { requestId: string }) {
  const { value } = useRequestData<VerdictReport>('/verdicts');
  const citing = (value?.verdicts ?? []).flatMap(({ rule, title, verdict, evidence }) => {
    const found = evidence.find((one) => one.requestId === requestId);
    return found === undefined ? [] : [{ rule, title, verdict, message: found.message }];
  });
  if (citing.length === 0) return null;
  return (
    <Section title="Verdicts that name it">
      {citing.map(({ rule, title, verdict, message }) => (
        <p key={rule}>
          <Status of={verdict} /> <a href={hrefOf({ view: 'verdicts', item: rule })}>{title}</a>
          <br />
          <span class="faint">{message}</span>
        </p>
      ))}
    </Section>
  );
}

function Assumptions({ ids }: { ids: readonly string[] }) {
  const { value } = useData<{ assumptions: ListedAssumption[] }>('/assumptions');
  const named = value?.assumptions.filter(({ id }) => ids.includes(id)) ?? [];
  if (named.length === 0) return null;
  return (
    <Section title="Assumptions it rests on">
      <ul class="notes">
        {named.map(({ id, text, setting }) => (
          <li key={id}>
            {text} {setting !== undefined && <code>{setting}</code>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Arm({ request }: { request: JournalEntry }) {
  const rule = asFaultRule(request);
  return (
    <Actions
      label="Arm a fault"
      actions={[503, 429, 402].map((status) => ({
        label: `Fail the next one with ${status}`,
        operation: 'faults.add',
        input: { ...rule, effect: { status } },
        done: `The next ${request.operation ?? request.path} gets ${status}`,
      }))}
    />
  );
}
