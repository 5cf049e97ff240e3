// Scenarios: how worlds can begin, and what this one's expects of the client.

import { useSignal } from '@preact/signals';
import type { AppliedScenario, ScenarioDocument, ScenarioInfo } from '../../../scenarios/control.js';
import { post } from '../api.js';
import { Actions } from '../components/actions.js';
import { Field, Form, filled, flags, type Texts } from '../components/form.js';
import { Json } from '../components/json.js';
import type { Column } from '../components/list.js';
import { ListView } from '../components/list-view.js';
import { Badge, Empty, KeyValues, Problem, Section, Two } from '../components/parts.js';
import { useData } from '../live.js';
import { go, route } from '../route.js';
import { set } from '../set.js';
import { shellQuoted } from '../text.js';
import { ExpectationParts, ExpectationSummary, expectationsItem } from './scenario-expectations.js';

export function Scenarios() {
  const { value, error } = useData<{ scenarios: ScenarioInfo[] }>('/scenarios', ['control']);
  return (
    <ListView
      title="Scenarios"
      note="How a world can begin: data, clock, faults, limits, and what is expected."
      error={error}
      filter="Filter scenarios"
      textOf={({ name, title, description }) => [name, title, description].join(' ')}
      rows={value?.scenarios}
      columns={columns}
      lines={2}
      keyOf={({ name }) => name}
      empty={
        <Empty title="No scenario fits">
          <p>Save this world as one of your own above.</p>
        </Empty>
      }
      detail={(scenario) => <ScenarioParts scenario={scenario} />}
      pane={route.value.item === expectationsItem && { title: 'Expectations', content: <ExpectationParts /> }}
    >
      <div class="bar">
        <ExpectationSummary />
      </div>
      <Save />
    </ListView>
  );
}

const columns: readonly Column<ScenarioInfo>[] = [
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
];

function Save() {
  const texts = useSignal<Texts>({});
  const chosen = texts.value.name?.trim() ?? '';
  const fields = filled(texts.value, ['title']);
  return (
    <Form
      label="Save"
      act={{
        label: 'Save this world',
        command: `scenario save ${chosen === '' ? 'three-running' : shellQuoted(chosen)}${flags(fields)}`,
        run: async () => {
          await post(`/scenarios/${encodeURIComponent(chosen)}/save`, fields);
          set(texts, {});
          go({ item: chosen });
        },
        done: `Saved as ${chosen}`,
        disabled: chosen === '',
      }}
    >
      <Field label="Name" name="name" texts={texts} placeholder="three-running" />
      <Field label="Title" name="title" texts={texts} placeholder="in a line" />
    </Form>
  );
}

function ScenarioParts({ scenario: { name, title, description, source, file, problems } }: { scenario: ScenarioInfo }) {
  const path = `/scenarios/${encodeURIComponent(name)}`;
  const { value, error } = useData<ScenarioDocument>(path, ['control']);
  const word = shellQuoted(name);
  const isUsable = problems.length === 0;
  return (
    <>
      {title !== null && <p>{title}</p>}
      {description !== null && <p class="faint">{description}</p>}
      {problems.map((problem) => (
        <p key={problem} class="problem flush">
          {problem}
        </p>
      ))}
      <KeyValues
        entries={[
          [
            'Whose',
            {
              shipped: 'shipped with cloudemu',
              found: 'found by an exploration',
              own: 'your own',
              memory: 'saved in memory',
            }[source],
          ],
          ['File', file === null ? null : <code key="file">{file}</code>],
        ]}
      />
      <Actions
        label="Scenario"
        actions={[
          {
            label: 'Apply',
            command: `scenario apply ${word}`,
            run: () => post<AppliedScenario>(path),
            done: `The world begins anew with ${name}`,
            disabled: !isUsable,
            isDangerous: true,
          },
          {
            label: 'Merge',
            command: `scenario apply ${word} --merge`,
            run: () => post<AppliedScenario>(path, { merge: true }),
            done: `${name} is added to the world`,
            disabled: !isUsable,
          },
        ]}
      />
      <p class="faint">Apply empties the world first; merge keeps the existing data.</p>
      <Section title="Document">
        <Problem text={isUsable ? error : ''} />
        {value !== undefined && (
          <div class="code">
            <Json value={value.document} />
          </div>
        )}
      </Section>
    </>
  );
}
