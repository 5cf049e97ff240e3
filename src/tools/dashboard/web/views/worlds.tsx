// Worlds: beside each other, sharing nothing; made, entered and dropped.

import { useSignal } from '@preact/signals';
import type { ScenarioInfo } from '../../../scenarios/control.js';
import type { VerdictReport } from '../../../verdicts/control.js';
import type { WorldInfo } from '../../../worlds/request.js';
import { pageOf, post, remove, worldId } from '../api.js';
import { Act } from '../components/actions.js';
import { Copy } from '../components/copy.js';
import { Field, Form, filled, flags, type Texts } from '../components/form.js';
import type { Column } from '../components/list.js';
import { ListView } from '../components/list-view.js';
import { Badge, Empty, KeyValues, Secret, Toggle, Two } from '../components/parts.js';
import { useData } from '../live.js';
import { go } from '../route.js';
import { set } from '../set.js';
import { durationText, instantText, numberText } from '../text.js';

export function Worlds() {
  const { value, error } = useData<{ worlds: WorldInfo[] }>('/worlds', ['control', 'clock']);
  const isRead = useSignal(false);
  return (
    <ListView
      title="Worlds"
      note="Each has its own data, clock, seed, faults, limits and journal."
      error={error}
      filter="Filter worlds"
      textOf={({ id, label }) => `${id} ${label ?? ''}`}
      tools={
        <Toggle of={isRead} title={readingHint}>
          Read the verdicts
        </Toggle>
      }
      rows={value?.worlds}
      columns={[world, isRead.value ? verdict : ownVerdict, ...others]}
      lines={2}
      keyOf={({ id }) => id}
      empty={<Empty title="No world has such a name" />}
      titleOf={({ id, label }) => label ?? id}
      detail={(one) => <WorldParts world={one} />}
    >
      <Create />
    </ListView>
  );
}

const readingHint = 'Opens each world that is in sight, and counts as a use of it: it ends later';

const world: Column<WorldInfo> = {
  title: 'World',
  width: 'minmax(0, 2fr)',
  cell: ({ id, label }) => {
    const name = (
      <>
        <strong>{label ?? id}</strong> {id === worldId && <Badge tone="good">this one</Badge>}
      </>
    );
    return label === null ? name : <Two first={name} second={<code>{id}</code>} />;
  },
};

const verdict: Column<WorldInfo> = {
  title: 'Requests and verdict',
  width: '11rem',
  cell: ({ id }) => <WorldVerdict key={id} id={id} />,
};

const ownVerdict: Column<WorldInfo> = {
  ...verdict,
  cell: ({ id }) => (id === worldId ? <WorldVerdict key={id} id={id} /> : <span class="faint">not read</span>),
};

const others: readonly Column<WorldInfo>[] = [
  {
    title: 'Virtual time',
    width: '14.5rem',
    minor: 560,
    cell: ({ now, frozen }) => (
      <>
        {instantText(now)} {frozen && <span class="ahead-text">frozen</span>}
      </>
    ),
  },
  {
    title: 'Ends without requests',
    width: 'minmax(0, 1fr)',
    minor: 840,
    cell: ({ ttlMs }) => <span class="faint">{ttlMs === null ? 'never' : `after ${durationText(ttlMs)}`}</span>,
  },
  {
    title: 'Base URL',
    width: 'minmax(0, 2fr)',
    minor: 900,
    cell: ({ baseUrl }) => <code class="line">{baseUrl}</code>,
  },
];

// To ask another world opens it and counts as a use of it, so that it ends later: only where somebody wants to know.
function WorldVerdict({ id }: { id: string }) {
  const topics = id === worldId ? (['control', 'clock', 'request'] as const) : [];
  const { value } = useData<VerdictReport>('/verdicts', topics, undefined, id);
  if (value === undefined) return null;
  const { requests, pass, fail, unclear } = value;
  const badges = [
    [fail, 'fail', 'bad'],
    [unclear, 'unclear', 'warning'],
    [pass, 'pass', 'good'],
  ] as const;
  const worst = badges.find(([count]) => count > 0);
  return (
    <>
      {requests === 1 ? '1 request' : `${numberText(requests)} requests`}{' '}
      {requests > 0 && worst !== undefined && <Badge tone={worst[2]}>{`${worst[0]} ${worst[1]}`}</Badge>}
    </>
  );
}

function Create() {
  const { value } = useData<{ scenarios: ScenarioInfo[] }>('/scenarios');
  const texts = useSignal<Texts>({});
  const fields = filled(texts.value, ['id', 'seed', 'ttl', 'scenario']);
  const isFrozen = texts.value.clock === 'frozen';
  const usable = value?.scenarios.filter(({ problems }) => problems.length === 0) ?? [];
  return (
    <Form
      label="Create"
      act={{
        label: 'Create a world',
        command: `world create${flags(fields)}${isFrozen ? ' --frozen' : ''}`,
        isOfAll: true,
        run: async () => {
          const body = { ...fields, ...(isFrozen && { clock: { frozen: true } }) };
          const made = await post<WorldInfo>('/worlds', body);
          set(texts, { ...texts.value, id: '' });
          go({ item: made.id });
        },
        done: 'The world is made',
      }}
    >
      <Field label="Id" name="id" texts={texts} placeholder="a free one" />
      <Field label="Seed" name="seed" texts={texts} placeholder="from its id" />
      <Field label="Ends after" name="ttl" texts={texts} placeholder="1h" />
      <Field label="Scenario" name="scenario" texts={texts} options={usable.map(({ name }) => name)} none="default" />
      <Field label="Clock" name="clock" texts={texts} options={['frozen']} none="default" />
    </Form>
  );
}

function WorldParts({ world }: { world: WorldInfo }) {
  const { id, label, baseUrl, apiKey, organizationId, userId, now, frozen, port, ttlMs } = world;
  return (
    <>
      <KeyValues
        entries={[
          [
            'Base URL',
            <span key="url" class="secret">
              <code>{baseUrl}</code>
              <Copy text={baseUrl} of="the base URL" />
            </span>,
          ],
          ['Key', <Secret key="key" value={apiKey} label="the key" />],
          ['Virtual time', `${instantText(now)}${frozen ? ', frozen' : ''}`],
          ['Requests', <WorldVerdict key="verdict" id={id} />],
          ['Ends', ttlMs === null ? 'never by itself' : `after ${durationText(ttlMs)} without a request`],
          ['Id', label === null ? null : <code key="id">{id}</code>],
          ['Port of its own', port],
          ['Organization', <code key="organization">{organizationId}</code>],
          ['Owner', <code key="owner">{userId}</code>],
        ]}
      />
      <div class="buttons">
        <button
          type="button"
          class="primary"
          disabled={id === worldId}
          onClick={() => location.assign(`${pageOf(id)}#/timeline`)}
        >
          {id === worldId ? 'This page shows it' : 'Switch to it'}
        </button>
      </div>
      {id !== 'default' && (
        <Act
          group="World"
          label="Drop"
          command={`world drop ${id}`}
          isOfAll
          run={async () => {
            await remove(`/worlds/${encodeURIComponent(id)}`);
            if (id === worldId) location.assign(`${pageOf('default')}#/worlds`);
            go({ item: '' });
          }}
          done={`${id} is gone, with everything in it`}
          isDangerous
        />
      )}
    </>
  );
}
