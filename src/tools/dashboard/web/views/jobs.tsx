// Jobs, beside what they are of: hosted agents, or voices.

import { useSignal } from '@preact/signals';
import type { ControlledJob } from '../../../../platform/jobs/named.js';
import { type Action, Actions } from '../components/actions.js';
import { jumpTo } from '../components/clock-bar.js';
import { DeclaredFields, inputOf, type Texts } from '../components/form.js';
import { Section } from '../components/parts.js';
import { ResourceView } from '../components/resource-view.js';
import { hrefOf } from '../route.js';

export const jobTopics = ['request', 'agent', 'job', 'control', 'clock', 'second'] as const;

export const isOver = ({ status }: Pick<ControlledJob, 'status'>): boolean => /^(completed|failed)$/.test(status);

/** The acts that end a job, and that lead to its next change. */
export function endingActs(job: ControlledJob, failing = {}): Action[] {
  const { id, name, nextTransitionAt } = job;
  const disabled = isOver(job);
  return [
    { label: 'Finish', operation: 'jobs.finish', input: { id }, done: `The job of ${name} is completed`, disabled },
    {
      label: 'Fail',
      operation: 'jobs.fail',
      input: { id, ...failing },
      done: `The job of ${name} has failed`,
      disabled,
      isDangerous: true,
    },
    ...jumpTo(nextTransitionAt),
  ];
}

interface JobsProps {
  title: string;
  note: string;
  isOne: (job: ControlledJob) => boolean;
  hint: preact.ComponentChildren;
}

/** The jobs of one kind of things. */
export function Jobs({ isOne, ...view }: JobsProps) {
  return (
    <ResourceView<ControlledJob>
      {...view}
      operation="jobs.list"
      topics={jobTopics}
      isListed={isOne}
      columns="name status jobType? progress? error? createdAt? nextTransitionAt?"
      aliasOf={({ voiceId }) => voiceId ?? ''}
      isWide
      known={(job) => ({
        ...(job.nextTransitionAt === null && !isOver(job) && { nextTransitionAt: 'none: it hangs' }),
        agentId: job.agentId && (
          <a href={hrefOf({ view: 'hosted-agents', item: `agents/${job.agentId}` })}>{job.name}</a>
        ),
      })}
      more={(job) => (
        <>
          <Intervene job={job} />
          <a href={hrefOf({ view: 'timeline', filter: job.id })}>In the timeline</a>
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
    mode: { label: 'How it fails', options: ['audio-quality', 'too-short', 'provider-error'] },
  };
  return (
    <Section title="Intervene">
      {!isOver(job) && <DeclaredFields operation="jobs.fail" fields={field} texts={texts} known={known} />}
      <Actions label="Interventions" actions={endingActs(job, inputOf('jobs.fail', texts.value))} />
    </Section>
  );
}
