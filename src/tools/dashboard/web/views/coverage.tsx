// Coverage: operations beside the outcomes that the client has met of them, and the assumptions on which responses rest.

import { useSignal } from '@preact/signals';
import type { CoverageReport, CoveredOperation } from '../../../coverage/control.js';
import type { ListedAssumption } from '../../../worlds/info.js';
import { Command } from '../components/actions.js';
import { columnsOf } from '../components/fields.js';
import { ListView, tabbed } from '../components/list-view.js';
import { Matrix } from '../components/matrix.js';
import { Badge, Empty, KeyValues, Meter, Section, Toggle, Two, toneOf } from '../components/parts.js';
import { ResourceView } from '../components/resource-view.js';
import { useData } from '../live.js';
import { commandLine } from '../operation.js';
import { hrefOf } from '../route.js';

const classes = [
  ['2xx', /^2/, 'good'],
  ['3xx', /^3/, 'good'],
  ['4xx', /^4/, 'warning'],
  ['5xx', /^5/, 'bad'],
  ['none', /^0$/, 'bad'],
] as const;

export const Coverage = tabbed({ operations: Operations, assumptions: Assumptions });

function Operations() {
  const { value, error } = useData<CoverageReport>('/coverage', ['request', 'control']);
  const isMetOnly = useSignal(false);
  return (
    <ListView
      title="Coverage"
      note="Operations and the outcomes that the client has met: what a test leaves out."
      error={error}
      filter="Filter operations"
      textOf={({ operation, routes }) => `${operation} ${routes.join(' ')}`}
      isListed={({ requests }) => !isMetOnly.value || requests > 0}
      tools={<Toggle of={isMetOnly}>Met only</Toggle>}
      // Operations that were met come first; each group is in the order of the documents.
      rows={value && [...value.operations].sort((a, b) => Number(b.requests > 0) - Number(a.requests > 0))}
      keyOf={({ operation }) => operation}
      instead={(operations) => operations.length > 0 && <Outcomes operations={operations} />}
      empty={
        <Empty title="Nothing to show">
          <p>No operation matches the filter, or the client has sent no request yet.</p>
        </Empty>
      }
      detail={(covered) => <OperationParts covered={covered} />}
    >
      <div class="bar">
        {value !== undefined && <Totals report={value} />}
        <Command text={commandLine('verdicts')} />
      </div>
    </ListView>
  );
}

function Totals({ report: { totals, notImplemented, unmatched } }: { report: CoverageReport }) {
  return (
    <div class="lead">
      {(['operations', 'errors'] as const).map((kind) => (
        <div key={kind} class="stack">
          <span>
            {`${totals[kind].met} of ${totals[kind].all} ${kind === 'errors' ? 'error codes' : 'operations'}`}
          </span>
          <Meter
            label={`${kind} met`}
            value={totals[kind].met}
            max={totals[kind].all}
            tone={totals[kind].met > 0 ? 'good' : 'neutral'}
          />
        </div>
      ))}
      <span class="faint">○ declared, not met</span>
      {notImplemented.map(({ operation, requests }) => (
        <Badge key={operation} tone="warning">{`${operation}: not implemented, ${requests} ×`}</Badge>
      ))}
      {unmatched > 0 && (
        <Badge tone="warning">{`${unmatched} ${unmatched === 1 ? 'request' : 'requests'} to no operation`}</Badge>
      )}
    </div>
  );
}

// A long name breaks between its words.
const breakable = (name: string) => name.split(/(?<=\.)|(?=[A-Z])/).flatMap((word) => [word, <wbr key={word} />]);

function Outcomes({ operations }: { operations: readonly CoveredOperation[] }) {
  // Codes that were met come first; both in the order of the alphabet.
  const met = [...new Set(operations.flatMap(({ errors }) => errors.map(({ code }) => code)))].sort();
  const unmet = new Set(operations.flatMap(({ neverMet }) => neverMet));
  return (
    <Matrix
      label="Operations and outcomes"
      rows={operations}
      short={classes.map(([name]) => name)}
      long={[...met, ...[...unmet].filter((code) => !met.includes(code)).sort()]}
      link={({ operation, requests }) => (
        <a class={requests === 0 ? 'faint' : ''} href={hrefOf({ item: `operations/${operation}` })}>
          {breakable(operation)}
        </a>
      )}
      markOf={(covered, column) => {
        const [, pattern, tone] = classes.find(([name]) => name === column) ?? [];
        const count = pattern === undefined ? 0 : countOf(covered, pattern);
        if (tone !== undefined) return count > 0 ? [tone, count] : undefined;
        const error = covered.errors.find(({ code }) => code === column);
        if (error !== undefined)
          return ['warning', error.count, `${column}: ${error.count} met, ${error.forced} of them forced`];
        return covered.neverMet.includes(column) ? ['faint', '○', `${column}: declared, never met`] : undefined;
      }}
    />
  );
}

function countOf({ statuses }: CoveredOperation, pattern: RegExp): number {
  let count = 0;
  for (const [status, number] of Object.entries(statuses)) if (pattern.test(status)) count += number;
  return count;
}

function OperationParts({ covered }: { covered: CoveredOperation }) {
  const { operation, routes, summary, requests, statuses, errors, neverMet } = covered;
  return (
    <>
      <p>{summary}</p>
      <KeyValues
        entries={[
          [
            'Routes',
            routes.map((one) => (
              <div key={one} class="path">
                {one}
              </div>
            )),
          ],
          ['Requests', requests],
          [
            'Statuses',
            <span key="statuses" class="lead">
              {Object.entries(statuses).map(([status, count]) => (
                <Badge key={status} tone={toneOf(Number(status))}>
                  {`${status === '0' ? 'no response' : status} × ${count}`}
                </Badge>
              ))}
            </span>,
          ],
        ]}
      />
      {requests > 0 && (
        <p>
          <a href={hrefOf({ view: 'timeline', filter: operation })}>Its requests in the timeline</a>
        </p>
      )}
      <Section title="Errors met">
        <p class="lead">
          {errors.length === 0 && <span class="faint">None</span>}
          {errors.map(({ code, count, forced }) => (
            <Badge key={code} tone="warning">
              {`${code} ${count}${forced > 0 ? `, ${forced} forced` : ''}`}
            </Badge>
          ))}
        </p>
      </Section>
      <Section title="Declared, never met">
        <p class="lead">
          {neverMet.length === 0 && <span class="faint">None</span>}
          {neverMet.map((code) => (
            <Badge key={code}>{code}</Badge>
          ))}
        </p>
      </Section>
    </>
  );
}

/** What is answered where the platform says nothing, and which of it the client has met. */
function Assumptions() {
  const isMetOnly = useSignal(false);
  return (
    <ResourceView<ListedAssumption>
      title="Coverage"
      note="What the emulator assumes where the platform’s documents are silent, and the setting for it."
      operation="assumptions"
      topics={['request']}
      isListed={({ requests }) => !isMetOnly.value || requests > 0}
      tools={<Toggle of={isMetOnly}>Met by requests</Toggle>}
      columns={[
        ...columnsOf<ListedAssumption>('requests'),
        {
          title: 'What is assumed',
          width: 'minmax(0, 4fr)',
          cell: ({ id, text }) => <Two first={<code>{id}</code>} second={text} />,
        },
        ...columnsOf<ListedAssumption>('setting? level?'),
      ]}
      lines={2}
    />
  );
}
