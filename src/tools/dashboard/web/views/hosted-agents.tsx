// Hosted agents: what each does, and what an hour of it costs.

import type { ControlledHostedAgent } from '../../../../platform/hosted-agents/control.js';
import type { Column } from '../components/list.js';
import { ListView } from '../components/list-view.js';
import { Ahead, Empty, Status, When } from '../components/parts.js';
import { Sample } from '../components/sample.js';
import { useData } from '../live.js';
import { creditsText } from '../text.js';
import { HostedAgentParts } from './hosted-agent-parts.js';
import { useOrganizationNames, withOwners } from './organization.js';

const topics = ['agent', 'job', 'control', 'clock', 'second'] as const;

export function HostedAgents() {
  const { value, error } = useData<{ 'hosted-agents': ControlledHostedAgent[] }>('/hosted-agents', topics);
  const nameOf = useOrganizationNames();
  return (
    <ListView
      title="Hosted agents"
      note="The status of each, its jobs, what it costs by the hour, and what you can do to it."
      error={error}
      filter="Filter hosted agents"
      rows={value?.['hosted-agents']}
      columns={withOwners(columns, value?.['hosted-agents'], nameOf)}
      isWide
      keyOf={({ id }) => id}
      aliasOf={({ name }) => name}
      empty={
        <Empty title="No hosted agents">
          <p>A client creates one. A dedicated one is provisioned by a job, and costs by the hour:</p>
          <Sample path="/api/v1/eliza/agents" args={`-d '{"agentName": "Support", "alwaysOn": true}'`} />
          <p>One whose name has the word fail-provision-no-capacity fails in that way.</p>
        </Empty>
      }
      titleOf={({ name }) => name}
      detail={(agent) => <HostedAgentParts agent={agent} />}
    />
  );
}

const columns: readonly Column<ControlledHostedAgent>[] = [
  { title: 'Name', width: 'minmax(0, 2fr)', cell: ({ name }) => <strong>{name}</strong> },
  { title: 'Status', width: '11rem', cell: ({ status }) => <Status of={status} /> },
  { title: 'Next change', width: '7rem', minor: true, cell: ({ nextTransitionAt: at }) => <Ahead at={at} /> },
  { title: 'Since', width: '8.5rem', minor: true, cell: ({ since }) => <When at={since} /> },
  { title: 'An hour', width: '5rem', minor: true, cell: ({ hourly }) => creditsText(hourly) },
  { title: 'Tier', width: '8.5rem', minor: true, cell: ({ tier }) => <span class="faint">{tier}</span> },
  { title: 'Error', width: 'minmax(0, 3fr)', minor: true, cell: ({ error }) => <span class="bad-text">{error}</span> },
];
