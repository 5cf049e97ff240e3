// Scenarios: how worlds can begin, and what this one's expects of the client.

import type { ScenarioDocument, ScenarioInfo } from '../../../scenarios/control.js';
import type { ExpectationReport } from '../../../scenarios/expectations.js';
import { Command } from '../components/actions.js';
import { Json } from '../components/json.js';
import { useItem } from '../components/list-view.js';
import { Badge, Meter, Problem, Section, Two } from '../components/parts.js';
import { ResourceView } from '../components/resource-view.js';
import { useData } from '../live.js';
import { commandLine } from '../operation.js';
import { hrefOf } from '../route.js';
import { shellQuoted } from '../text.js';

/** The item that opens the expectations; no scenario can be called so. */
const expectationsItem = '~expectations';
const topics = ['request', 'control', 'clock', 'container', 'second'] as const;

export function Scenarios() {
  const [item] = useItem();
  return (
    <ResourceView<ScenarioInfo>
      title="Scenarios"
      note="How a world can begin: data, clock, faults, limits, and what is expected."
      operation="scenarios.list"
      topics={['control']}
      id="name"
      lines={2}
      columns={[
        {
          title: 'Name',
          width: 'minmax(0, 5fr)',
          cell: ({ name, title, problems }) => <Two first={<strong>{name}</strong>} second={problems[0] ?? title} />,
        },
        {
          title: 'Whose',
          width: '6rem',
          cell: ({ source, problems }) =>
            problems.length > 0 ? <Badge tone="bad">unusable</Badge> : <span class="faint">{source}</span>,
        },
      ]}
      making={{
        label: 'Save this world',
        operation: 'scenarios.save',
        fields: 'name title',
        known: { name: { placeholder: 'three-running' } },
        done: 'The world is saved',
      }}
      pane={item === expectationsItem && { title: 'Expectations', content: <Expectations /> }}
      actions={({ problems }, name) => [
        {
          label: 'Apply',
          operation: 'scenarios.apply',
          input: { name },
          command: commandLine(`scenario apply ${shellQuoted(name)}`),
          done: `The world begins anew with ${name}`,
          disabled: problems.length > 0,
          isDangerous: true,
        },
        {
          label: 'Merge',
          operation: 'scenarios.apply',
          input: { name, merge: true },
          command: commandLine(`scenario apply ${shellQuoted(name)} --merge`),
          done: `${name} is added to the world`,
          disabled: problems.length > 0,
        },
      ]}
      more={(scenario) => <Content scenario={scenario} />}
    >
      <Summary />
    </ResourceView>
  );
}

function Content({ scenario: { name, problems } }: { scenario: ScenarioInfo }) {
  const { value, error } = useData<ScenarioDocument>(`/scenarios/${encodeURIComponent(name)}`, ['control']);
  return (
    <>
      <p class="faint">Apply empties the world first; merge keeps the existing data.</p>
      <Section title="Document">
        <Problem text={problems.length === 0 ? error : ''} />
        {value !== undefined && (
          <div class="code">
            <Json value={value.document} />
          </div>
        )}
      </Section>
    </>
  );
}

function Summary() {
  const { value } = useData<ExpectationReport>('/expectations', topics);
  if (value === undefined) return null;
  const { scenario, ok, passed, failed } = value;
  return (
    <div class="bar">
      <div class="stack">
        <span>{`${passed} of ${passed + failed} expectations met`}</span>
        <Meter
          label="Expectations met"
          value={passed}
          max={passed + failed}
          tone={ok ? 'good' : failed > 0 ? 'warning' : 'neutral'}
        />
      </div>
      <span class="faint">
        {scenario === null ? 'This world did not begin with a scenario.' : `This world began with ${scenario}.`}
      </span>
      <a href={hrefOf({ item: expectationsItem })}>Show the expectations</a>
    </div>
  );
}

/** The expectations that the world's scenario has of the client, turning green as requests come. */
function Expectations() {
  const { value, error } = useData<ExpectationReport>('/expectations', topics);
  if (value === undefined) return error === '' ? <p class="faint">Reading…</p> : <Problem text={error} />;
  return (
    <>
      <p class="lead">
        <Badge tone={value.ok ? 'good' : 'warning'}>{value.ok ? 'all met' : `${value.failed} not met`}</Badge>
        <span class="faint">{`${value.requests} requests since it began`}</span>
      </p>
      <Command text={commandLine('verdicts')} />
      <ul class="notes">
        {value.expectations.map(({ what, ok, expected, actual, evidence }, index) => (
          <li key={`${what}-${index}`}>
            <p>
              <Badge tone={ok ? 'good' : 'bad'}>{ok ? 'met' : 'not met'}</Badge> {what}
            </p>
            <p class="faint">{ok ? actual : `Expected ${expected}; it is ${actual}`}</p>
            {!ok && evidence.map((line) => <p key={line}>{line}</p>)}
          </li>
        ))}
      </ul>
    </>
  );
}
