// Jobs: everything that the platform does over time, and what can be done to it.

import type { ControlledJob } from '../../../../platform/jobs/named.js';
import type { Column } from '../components/list.js';
import { ListView } from '../components/list-view.js';
import { Ahead, Empty, Status, When } from '../components/parts.js';
import { Sample } from '../components/sample.js';
import { useData } from '../live.js';
import { JobParts, kindOf, Progress } from './job-parts.js';
import { useOrganizationNames, withOwners } from './organization.js';

const topics = ['job', 'agent', 'control', 'clock', 'second'] as const;

export function Jobs() {
  const { value, error } = useData<{ jobs: ControlledJob[] }>('/jobs', topics);
  const nameOf = useOrganizationNames();
  return (
    <ListView
      title="Jobs"
      note="What is done to hosted agents and voices, and how far it has come."
      error={error}
      filter="Filter jobs"
      rows={value?.jobs}
      columns={withOwners(columns, value?.jobs, nameOf)}
      isWide
      keyOf={({ id }) => id}
      empty={
        <Empty title="No jobs">
          <p>A client has something done that takes time. Its job appears here and moves with the clock:</p>
          <Sample path="/api/v1/eliza/agents" args={`-d '{"agentName": "Support", "alwaysOn": true}'`} />
        </Empty>
      }
      titleOf={({ name }) => name}
      detail={(job) => <JobParts job={job} />}
    />
  );
}

const columns: readonly Column<ControlledJob>[] = [
  { title: 'Of', width: 'minmax(0, 2fr)', cell: ({ name }) => <strong>{name}</strong> },
  { title: 'Status', width: '7.25rem', cell: ({ status }) => <Status of={status} /> },
  { title: 'Kind', width: '8.5rem', minor: true, cell: (job) => <span class="faint">{kindOf(job)}</span> },
  {
    title: 'Progress',
    width: 'minmax(4rem, 2fr)',
    minor: true,
    cell: (job) => (job.error === null ? <Progress job={job} /> : <span class="bad-text">{job.error}</span>),
  },
  { title: 'Began', width: '8.5rem', minor: true, cell: ({ createdAt }) => <When at={createdAt} /> },
  {
    title: 'Next change',
    width: '7rem',
    minor: true,
    cell: ({ nextTransitionAt }) => <Ahead at={nextTransitionAt} />,
  },
];
