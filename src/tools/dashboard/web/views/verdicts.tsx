// Verdicts: what the client does well and what it does not, with the requests that show it.

import type { VerdictReport } from '../../../verdicts/control.js';
import type { Evidence, Outcome, Verdict } from '../../../verdicts/verdict.js';
import { Command } from '../components/actions.js';
import type { Column } from '../components/list.js';
import { ListView } from '../components/list-view.js';
import { Badge, Empty, Instant, Section, Two, toneOf } from '../components/parts.js';
import { useData } from '../live.js';
import { commandLine } from '../operation.js';
import { hrefOf } from '../route.js';

// Verdicts that need work come first.
const order: readonly string[] = ['fail', 'unclear', 'pass', 'not-exercised'] satisfies Outcome[];

export function Verdicts() {
  const { value, error } = useData<VerdictReport>('/verdicts', ['request', 'control', 'clock']);
  return (
    <ListView
      title="Verdicts"
      note="What the client does well and what it does not, judged by its requests."
      error={error}
      filter="Filter verdicts"
      textOf={({ rule, title, verdict, summary }) => `${rule} ${title} ${wordsOf(verdict)} ${summary}`}
      rows={value && [...value.verdicts].sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict))}
      columns={columns}
      lines={2}
      keyOf={({ rule }) => rule}
      empty={<Empty title="No verdict fits" />}
      titleOf={({ title }) => title}
      detail={(verdict) => <VerdictParts verdict={verdict} />}
    >
      <div class="bar">
        {value !== undefined && <Counts report={value} />}
        <Command text={commandLine('verdicts')} />
        {value?.complete === false && (
          <p class="faint">{`The journal no longer holds ${value.dropped} records: the setting data.journal keeps more.`}</p>
        )}
      </div>
    </ListView>
  );
}

function Counts({ report: { pass, fail, unclear, notExercised, requests } }: { report: VerdictReport }) {
  return (
    <div class="lead">
      <Badge tone={fail > 0 ? 'bad' : 'neutral'}>{`${fail} fail`}</Badge>
      <Badge tone={unclear > 0 ? 'warning' : 'neutral'}>{`${unclear} unclear`}</Badge>
      <Badge tone={pass > 0 ? 'good' : 'neutral'}>{`${pass} pass`}</Badge>
      <Badge>{`${notExercised} not exercised`}</Badge>
      <span class="faint">{`${requests} requests`}</span>
    </div>
  );
}

/** In a narrower list the reasons stand beneath the rules. */
const whyPx = 600;

const columns: readonly Column<Verdict>[] = [
  {
    title: 'Verdict',
    width: '8.5rem',
    cell: ({ verdict }) => <Badge tone={toneOf(verdict)}>{wordsOf(verdict)}</Badge>,
  },
  {
    title: 'Rule',
    width: 'minmax(0, 18rem)',
    cell: ({ title, rule, summary }, width) => (
      <Two first={title} second={width < whyPx ? summary : <code>{rule}</code>} />
    ),
  },
  {
    title: 'Why',
    width: 'minmax(0, 3fr)',
    minor: whyPx,
    cell: ({ summary }) => <span class="wraps faint">{summary}</span>,
  },
  {
    title: 'Evidence',
    width: '5rem',
    minor: whyPx,
    align: 'end',
    cell: ({ evidence, furtherEvidence }) => evidence.length + furtherEvidence || <span class="faint">–</span>,
  },
];

function wordsOf(verdict: Outcome): string {
  return verdict.replace('-', ' ');
}

function VerdictParts({ verdict: { rule, verdict, summary, evidence, furtherEvidence } }: { verdict: Verdict }) {
  return (
    <>
      <p class="lead">
        <Badge tone={toneOf(verdict)}>{wordsOf(verdict)}</Badge> <code>{rule}</code>
      </p>
      <p>{summary}</p>
      <Section title="Evidence">
        {evidence.length === 0 && (
          <p class="faint">
            {verdict === 'not-exercised'
              ? 'No request has led there yet: a scenario or a fault can.'
              : 'No request speaks against it.'}
          </p>
        )}
        <ul class="notes">
          {evidence.map((one, index) => (
            <li key={`${one.requestId ?? ''}-${index}`}>
              <EvidenceLine evidence={one} />
            </li>
          ))}
        </ul>
        {furtherEvidence > 0 && <p class="faint">{`and ${furtherEvidence} more`}</p>}
      </Section>
    </>
  );
}

function EvidenceLine({ evidence: { requestId, at, method, path, message } }: { evidence: Evidence }) {
  return (
    <>
      {requestId === null ? null : (
        <a href={hrefOf({ view: 'timeline', filter: requestId })}>
          <strong>{method}</strong> <code>{path}</code>
        </a>
      )}
      <div>{message}</div>
      {at !== null && (
        <div class="faint">
          <Instant at={at} />
        </div>
      )}
    </>
  );
}
