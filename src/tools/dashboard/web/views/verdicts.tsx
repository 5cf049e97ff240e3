// Verdicts: what the client does well and what it does not, with the requests that show it.

import type { VerdictReport } from '../../../verdicts/control.js';
import type { Outcome, Verdict } from '../../../verdicts/verdict.js';
import { Command } from '../components/form.js';
import { ListView } from '../components/list.js';
import { Badge, Instant, InTimeline, Notes, Section, Status } from '../components/parts.js';
import { commandLine, useData } from '../emulator.js';
import { countText } from '../text.js';

// Verdicts that need work come first.
const order: readonly string[] = ['fail', 'unclear', 'pass', 'not-exercised'] satisfies Outcome[];

/** In a narrower list the reasons stand beneath the rules. */
const whyPx = 600;

export function Verdicts() {
  const { value, error } = useData<VerdictReport>('/verdicts', ['request', 'control', 'clock']);
  return (
    <ListView
      label="Verdicts"
      error={error}
      filter="Filter verdicts"
      textOf={({ rule, title, verdict, summary }) => `${rule} ${title} ${verdict.replace('-', ' ')} ${summary}`}
      rows={value && [...value.verdicts].sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict))}
      columns={`verdict rule/id:minmax(0,18rem) summary:3fr?${whyPx} evidence?${whyPx}`}
      cells={{
        rule: ({ title }) => title,
        id: ({ rule, summary }, width) => (width < whyPx ? summary : <code>{rule}</code>),
        summary: ({ summary }) => <span class="wraps faint">{summary}</span>,
        evidence: ({ evidence, furtherEvidence }) => evidence.length + furtherEvidence || <span class="faint">–</span>,
      }}
      lines={2}
      keyOf={({ rule }) => rule}
      none="No verdict fits"
      titleOf={({ title }) => title}
      detail={(verdict) => <VerdictParts verdict={verdict} />}
      bar={
        <>
          {value !== undefined && <Counts report={value} />}
          <Command text={commandLine('verdicts')} />
          {value?.complete === false && (
            <p class="faint">{`The journal no longer holds ${value.dropped} records: the setting data.journal keeps more.`}</p>
          )}
        </>
      }
    />
  );
}

function Counts({ report: { pass, fail, unclear, notExercised, requests } }: { report: VerdictReport }) {
  return (
    <div class="lead">
      <Badge tone={fail > 0 ? 'bad' : 'neutral'}>{`${fail} fail`}</Badge>
      <Badge tone={unclear > 0 ? 'warning' : 'neutral'}>{`${unclear} unclear`}</Badge>
      <Badge tone={pass > 0 ? 'good' : 'neutral'}>{`${pass} pass`}</Badge>
      <Badge>{`${notExercised} not exercised`}</Badge>
      <span class="faint">{countText(requests, 'request')}</span>
    </div>
  );
}

function VerdictParts({ verdict: { rule, verdict, summary, evidence, furtherEvidence } }: { verdict: Verdict }) {
  const isUntried = verdict === 'not-exercised';
  const none = isUntried ? 'No request has led there yet: a scenario or a fault can.' : 'No request speaks against it.';
  return (
    <>
      <p class="lead">
        <Status of={verdict} /> <code>{rule}</code>
      </p>
      <p>{summary}</p>
      <Section title="Evidence">
        {evidence.length === 0 && <p class="faint">{none}</p>}
        <Notes
          of={evidence.map(({ requestId, at, method, path, message }) => (
            <>
              {requestId !== null && (
                <InTimeline of={requestId}>
                  <strong>{method}</strong> <code>{path}</code>
                </InTimeline>
              )}
              <div>{message}</div>
              <div class="faint">{at !== null && <Instant at={at} />}</div>
            </>
          ))}
        />
        {furtherEvidence > 0 && <p class="faint">{`and ${furtherEvidence} more`}</p>}
      </Section>
    </>
  );
}
