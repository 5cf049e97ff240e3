// One hosted agent from the inside: its statuses, its jobs, its hours, and what can be done to it.

import { useSignal } from '@preact/signals';
import type { ControlledHostedAgent, InspectedHostedAgent } from '../../../../platform/hosted-agents/control.js';
import type { AgentFailureDescription } from '../../../../platform/hosted-agents/failures.js';
import type { ControlledJob } from '../../../../platform/jobs/named.js';
import { post } from '../api.js';
import { type Action, Actions } from '../components/actions.js';
import { Lanes } from '../components/lanes.js';
import { ModeSelect } from '../components/mode-select.js';
import { Instant, KeyValues, Problem, Section, Status, When } from '../components/parts.js';
import { now, useData } from '../live.js';
import { hrefOf } from '../route.js';
import { creditsText, shellQuoted } from '../text.js';
import { endingActs, isOver, kindOf } from './job-parts.js';
import { OwnerOf } from './organization.js';

const topics = ['agent', 'job', 'control', 'clock', 'second'] as const;

export function HostedAgentParts({ agent }: { agent: ControlledHostedAgent }) {
  const { id, status, since, error, nextTransitionAt: next } = agent;
  const { value, error: problem } = useData<InspectedHostedAgent>(`/hosted-agents/${encodeURIComponent(id)}`, topics);
  const { value: all } = useData<{ jobs: ControlledJob[] }>('/jobs', topics);
  const jobs = all?.jobs.filter(({ agentId }) => agentId === id) ?? [];
  return (
    <>
      <p class="lead">
        <Status of={status} /> since <Instant at={since} />
        <span>
          of <OwnerOf id={agent.organizationId} />
        </span>
      </p>
      <Problem text={problem} />
      {error !== null && <p class="problem flush">{error}</p>}
      <Interventions agent={agent} job={jobs.find((job) => !isOver(job))} />
      <Section title="What it costs">
        <KeyValues
          entries={[
            ['An hour', `${creditsText(agent.hourly)} credits, ${agent.rate}`],
            ['Paid until', agent.paidUntil === null ? null : <Instant key="paid" at={agent.paidUntil} />],
            ['So far', `${creditsText(agent.totalBilled)} credits`],
          ]}
        />
      </Section>
      {value !== undefined && (
        <Section title="Statuses">
          <Lanes lanes={[{ title: 'Actual', stretches: stretchesOf(value) }]} now={now.value} />
        </Section>
      )}
      <Section title="Jobs">
        {jobs.length === 0 && <p class="faint">None yet.</p>}
        <ul class="links">
          {jobs.map((job) => (
            <li key={job.id}>
              <Status of={job.status} />
              <a href={hrefOf({ view: 'jobs', item: job.id })}>{kindOf(job)}</a>
              <When at={job.createdAt} />
            </li>
          ))}
        </ul>
      </Section>
      <Section title="What it is">
        <KeyValues
          entries={[
            ['Tier', agent.tier],
            ['Failure mode', agent.failure],
            ['Created', <Instant key="created" at={agent.createdAt} />],
            ['Next change', next === null ? null : <Instant key="next" at={next} />],
            ['Id', <code key="id">{id}</code>],
          ]}
        />
        <p>
          <a href={hrefOf({ view: 'timeline', filter: id })}>In the timeline</a>
        </p>
      </Section>
    </>
  );
}

const stretchesOf = ({ statusHistory }: InspectedHostedAgent) =>
  statusHistory.map((one, index) => ({ ...one, end: statusHistory[index + 1]?.at ?? null }));

/** The jobs that an agent takes in a status, by what their buttons say. */
function jobsFor(status: ControlledHostedAgent['status']): readonly (readonly [label: string, type: string])[] {
  const remove = ['Delete', 'agent_delete'] as const;
  if (status === 'running')
    return [['Suspend', 'agent_suspend'], ['Sleep', 'agent_sleep'], ['Snapshot', 'agent_snapshot'], remove];
  if (status === 'sleeping') return [['Wake', 'agent_wake'], remove];
  if (status === 'pending' || status === 'error') return [['Provision', 'agent_provision'], remove];
  return status === 'deletion_failed' ? [remove] : [['Resume', 'agent_resume'], remove];
}

const settable = [
  ['Crash', 'error'],
  ['Disconnect', 'disconnected'],
  ['Run at once', 'running'],
] as const;

function Interventions({ agent, job }: { agent: ControlledHostedAgent; job: ControlledJob | undefined }) {
  const { id, name, tier, status } = agent;
  const { value } = useData<{ failures: AgentFailureDescription[] }>('/hosted-agents/failures');
  const mode = useSignal('');
  if (tier === 'shared') return <p class="faint">A shared agent always runs: nothing can be done to it here.</p>;
  const word = shellQuoted(id);
  const failure = mode.value === '' ? {} : { failure: mode.value };
  const flag = mode.value === '' ? '' : ` --failure ${mode.value}`;
  const chosen = value?.failures.find((one) => one.mode === mode.value);
  const begins = jobsFor(status).map(
    ([label, type]): Action => ({
      label,
      command: `job create --type ${type} --agent ${word}${flag}`,
      run: () => post('/jobs', { type, agent: id, ...failure }),
      done: `The job of ${name} has begun`,
      isDangerous: type === 'agent_delete',
    }),
  );
  const sets = settable.map(
    ([label, to]): Action => ({
      label,
      command: `hosted-agent set ${word} --status ${to}`,
      run: () => post(`/hosted-agents/${encodeURIComponent(id)}/status`, { status: to }),
      done: `${name} is ${to}`,
      disabled: status === to,
      isDangerous: to === 'error',
    }),
  );
  return (
    <Section
      title="Intervene"
      tools={
        job === undefined && (
          <ModeSelect
            label="Failure mode of the next job"
            none="Its next job goes as usual"
            modes={value?.failures}
            chosen={mode}
          />
        )
      }
    >
      {chosen !== undefined && <p class="faint">{`${chosen.title}. ${chosen.remedy}`}</p>}
      <Actions
        label="Interventions"
        actions={[...(job === undefined ? begins : endingActs(job, { body: {}, flags: '' })), ...sets]}
      />
    </Section>
  );
}
