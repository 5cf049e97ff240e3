// Containers: what became of each, and what can be done to it.

import { useSignal } from '@preact/signals';
import type { ControlledContainer } from '../../../../platform/containers/control.js';
import type { InspectedDeployment, Inspection } from '../../../../platform/containers/inspection.js';
import type { FailureDescription } from '../../../../platform/containers/lifecycle/failures.js';
import { type Action, Actions, Sample } from '../components/actions.js';
import { jumpTo } from '../components/clock-bar.js';
import { Value } from '../components/fields.js';
import { Field, type Texts } from '../components/form.js';
import { Lanes } from '../components/lanes.js';
import { LogTail } from '../components/log-tail.js';
import { Instant, KeyValues, Problem, Section, Status } from '../components/parts.js';
import { Plot } from '../components/plot.js';
import { ResourceView } from '../components/resource-view.js';
import { now, useData } from '../live.js';
import { hrefOf } from '../route.js';
import { instantText } from '../text.js';

const topics = ['container', 'clock', 'second'] as const;

export function Containers() {
  return (
    <ResourceView<ControlledContainer>
      title="Containers"
      note="Each deployment against its plan, its log, its metrics, and what you can do to it."
      operation="containers.list"
      topics={topics}
      columns="project_name status nextTransitionAt since? error?"
      isWide
      aliasOf={({ project_name }) => project_name}
      titleOf={({ project_name }) => project_name}
      hint={
        <>
          <p>A client deploys one. It appears here at once, with all that its plan leads to:</p>
          <Sample
            path="/api/v1/containers"
            args={`-d '{"name": "Web", "project_name": "web", "ecr_image_uri": "registry.local/web:v1"}'`}
          />
          <p>The image need not exist. One with the tag fail-crash-loop fails in that way.</p>
        </>
      }
      detail={(container) => <ContainerParts container={container} />}
    />
  );
}

function ContainerParts({ container }: { container: ControlledContainer }) {
  const { id, status, since, error, image } = container;
  const path = `/containers/${encodeURIComponent(id)}/inspect`;
  const { value, error: problem } = useData<Inspection>(path, topics);
  return (
    <>
      <p class="lead">
        <Status of={status} /> since <Instant at={since} />
        <span>
          of <Value name="organizationId" value={container.organizationId} />
        </span>
      </p>
      <Problem text={problem || (error ?? '')} />
      <Interventions container={container} />
      {value !== undefined && <Inside inspection={value} />}
      {value !== undefined && (
        <Section title="What is deployed">
          <KeyValues
            entries={[
              ['Image', <code key="image">{image.uri}</code>],
              ['Digest', image.digest],
              ['Platform', image.platform],
              ['Instances', `${value.spec.count} × ${value.spec.cpu} CPU units, ${value.spec.memory} MB`],
              ['Port', `${value.spec.port}, health at ${value.spec.healthPath}`],
              ['Variables', value.spec.variables.join(', ')],
              ['Name', container.name],
              ['Id', <code key="id">{id}</code>],
            ]}
          />
          <a href={hrefOf({ view: 'timeline', filter: id })}>In the timeline</a>
        </Section>
      )}
    </>
  );
}

function Inside({ inspection: { deployments, health, logs, metrics } }: { inspection: Inspection }) {
  const { samples } = metrics;
  const common = { times: samples.map(({ at }) => Date.parse(at)), now: now.value };
  const memory = { title: 'Memory', colour: '--accent', values: samples.map((one) => one.memory) };
  const cpu = { title: 'CPU', colour: '--good', values: samples.map((one) => one.cpu) };
  return (
    <>
      <Section title="Deployments against their plan">
        {deployments.map((deployment) => (
          <DeploymentPart key={deployment.id} deployment={deployment} />
        ))}
      </Section>
      <Section title="Log">
        <LogTail lines={logs} />
      </Section>
      <Section title="Memory">
        <Plot {...common} label="Memory in MB" series={[memory]} limit={metrics.memoryLimit} unit="MB" />
      </Section>
      <Section title="CPU">
        <Plot {...common} label="CPU units" series={[cpu]} limit={metrics.cpuLimit} unit="units" />
      </Section>
      <Section title="Health">
        <p class="lead">
          <Status of={health.status} />
          {Object.entries(health.checks).map(([name, result]) => (
            <span key={name}>
              {name} <Status of={result} />
            </span>
          ))}
        </p>
        {health.error !== null && <p class="faint">{health.error}</p>}
      </Section>
    </>
  );
}

function DeploymentPart({ deployment }: { deployment: InspectedDeployment }) {
  const { number, startedAt, cost, refundedAt, mode, progression, plan, course } = deployment;
  return (
    <>
      <p>
        <strong>Deployment {number}</strong>{' '}
        <span class="faint">
          {instantText(startedAt)} · {cost} credits{refundedAt === null ? '' : ', refunded'}
          {mode === null ? '' : ` · failure mode ${mode}`}
          {progression === 'clock' ? '' : ` · moved by ${progression === 'reads' ? 'reads' : 'hand'}`}
        </span>
      </p>
      <Lanes
        lanes={[
          { title: 'Plan', stretches: plan },
          { title: 'Actual', stretches: course },
        ]}
        now={now.value}
      />
    </>
  );
}

function Interventions({ container }: { container: ControlledContainer }) {
  const { id, project_name: name, status, nextTransitionAt } = container;
  const { value } = useData<{ failures: FailureDescription[] }>('/failures');
  const texts = useSignal<Texts>({});
  const isOver = status === 'failed' || status === 'stopped';
  const mode = texts.value.mode || undefined;
  const chosen = value?.failures.find((one) => one.mode === mode);
  const act = (label: string, operation: string, done: string, more: Partial<Action> = {}): Action => ({
    label,
    operation: `containers.${operation}`,
    done: `${name} ${done}`,
    disabled: isOver,
    ...more,
    input: { id, ...more.input },
    shown: { id: name },
  });
  return (
    <Section title="Intervene">
      {!isOver && (
        <Field
          label="Failure mode"
          name="mode"
          texts={texts}
          none="A failure that suits it"
          options={value?.failures.map((one) => one.mode) ?? []}
        />
      )}
      {chosen !== undefined && <p class="faint">{`${chosen.title}. ${chosen.remedy}`}</p>}
      <Actions
        label="Interventions"
        actions={[
          ...jumpTo(nextTransitionAt),
          act('Fail', 'fail', 'fails', { input: { mode }, isDangerous: true }),
          act('Crash', 'crash', 'has crashed', { isDangerous: true }),
          act('Stop', 'stop', 'is stopped'),
          act('Recover', 'recover', 'runs again', { disabled: !isOver }),
          act('Skip to the next stage', 'skip', 'is a stage further', {
            disabled: isOver || status === 'running',
          }),
        ]}
      />
    </Section>
  );
}
