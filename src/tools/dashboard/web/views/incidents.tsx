// Incidents: what is known of recordings that became scenarios, and their timeline over that of the proof.

import type { Incident } from '../../../incidents/control.js';
import type { Fact } from '../../../incidents/facts.js';
import type { Step } from '../../../incidents/timeline.js';
import { type Lane, Lanes } from '../components/charts.js';
import { Command } from '../components/form.js';
import { ListView } from '../components/list.js';
import { Badge, Notes, Problem, Section, Status, type Tone } from '../components/parts.js';
import { commandLine, useData } from '../emulator.js';
import { countText, shellQuoted } from '../text.js';

const tones: Record<Fact['kind'], Tone> = { seen: 'good', inferred: 'neutral', assumed: 'warning', unknown: 'bad' };

const countOf = (kind: Fact['kind']) => (incident: Incident) =>
  incident.facts.filter((one) => one.kind === kind).length;

export function Incidents() {
  const { value, error, reload } = useData<{ incidents: Incident[] }>('/incidents', ['control']);
  return (
    <ListView
      label="Incidents"
      error={error}
      filter="Filter incidents"
      textOf={({ name, facts }) => `${name} ${facts.map(({ text }) => text).join(' ')}`}
      tools={
        <button type="button" onClick={reload}>
          Read again
        </button>
      }
      rows={value?.incidents}
      columns="name/steps:4fr seen:4.5rem inferred:4.5rem assumed:4.5rem unknown:4.5rem"
      cells={{
        steps: ({ problem, steps }) => problem ?? countText(steps.length, 'request'),
        seen: countOf('seen'),
        inferred: countOf('inferred'),
        assumed: countOf('assumed'),
        unknown: countOf('unknown'),
      }}
      lines={2}
      isWide
      keyOf={({ name }) => name}
      none="No incident was imported in this project"
      hint="The command above makes a scenario of recorded traffic, such as a HAR that a browser has saved."
      detail={(incident) => <Parts incident={incident} />}
      bar={<Command text={commandLine('import incident.har', '')} />}
    />
  );
}

function Parts({ incident: { scenario, problem, facts, steps } }: { incident: Incident }) {
  const then = steps.map((step) => stretchOf(step, String(step.status || 'no answer')));
  const came = steps.map((step) => stretchOf(step, step.came ?? 'as recorded'));
  return (
    <>
      <Problem text={problem} />
      <Command text={commandLine(`run ${shellQuoted(scenario)} -- npm test`, '')} />
      {steps.length > 0 && (
        <Section title="Then: the recording. Now: its proof">
          <Lanes now={undefined} lanes={{ Then: then, Now: came }} />
          <Notes
            of={steps.map(({ entry, method, operation, status, came: answer }) => (
              <>
                <span class="faint">{entry}</span> <Status of={status} /> {method} {operation}{' '}
                {answer !== null && <Badge tone="bad">{answer}</Badge>}
              </>
            ))}
          />
        </Section>
      )}
      <Notes
        title="How it is known"
        of={facts.map(({ kind, text, entries }) => (
          <>
            <Badge tone={tones[kind]}>{kind}</Badge> {text}{' '}
            {entries.length > 0 && <span class="faint">{`(entries ${entries.join(', ')})`}</span>}
          </>
        ))}
      />
    </>
  );
}

// In the words that have a colour: an error is a failure of the request, whatever the client made of it.
function stretchOf({ at, ms, method, operation, status, came }: Step, endedBy: string): Lane[number] {
  const answer = status === 0 || status >= 500 ? 'failed' : status >= 400 ? 'stopped' : 'pass';
  return {
    status: came !== null ? 'unclear' : answer,
    at,
    end: new Date(Date.parse(at) + ms).toISOString(),
    endedBy,
    error: `${method} ${operation ?? ''}`,
  };
}
