// Scenarios: how worlds can begin, and what this one's expects of the client.

import type { ScenarioDocument, ScenarioInfo } from '../../../scenarios/control.js';
import type { ExpectationReport } from '../../../scenarios/expectations.js';
import { type Action, Command } from '../components/form.js';
import { ResourceView, useItem } from '../components/list.js';
import { Badge, Document, Notes, Problem, Section, Unread } from '../components/parts.js';
import { commandLine, useData } from '../emulator.js';
import { hrefOf } from '../page.js';
import { countText, shellQuoted } from '../text.js';
import { Share } from './coverage.js';

/** The item that opens the expectations; no scenario can be called so. */
const expectationsItem = '~expectations';
const topics = ['request', 'control', 'clock', 'container', 'second'] as const;

export function Scenarios() {
  const [item] = useItem();
  const apply = (
    name: string,
    { problems }: ScenarioInfo,
    more: Pick<Action, 'label' | 'done' | 'isDangerous'>,
    flag = '',
  ): Action => ({
    ...more,
    operation: 'scenarios.apply',
    input: { name, ...(flag !== '' && { merge: true }) },
    command: commandLine(`scenario apply ${shellQuoted(name)}${flag}`),
    disabled: problems.length > 0,
  });
  return (
    <ResourceView<ScenarioInfo>
      operation="scenarios.list"
      topics={['control']}
      id="name"
      lines={2}
      columns="name/title:5fr source:6rem"
      cells={{
        title: ({ title, problems }) => problems[0] ?? title,
        source: ({ source, problems }) =>
          problems.length > 0 ? <Badge tone="bad">unusable</Badge> : <span class="faint">{source}</span>,
      }}
      making={{
        label: 'Save this world',
        operation: 'scenarios.save',
        fields: 'name title',
        known: { name: { placeholder: 'three-running' } },
        done: 'The world is saved',
      }}
      pane={item === expectationsItem && { title: 'Expectations', content: <Expectations /> }}
      actions={(scenario, name) => [
        apply(name, scenario, { label: 'Apply', done: `The world begins anew with ${name}`, isDangerous: true }),
        apply(name, scenario, { label: 'Merge', done: `${name} is added to the world` }, ' --merge'),
      ]}
      more={(scenario) => <Content scenario={scenario} />}
      bar={<Summary />}
    />
  );
}

function Content({ scenario: { name, problems } }: { scenario: ScenarioInfo }) {
  const { value, error } = useData<ScenarioDocument>(`/scenarios/${encodeURIComponent(name)}`, ['control']);
  return (
    <>
      <p class="faint">Apply empties the world first; merge keeps the existing data.</p>
      <Section title="Document">
        <Problem text={problems.length === 0 ? error : ''} />
        {value !== undefined && <Document of={value.document} />}
      </Section>
    </>
  );
}

function Summary() {
  const { value } = useData<ExpectationReport>('/expectations', topics);
  if (value === undefined) return null;
  const { scenario, ok, passed, failed } = value;
  const tone = ok ? 'good' : failed > 0 ? 'warning' : 'neutral';
  return (
    <>
      <Share label="Expectations met" count={passed} of={passed + failed} what="expectations met" tone={tone} />
      <span class="faint">
        {scenario === null ? 'This world did not begin with a scenario.' : `This world began with ${scenario}.`}
      </span>
      <a href={hrefOf({ item: expectationsItem })}>Show the expectations</a>
    </>
  );
}

/** The expectations that the world's scenario has of the client, turning green as requests come. */
function Expectations() {
  const { value, error } = useData<ExpectationReport>('/expectations', topics);
  if (value === undefined) return <Unread error={error} />;
  return (
    <>
      <p class="lead">
        <Badge tone={value.ok ? 'good' : 'warning'}>{value.ok ? 'all met' : `${value.failed} not met`}</Badge>
        <span class="faint">{`${countText(value.requests, 'request')} since it began`}</span>
      </p>
      <Command text={commandLine('verdicts')} />
      <Notes
        of={value.expectations.map(({ what, ok, expected, actual, evidence }) => (
          <>
            <p>
              <Badge tone={ok ? 'good' : 'bad'}>{ok ? 'met' : 'not met'}</Badge> {what}
            </p>
            <p class="faint">{ok ? actual : `Expected ${expected}; it is ${actual}`}</p>
            {!ok && evidence.map((line) => <p key={line}>{line}</p>)}
          </>
        ))}
      />
    </>
  );
}
