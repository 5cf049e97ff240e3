// Hosted agents: what each does, what an hour of it costs, and what can be done to it; and their jobs.

import { useSignal } from '@preact/signals';
import type { ControlledHostedAgent, InspectedHostedAgent } from '../../../../platform/hosted-agents/control.js';
import type { AgentFailureDescription } from '../../../../platform/hosted-agents/failures.js';
import type { ControlledJob } from '../../../../platform/jobs/named.js';
import { type Action, Actions, Sample } from '../components/actions.js';
import { Field, type Texts } from '../components/form.js';
import { Lanes } from '../components/lanes.js';
import { tabbed } from '../components/list-view.js';
import { Section, Status, When } from '../components/parts.js';
import { ResourceView } from '../components/resource-view.js';
import { now, useData } from '../live.js';
import { hrefOf } from '../route.js';
import { creditsText } from '../text.js';
import { endingActs, isOver, Jobs, jobTopics } from './jobs.js';

const sample = <Sample path="/api/v1/eliza/agents" args={`-d '{"agentName": "Support", "alwaysOn": true}'`} />;

const Agents = () => (
  <ResourceView<ControlledHostedAgent>
    title="Hosted agents"
    note="The status of each, its jobs, what it costs by the hour, and what you can do to it."
    operation="hostedAgents"
    topics={jobTopics}
    columns="name status:11rem nextTransitionAt? since? hourly? tier? error?"
    isWide
    aliasOf={({ name }) => name}
    hint={
      <>
        <p>A client creates one. A dedicated one is provisioned by a job, and costs by the hour:</p>
        {sample}
        <p>One whose name has the word fail-provision-no-capacity fails in that way.</p>
      </>
    }
    known={({ hourly, rate, totalBilled }) => ({
      hourly: `${creditsText(hourly)} credits, ${rate}`,
      rate: null,
      totalBilled: `${creditsText(totalBilled)} credits`,
    })}
    more={(agent) => <AgentParts agent={agent} />}
  />
);

export const HostedAgents = tabbed({
  agents: Agents,
  jobs: () => (
    <Jobs
      title="Hosted agents"
      note="What is done to hosted agents, and how far it has come."
      isOne={({ voiceId }) => voiceId === null}
      hint={
        <>
          <p>A client has something done that takes time. Its job appears here and moves with the clock:</p>
          {sample}
        </>
      }
    />
  ),
});

function AgentParts({ agent }: { agent: ControlledHostedAgent }) {
  const { id } = agent;
  const { value } = useData<InspectedHostedAgent>(`/hosted-agents/${encodeURIComponent(id)}`, jobTopics);
  const { value: all } = useData<{ jobs: ControlledJob[] }>('/jobs', jobTopics);
  const jobs = all?.jobs.filter(({ agentId }) => agentId === id) ?? [];
  const statuses = value?.statusHistory.map((one, index, list) => ({ ...one, end: list[index + 1]?.at ?? null }));
  return (
    <>
      <Interventions agent={agent} job={jobs.find((job) => !isOver(job))} />
      {statuses !== undefined && (
        <Section title="Statuses">
          <Lanes lanes={[{ title: 'Actual', stretches: statuses }]} now={now.value} />
        </Section>
      )}
      <Section title="Jobs">
        {jobs.length === 0 && <p class="faint">None yet.</p>}
        <ul class="notes">
          {jobs.map((job) => (
            <li key={job.id} class="lead">
              <Status of={job.status} />
              <a href={hrefOf({ item: `jobs/${job.id}` })}>{job.type.replace('agent_', '')}</a>
              <When at={job.createdAt} />
            </li>
          ))}
        </ul>
      </Section>
      <a href={hrefOf({ view: 'timeline', filter: id })}>In the timeline</a>
    </>
  );
}

/** The jobs that an agent takes in a status, by what their buttons say. */
function jobsFor(status: ControlledHostedAgent['status']): readonly string[] {
  if (status === 'running') return ['Suspend', 'Sleep', 'Snapshot', 'Delete'];
  if (status === 'sleeping') return ['Wake', 'Delete'];
  if (status === 'pending' || status === 'error') return ['Provision', 'Delete'];
  return status === 'deletion_failed' ? ['Delete'] : ['Resume', 'Delete'];
}

const settable = [
  ['Crash', 'error'],
  ['Disconnect', 'disconnected'],
  ['Run at once', 'running'],
] as const;

function Interventions({ agent, job }: { agent: ControlledHostedAgent; job: ControlledJob | undefined }) {
  const { id, name, tier, status } = agent;
  const { value } = useData<{ failures: AgentFailureDescription[] }>('/hosted-agents/failures');
  const texts = useSignal<Texts>({});
  if (tier === 'shared') return <p class="faint">A shared agent always runs: nothing can be done to it here.</p>;
  const failure = texts.value.failure || undefined;
  const chosen = value?.failures.find(({ mode }) => mode === failure);
  const begins = jobsFor(status).map(
    (label): Action => ({
      label,
      operation: 'jobs.create',
      input: { type: `agent_${label.toLowerCase()}`, agent: id, failure },
      done: `The job of ${name} has begun`,
      isDangerous: label === 'Delete',
    }),
  );
  const sets = settable.map(
    ([label, to]): Action => ({
      label,
      operation: 'hostedAgents.set',
      input: { id, status: to },
      done: `${name} is ${to}`,
      disabled: status === to,
      isDangerous: to === 'error',
    }),
  );
  return (
    <Section title="Intervene">
      {job === undefined && (
        <Field
          label="Failure mode of the next job"
          name="failure"
          texts={texts}
          none="Its next job goes as usual"
          options={value?.failures.map(({ mode }) => mode) ?? []}
        />
      )}
      {chosen !== undefined && <p class="faint">{`${chosen.title}. ${chosen.remedy}`}</p>}
      <Actions label="Interventions" actions={[...(job === undefined ? begins : endingActs(job)), ...sets]} />
    </Section>
  );
}
