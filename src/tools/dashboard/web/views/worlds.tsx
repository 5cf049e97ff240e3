// Worlds: beside each other, sharing nothing; made, entered and dropped.

import { useSignal } from '@preact/signals';
import type { ScenarioInfo } from '../../../scenarios/control.js';
import type { VerdictReport } from '../../../verdicts/control.js';
import type { WorldInfo } from '../../../worlds/request.js';
import { pageOf, worldId } from '../api.js';
import type { Texts } from '../components/form.js';
import { Badge, Toggle, Two } from '../components/parts.js';
import { ResourceView } from '../components/resource-view.js';
import { useData } from '../live.js';
import { commandOf } from '../operation.js';
import { go } from '../route.js';
import { durationText, instantText, numberText } from '../text.js';

const readingHint = 'Opens each world that is in sight, and counts as a use of it: it ends later';

export function Worlds() {
  const isRead = useSignal(false);
  const texts = useSignal<Texts>({});
  const { value } = useData<{ scenarios: ScenarioInfo[] }>('/scenarios');
  const usable = value?.scenarios.filter(({ problems }) => problems.length === 0) ?? [];
  return (
    <ResourceView<WorldInfo>
      title="Worlds"
      note="Each has its own data, clock, seed, faults, limits and journal."
      operation="worlds.list"
      topics={['control', 'clock']}
      textOf={({ id, label }) => `${id} ${label ?? ''}`}
      titleOf={({ id, label }) => label ?? id}
      tools={
        <Toggle of={isRead} title={readingHint}>
          Read the verdicts
        </Toggle>
      }
      lines={2}
      columns={[
        {
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
        },
        {
          title: 'Requests and verdict',
          width: '11rem',
          cell: ({ id }) =>
            isRead.value || id === worldId ? <WorldVerdict key={id} id={id} /> : <span class="faint">not read</span>,
        },
        {
          title: 'Virtual time',
          width: '14.5rem',
          minor: 560,
          cell: ({ now, frozen }) => `${instantText(now)}${frozen ? ', frozen' : ''}`,
        },
        {
          title: 'Ends without requests',
          width: 'minmax(0, 1fr)',
          minor: 840,
          cell: ({ ttlMs }) => (ttlMs === null ? 'never' : `after ${durationText(ttlMs)}`),
        },
        {
          title: 'Base URL',
          width: 'minmax(0, 2fr)',
          minor: 900,
          cell: ({ baseUrl }) => <code class="line">{baseUrl}</code>,
        },
      ]}
      making={{
        label: 'Create a world',
        operation: 'worlds.create',
        as: 'worlds.open',
        fields: 'id seed ttl scenario clock.frozen',
        texts,
        known: {
          scenario: { options: usable.map(({ name }) => name), none: 'default' },
          'clock.frozen': { label: 'Clock', options: ['frozen'], none: 'default' },
        },
        done: 'The world is made',
      }}
      known={({ id }) => ({ Requests: <WorldVerdict key="verdict" id={id} /> })}
      actions={(_, id) => [
        {
          label: id === worldId ? 'This page shows it' : 'Switch to it',
          command: commandOf('worlds.get', { id }),
          run: async () => location.assign(`${pageOf(id)}#/timeline`),
          disabled: id === worldId,
          isPrimary: true,
        },
        {
          label: 'Drop',
          operation: 'worlds.drop',
          input: { id },
          as: 'worlds.end',
          next: () => {
            if (id === worldId) location.assign(`${pageOf('default')}#/worlds`);
            go({ item: '' });
          },
          done: `${id} is gone, with everything in it`,
          disabled: id === 'default',
          isDangerous: true,
        },
      ]}
    />
  );
}

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
