// One job from the inside, and what can be done to it.

import { useSignal } from '@preact/signals';
import type { ControlledJob } from '../../../../platform/jobs/named.js';
import { post } from '../api.js';
import { type Action, Actions } from '../components/actions.js';
import { advanceTo } from '../components/clock-bar.js';
import { Field, Fields, type Texts } from '../components/form.js';
import { Instant, KeyValues, Meter, Section, Status } from '../components/parts.js';
import { hrefOf } from '../route.js';
import { shellQuoted } from '../text.js';
import { OwnerOf } from './organization.js';

export function Progress({ job: { name, progress, status } }: { job: ControlledJob }) {
  return <Meter label={`Progress of ${name}`} value={progress} max={100} tone={status === 'failed' ? 'bad' : 'good'} />;
}

/** What a job does, in words: agent_wake is wake. */
export function kindOf({ type, jobType }: ControlledJob): string {
  return type === 'voice_clone' ? `${jobType} cloning` : type.replace('agent_', '');
}

const failures = ['audio-quality', 'too-short', 'provider-error'];

export function isOver({ status }: Pick<ControlledJob, 'status'>): boolean {
  return status === 'completed' || status === 'failed';
}

/** The acts that end a job, and that lead to its next change. */
export function endingActs(job: ControlledJob, failing: { body: object; flags: string }): Action[] {
  const { id, name, nextTransitionAt: next } = job;
  const path = `/jobs/${encodeURIComponent(id)}`;
  const disabled = isOver(job);
  const jump: Action[] =
    next === null
      ? []
      : [
          {
            label: 'Jump to the next change',
            command: `clock advance --to ${next}`,
            run: () => advanceTo(next),
            done: 'Time is there',
          },
        ];
  return [
    {
      label: 'Finish',
      command: `job finish ${shellQuoted(id)}`,
      run: () => post(`${path}/finish`),
      done: `The job of ${name} is completed`,
      disabled,
    },
    {
      label: 'Fail',
      command: `job fail ${shellQuoted(id)}${failing.flags}`,
      run: () => post(`${path}/fail`, failing.body),
      done: `The job of ${name} has failed`,
      disabled,
      isDangerous: true,
    },
    ...jump,
  ];
}

export function JobParts({ job }: { job: ControlledJob }) {
  const { id, status, progress, error, nextTransitionAt: next, createdAt, refundedAt, voiceId, agentId } = job;
  const texts = useSignal<Texts>({});
  const isVoice = voiceId !== null;
  const { mode = '', why = '' } = texts.value;
  const flags = isVoice ? (mode === '' ? '' : ` --mode ${mode}`) : why === '' ? '' : ` --error ${shellQuoted(why)}`;
  const body = isVoice ? (mode === '' ? {} : { mode }) : why === '' ? {} : { error: why };
  return (
    <>
      <Progress job={job} />
      {error !== null && <p class="problem flush">{error}</p>}
      <KeyValues
        entries={[
          ['Status', <Status key="status" of={status} />],
          ['Progress', `${progress} %`],
          ['Kind', kindOf(job)],
          ['Began', <Instant key="began" at={createdAt} />],
          ['Next change', next === null ? isOver(job) ? null : 'none: it hangs' : <Instant key="next" at={next} />],
          ['Refunded', refundedAt === null ? null : <Instant key="refunded" at={refundedAt} />],
          ['Job', <code key="job">{id}</code>],
          ['Organization', <OwnerOf key="organization" id={job.organizationId} />],
          ['Voice', voiceId === null ? null : <code key="voice">{voiceId}</code>],
          [
            'Agent',
            agentId === null ? null : (
              <a key="agent" href={hrefOf({ view: 'hosted-agents', item: agentId })}>
                {job.name}
              </a>
            ),
          ],
        ]}
      />
      <Section title="Intervene">
        {!isOver(job) && (
          <Fields>
            {isVoice ? (
              <Field label="How it fails" name="mode" texts={texts} options={failures} none="audio-quality" />
            ) : (
              <Field label="Why it fails" name="why" texts={texts} isLong />
            )}
          </Fields>
        )}
        <Actions label="Interventions" actions={endingActs(job, { body, flags })} />
      </Section>
      <p>
        <a href={hrefOf({ view: 'timeline', filter: id })}>In the timeline</a>
      </p>
    </>
  );
}
