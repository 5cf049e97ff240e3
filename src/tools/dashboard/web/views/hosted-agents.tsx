// Hosted agents and jobs: what each does, what an hour of it costs, and what can be done to it.

import { useSignal } from '@preact/signals';
import type { ControlledHostedAgent, InspectedHostedAgent } from '../../../../platform/hosted-agents/control.js';
import type { ControlledJob } from '../../../../platform/jobs/named.js';
import { Lanes } from '../components/charts.js';
import { Subject } from '../components/fields.js';
import {
  type Action,
  Actions,
  actsOn,
  DeclaredFields,
  FailureField,
  inputOf,
  jumpTo,
  Sample,
  type Texts,
} from '../components/form.js';
import { type ResourceProps, ResourceView, tabbed } from '../components/list.js';
import { InTimeline, Notes, Section, Status, When } from '../components/parts.js';
import { now, useData } from '../emulator.js';
import { creditsText } from '../text.js';

const sample = { path: '/api/v1/eliza/agents', args: `-d '{"agentName": "Support", "alwaysOn": true}'` };

const Agents = () => (
  <ResourceView<ControlledHostedAgent>
    operation="hostedAgents"
    topics={jobTopics}
    columns="name status:11rem nextTransitionAt? since? hourly? tier? error?"
    isWide
    aliasOf={({ name }) => name}
    hint={
      <Sample says="A client creates one. A dedicated one is provisioned by a job, and costs by the hour:" {...sample}>
        One whose name has the word fail-provision-no-capacity fails in that way.
      </Sample>
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
      note="What is done to hosted agents, and how far it has come."
      isListed={({ voiceId }) => voiceId === null}
      hint={
        <Sample
          says="A client has something done that takes time. Its job appears here and moves with the clock:"
          {...sample}
        />
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
          <Lanes lanes={{ Actual: statuses }} now={now.value} />
        </Section>
      )}
      <Section title="Jobs">
        {jobs.length === 0 && <p class="faint">None yet.</p>}
        <Notes
          of={jobs.map((job) => (
            <span key={job.id} class="lead">
              <Status of={job.status} />
              <Subject kind="job" id={job.id}>
                {job.type.replace('agent_', '')}
              </Subject>
              <When at={job.createdAt} />
            </span>
          ))}
        />
      </Section>
      <InTimeline of={id} />
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

const settable = { Crash: 'error', Disconnect: 'disconnected', 'Run at once': 'running' };

function Interventions({ agent, job }: { agent: ControlledHostedAgent; job: ControlledJob | undefined }) {
  const { id, name, tier, status } = agent;
  const texts = useSignal<Texts>({});
  if (tier === 'shared') return <p class="faint">A shared agent always runs: nothing can be done to it here.</p>;
  const failure = texts.value.mode || undefined;
  const begins = jobsFor(status).map(
    (label): Action => ({
      label,
      operation: 'jobs.create',
      input: { type: `agent_${label.toLowerCase()}`, agent: id, failure },
      done: `The job of ${name} has begun`,
      isDangerous: label === 'Delete',
    }),
  );
  const sets = Object.entries(settable).map(
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
        <FailureField
          label="Failure mode of the next job"
          none="Its next job goes as usual"
          path="/hosted-agents/failures"
          texts={texts}
        />
      )}
      <Actions label="Interventions" actions={[...(job === undefined ? begins : endingActs(job)), ...sets]} />
    </Section>
  );
}

export const jobTopics = ['request', 'agent', 'job', 'control', 'clock', 'second'] as const;

export const isOver = ({ status }: Pick<ControlledJob, 'status'>): boolean => /^(completed|failed)$/.test(status);

/** The acts that end a job, and that lead to its next change. */
function endingActs(job: ControlledJob, failing = {}): Action[] {
  const { id, name, nextTransitionAt } = job;
  const act = actsOn('jobs', id, `The job of ${name}`, { disabled: isOver(job) });
  return [
    act('Finish', 'is completed'),
    act('Fail', 'has failed', { input: failing, isDangerous: true }),
    ...jumpTo(nextTransitionAt),
  ];
}

/** The jobs of one kind of things. */
export function Jobs(view: Pick<ResourceProps<ControlledJob>, 'note' | 'isListed' | 'hint'>) {
  return (
    <ResourceView<ControlledJob>
      {...view}
      operation="jobs.list"
      topics={jobTopics}
      columns="name status jobType? progress? error? createdAt? nextTransitionAt?"
      aliasOf={({ voiceId }) => voiceId ?? ''}
      isWide
      known={(job) => ({
        ...(job.nextTransitionAt === null && !isOver(job) && { nextTransitionAt: 'none: it hangs' }),
        agentId: job.agentId && (
          <Subject kind="agent" id={job.agentId}>
            {job.name}
          </Subject>
        ),
      })}
      more={(job) => (
        <>
          <Intervene job={job} />
          <InTimeline of={job.id} />
        </>
      )}
    />
  );
}

// A voice fails in one of few ways, an agent for any reason.
function Intervene({ job }: { job: ControlledJob }) {
  const texts = useSignal<Texts>({});
  const field = job.voiceId === null ? 'error' : 'mode';
  const known = {
    error: { label: 'Why it fails', isLong: true },
    mode: { label: 'How it fails' },
  };
  return (
    <Section title="Intervene">
      {!isOver(job) && <DeclaredFields operation="jobs.fail" fields={field} texts={texts} known={known} />}
      <Actions label="Interventions" actions={endingActs(job, inputOf('jobs.fail', texts.value))} />
    </Section>
  );
}
