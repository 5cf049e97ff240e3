// Coverage: operations beside the outcomes that the client has met of them, and the assumptions on which responses rest.

import { useSignal } from '@preact/signals';
import type { CoverageReport, CoveredOperation } from '../../../coverage/control.js';
import type { ListedAssumption } from '../../../worlds/info.js';
import { Command } from '../components/form.js';
import { ListView, ResourceView, tabbed } from '../components/list.js';
import {
  Badge,
  InTimeline,
  KeyValues,
  Matrix,
  Meter,
  Section,
  Toggle,
  type Tone,
  toneOf,
} from '../components/parts.js';
import { commandLine, useData } from '../emulator.js';
import { hrefOf } from '../page.js';
import { countText } from '../text.js';

export const Coverage = tabbed({ operations: Operations, assumptions: Assumptions });

function Operations() {
  const { value, error } = useData<CoverageReport>('/coverage', ['request', 'control']);
  const isMetOnly = useSignal(false);
  return (
    <ListView
      label="Operations"
      error={error}
      filter="Filter operations"
      textOf={({ operation, routes }) => `${operation} ${routes.join(' ')}`}
      isListed={({ requests }) => !isMetOnly.value || requests > 0}
      tools={<Toggle of={isMetOnly}>Met only</Toggle>}
      // Operations that were met come first; each group is in the order of the documents.
      rows={value && [...value.operations].sort((a, b) => Number(b.requests > 0) - Number(a.requests > 0))}
      keyOf={({ operation }) => operation}
      instead={(operations) => operations.length > 0 && <Outcomes operations={operations} />}
      none="Nothing to show"
      hint="No operation matches the filter, or the client has sent no request yet."
      detail={(covered) => <OperationParts covered={covered} />}
      bar={
        <>
          {value !== undefined && <Totals report={value} />}
          <Command text={commandLine('verdicts')} />
        </>
      }
    />
  );
}

interface ShareProps {
  /** How it is called for screen readers. */
  label: string;
  count: number;
  of: number;
  what: string;
  tone: 'good' | 'warning' | 'neutral';
}

/** So many of all, as a text and as a bar. */
export function Share({ label, count, of, what, tone }: ShareProps) {
  return (
    <div class="stack">
      <span>{`${count} of ${of} ${what}`}</span>
      <Meter label={label} value={count} max={of} tone={tone} />
    </div>
  );
}

function Totals({ report: { totals, notImplemented, unmatched } }: { report: CoverageReport }) {
  return (
    <div class="lead">
      {(['operations', 'errors'] as const).map((kind) => {
        const { met, all } = totals[kind];
        const what = kind === 'errors' ? 'error codes' : kind;
        return (
          <Share
            key={kind}
            label={`${kind} met`}
            count={met}
            of={all}
            what={what}
            tone={met > 0 ? 'good' : 'neutral'}
          />
        );
      })}
      <span class="faint">○ declared, not met</span>
      {notImplemented.map(({ operation, requests }) => (
        <Badge key={operation} tone="warning">{`${operation}: not implemented, ${requests} ×`}</Badge>
      ))}
      {unmatched > 0 && <Badge tone="warning">{`${countText(unmatched, 'request')} to no operation`}</Badge>}
    </div>
  );
}

// A long name breaks between its words.
const breakable = (name: string) => name.split(/(?<=\.)|(?=[A-Z])/).flatMap((word) => [word, <wbr key={word} />]);

function Outcomes({ operations }: { operations: readonly CoveredOperation[] }) {
  // Codes that were met come first; both in the order of the alphabet.
  const met = operations.flatMap(({ errors }) => errors.map(({ code }) => code)).sort();
  const unmet = operations.flatMap(({ neverMet }) => neverMet).sort();
  return (
    <Matrix
      label="Operations and outcomes"
      rows={operations}
      short={['2xx', '3xx', '4xx', '5xx', 'none']}
      long={[...new Set([...met, ...unmet])]}
      link={({ operation, requests }) => (
        <a class={requests === 0 ? 'faint' : ''} href={hrefOf({ item: `operations/${operation}` })}>
          {breakable(operation)}
        </a>
      )}
      markOf={({ statuses, errors, neverMet }, column) => {
        // 0 is the status of no response.
        const own = Object.entries(statuses).filter(([status]) => status[0] === (column === 'none' ? '0' : column[0]));
        if (/^\dxx$|^none$/.test(column))
          return own[0] && [toneOf(Number(own[0][0])), own.reduce((sum, [, count]) => sum + count, 0)];
        const error = errors.find(({ code }) => code === column);
        if (error !== undefined)
          return ['warning', error.count, `${column}: ${error.count} met, ${error.forced} of them forced`];
        return neverMet.includes(column) ? ['faint', '○', `${column}: declared, never met`] : undefined;
      }}
    />
  );
}

function OperationParts({ covered }: { covered: CoveredOperation }) {
  const { operation, routes, summary, requests, statuses, errors, neverMet } = covered;
  const badges = (texts: readonly string[], toneFor: (text: string) => Tone) => (
    <p class="lead">
      {texts.length === 0 && <span class="faint">None</span>}
      {texts.map((text) => (
        <Badge key={text} tone={toneFor(text)}>
          {text}
        </Badge>
      ))}
    </p>
  );
  const met = errors.map(({ code, count, forced }) => `${code} ${count}${forced > 0 ? `, ${forced} forced` : ''}`);
  const answers = Object.entries(statuses).map(
    ([status, count]) => `${status === '0' ? 'no response' : status} × ${count}`,
  );
  return (
    <>
      <p>{summary}</p>
      <KeyValues
        entries={[
          [
            'Routes',
            <div key="routes">
              {routes.map((one) => (
                <div key={one}>{one}</div>
              ))}
            </div>,
          ],
          ['Requests', requests],
          ['Statuses', badges(answers, (text) => toneOf(Number.parseInt(text, 10) || 0))],
        ]}
      />
      {requests > 0 && (
        <p>
          <InTimeline of={operation}>Its requests in the timeline</InTimeline>
        </p>
      )}
      <Section title="Errors met">{badges(met, () => 'warning')}</Section>
      <Section title="Declared, never met">{badges(neverMet, () => 'neutral')}</Section>
    </>
  );
}

/** What is answered where the platform says nothing, and which of it the client has met. */
function Assumptions() {
  const isMetOnly = useSignal(false);
  return (
    <ResourceView<ListedAssumption>
      note="What the emulator assumes where the platform’s documents are silent, and the setting for it."
      operation="assumptions"
      topics={['request']}
      isListed={({ requests }) => !isMetOnly.value || requests > 0}
      tools={<Toggle of={isMetOnly}>Met by requests</Toggle>}
      columns="requests id/text:4fr state since? setting? level?"
      lines={2}
    />
  );
}
