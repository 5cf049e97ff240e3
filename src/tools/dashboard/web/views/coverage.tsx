// Coverage: operations beside the outcomes that the client has met of them, and those that it has not.

import { useSignal } from '@preact/signals';
import type { CoverageReport, CoveredOperation } from '../../../coverage/control.js';
import { Command } from '../components/actions.js';
import { ListView } from '../components/list-view.js';
import { Badge, Empty, KeyValues, Meter, Section, Toggle, toneOf } from '../components/parts.js';
import { useData } from '../live.js';
import { hrefOf } from '../route.js';

const classes = [
  ['2xx', /^2/],
  ['3xx', /^3/],
  ['4xx', /^4/],
  ['5xx', /^5/],
  ['none', /^0$/],
] as const;

export function Coverage() {
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
      instead={(operations) => operations.length > 0 && <Matrix operations={operations} />}
      empty={
        <Empty title="Nothing to show">
          <p>No operation matches the filter, or the client has sent no request yet.</p>
        </Empty>
      }
      detail={(covered) => <OperationParts covered={covered} />}
    >
      <div class="bar">
        {value !== undefined && <Totals report={value} />}
        <Command text="coverage" />
      </div>
    </ListView>
  );
}

function Totals({ report: { totals, notImplemented, unmatched } }: { report: CoverageReport }) {
  return (
    <div class="totals">
      {(['operations', 'errors'] as const).map((kind) => (
        <div key={kind}>
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

function Matrix({ operations }: { operations: readonly CoveredOperation[] }) {
  // Codes that were met come first; both in the order of the alphabet.
  const met = [...new Set(operations.flatMap(({ errors }) => errors.map(({ code }) => code)))].sort();
  const unmet = new Set(operations.flatMap(({ neverMet }) => neverMet));
  const codes = [...met, ...[...unmet].filter((code) => !met.includes(code)).sort()];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled with keys too
    <section class="matrix" aria-label="Operations and outcomes" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Operation</th>
            {classes.map(([name]) => (
              <th key={name} scope="col" class="figure">
                {name}
              </th>
            ))}
            {codes.map((code) => (
              <th key={code} scope="col" class="code-head">
                <span>{code}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {operations.map((covered) => (
            <MatrixRow key={covered.operation} covered={covered} codes={codes} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

// A long name breaks between its words.
const breakable = (name: string) => name.split(/(?<=\.)|(?=[A-Z])/).flatMap((word) => [word, <wbr key={word} />]);

function MatrixRow({ covered, codes }: { covered: CoveredOperation; codes: readonly string[] }) {
  const { operation, requests, errors, neverMet } = covered;
  return (
    <tr class={requests === 0 ? 'unmet' : ''}>
      <th scope="row">
        <a href={hrefOf({ item: operation })}>{breakable(operation)}</a>
      </th>
      {classes.map(([name, pattern]) => {
        const count = countOf(covered, pattern);
        return (
          <td key={name} class={count > 0 ? `figure met c${name}` : 'figure'}>
            {count > 0 ? count : ''}
          </td>
        );
      })}
      {codes.map((code) => {
        const met = errors.find((one) => one.code === code);
        if (met !== undefined)
          return (
            <td key={code} class="figure met c4xx" title={`${code}: ${met.count} met, ${met.forced} of them forced`}>
              {met.count}
            </td>
          );
        return neverMet.includes(code) ? (
          <td key={code} class="figure possible" title={`${code}: declared, never met`}>
            ○
          </td>
        ) : (
          <td key={code} />
        );
      })}
    </tr>
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
