// Worlds: beside each other, sharing nothing; made, entered and dropped.

import { useSignal } from '@preact/signals';
import type { ScenarioInfo } from '../../../scenarios/control.js';
import type { VerdictReport } from '../../../verdicts/control.js';
import type { WorldInfo } from '../../../worlds/request.js';
import { pageOf, worldId } from '../api.js';
import { ResourceView } from '../components/list.js';
import { Badge, Toggle } from '../components/parts.js';
import { commandOf, useData } from '../emulator.js';
import { go } from '../page.js';
import { countText, durationText, instantText } from '../text.js';

const readingHint = 'Opens each world that is in sight, and counts as a use of it: it ends later';

export function Worlds() {
  const isRead = useSignal(false);
  const { value } = useData<{ scenarios: ScenarioInfo[] }>('/scenarios');
  const usable = value?.scenarios.filter(({ problems }) => problems.length === 0) ?? [];
  return (
    <ResourceView<WorldInfo>
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
      columns="world/id requests:11rem now:14.5rem?560 ttlMs:1fr?840 baseUrl:2fr?900"
      cells={{
        world: ({ id, label }) => (
          <>
            {label ?? id} {id === worldId && <Badge tone="good">this one</Badge>}
          </>
        ),
        id: ({ id, label }) => label !== null && <code>{id}</code>,
        requests: ({ id }) =>
          isRead.value || id === worldId ? <WorldVerdict key={id} id={id} /> : <span class="faint">not read</span>,
        now: ({ now, frozen }) => `${instantText(now)}${frozen ? ', frozen' : ''}`,
        ttlMs: ({ ttlMs }) => (ttlMs === null ? 'never' : `after ${durationText(ttlMs)}`),
        baseUrl: ({ baseUrl }) => <code class="line">{baseUrl}</code>,
      }}
      making={{
        label: 'Create a world',
        operation: 'worlds.create',
        as: 'worlds.open',
        fields: 'id seed ttl scenario clock.frozen',
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
      {countText(requests, 'request')}{' '}
      {requests > 0 && worst !== undefined && <Badge tone={worst[2]}>{`${worst[0]} ${worst[1]}`}</Badge>}
    </>
  );
}
