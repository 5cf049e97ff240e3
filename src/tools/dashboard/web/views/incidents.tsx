// Incidents: what is known of recordings that became scenarios, and their timeline over that of the proof.

import type { Incident } from '../../../incidents/control.js';
import type { Fact } from '../../../incidents/facts.js';
import type { Step } from '../../../incidents/timeline.js';
import { Command } from '../components/actions.js';
import { type LaneStretch, Lanes } from '../components/lanes.js';
import { ListView } from '../components/list-view.js';
import { Badge, Empty, Problem, Section, Status, type Tone, Two } from '../components/parts.js';
import { useData } from '../live.js';
import { commandLine } from '../operation.js';
import { shellQuoted } from '../text.js';

const tones: Record<Fact['kind'], Tone> = { seen: 'good', inferred: 'neutral', assumed: 'warning', unknown: 'bad' };
const kinds = Object.keys(tones) as Fact['kind'][];

export function Incidents() {
  const { value, error, reload } = useData<{ incidents: Incident[] }>('/incidents', ['control']);
  return (
    <ListView
      title="Incidents"
      note="Recorded traffic that became a scenario: how each part of it is known."
      error={error}
      filter="Filter incidents"
      textOf={({ name, facts }) => `${name} ${facts.map(({ text }) => text).join(' ')}`}
      tools={
        <button type="button" onClick={reload}>
          Read again
        </button>
      }
      rows={value?.incidents}
      columns={[
        {
          title: 'Name',
          width: 'minmax(0, 4fr)',
          cell: ({ name, problem, steps }) => (
            <Two first={<strong>{name}</strong>} second={problem ?? `${steps.length} requests`} />
          ),
        },
        ...kinds.map((kind) => ({
          title: kind,
          width: '4.5rem',
          align: 'end' as const,
          cell: ({ facts }: Incident) => facts.filter((one) => one.kind === kind).length,
        })),
      ]}
      lines={2}
      isWide
      keyOf={({ name }) => name}
      empty={
        <Empty title="No incident was imported in this project">
          <p>The command above makes a scenario of recorded traffic, such as a HAR that a browser has saved.</p>
        </Empty>
      }
      detail={(incident) => <Parts incident={incident} />}
    >
      <div class="bar">
        <Command text={commandLine('import incident.har', '')} />
      </div>
    </ListView>
  );
}

function Parts({ incident: { scenario, problem, facts, steps } }: { incident: Incident }) {
  return (
    <>
      <Problem text={problem ?? ''} />
      <Command text={commandLine(`run ${shellQuoted(scenario)} -- npm test`, '')} />
      {steps.length > 0 && (
        <Section title="Then: the recording. Now: its proof">
          <Lanes
            now={undefined}
            lanes={[
              {
                title: 'Then',
                stretches: steps.map((step) => stretchOf(step, String(step.status || 'no answer'))),
              },
              { title: 'Now', stretches: steps.map((step) => stretchOf(step, step.came ?? 'as recorded')) },
            ]}
          />
          <ol class="stack">
            {steps.map(({ entry, method, operation, status, came }) => (
              <li key={entry}>
                <span class="faint">{entry}</span> <Status of={status} /> {method} {operation ?? ''}{' '}
                {came !== null && <Badge tone="bad">{came}</Badge>}
              </li>
            ))}
          </ol>
        </Section>
      )}
      <Section title="How it is known">
        <ul class="stack">
          {facts.map(({ kind, text, entries }) => (
            <li key={`${kind} ${text}`}>
              <Badge tone={tones[kind]}>{kind}</Badge> {text}{' '}
              {entries.length > 0 && <span class="faint">{`(entries ${entries.join(', ')})`}</span>}
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

// In the words that have a colour: an error is a failure of the request, whatever the client made of it.
function stretchOf({ at, ms, method, operation, status, came }: Step, result: string): LaneStretch {
  const tone =
    came !== null ? 'unclear' : status === 0 || status >= 500 ? 'failed' : status >= 400 ? 'stopped' : 'pass';
  return {
    status: tone,
    at,
    end: new Date(Date.parse(at) + ms).toISOString(),
    endedBy: result,
    error: `${method} ${operation ?? ''}`,
  };
}
