// Containers: what became of each, and what can be done to it.

import { useSignal } from '@preact/signals';
import type { ControlledContainer } from '../../../../platform/containers/control.js';
import type { InspectedDeployment, Inspection } from '../../../../platform/containers/inspection.js';
import { Lanes, Plot } from '../components/charts.js';
import { Facts, Value } from '../components/fields.js';
import { Actions, actsOn, FailureField, jumpTo, Sample, type Texts } from '../components/form.js';
import { ResourceView } from '../components/list.js';
import { Instant, InTimeline, LogTail, Problem, Section, Status } from '../components/parts.js';
import { now, useData } from '../emulator.js';
import { instantText } from '../text.js';

const topics = ['container', 'clock', 'second'] as const;

export function Containers() {
  return (
    <ResourceView<ControlledContainer>
      operation="containers.list"
      topics={topics}
      columns="project_name status nextTransitionAt since? error?"
      isWide
      aliasOf={({ project_name }) => project_name}
      titleOf={({ project_name }) => project_name}
      hint={
        <Sample
          says="A client deploys one. It appears here at once, with all that its plan leads to:"
          path="/api/v1/containers"
          args={`-d '{"name": "Web", "project_name": "web", "ecr_image_uri": "registry.local/web:v1"}'`}
        >
          The image need not exist. One with the tag fail-crash-loop fails in that way.
        </Sample>
      }
      detail={(container) => <ContainerParts container={container} />}
    />
  );
}

function ContainerParts({ container }: { container: ControlledContainer }) {
  const { id, status, since, error, image, name, organizationId } = container;
  const path = `/containers/${encodeURIComponent(id)}/inspect`;
  const { value, error: problem } = useData<Inspection>(path, topics);
  return (
    <>
      <p class="lead">
        <Status of={status} /> since <Instant at={since} />
        <span>
          of <Value name="organizationId" value={organizationId} />
        </span>
      </p>
      <Problem text={problem || error} />
      <Interventions container={container} />
      {value !== undefined && (
        <>
          <Inside inspection={value} />
          <Section title="What is deployed">
            <Facts
              of={{ image: image.uri, digest: image.digest, platform: image.platform }}
              known={{
                instances: `${value.spec.count} × ${value.spec.cpu} CPU units, ${value.spec.memory} MB`,
                healthPath: `${value.spec.healthPath} on port ${value.spec.port}`,
                variables: value.spec.variables.join(', '),
                name,
                id: <code>{id}</code>,
              }}
            />
            <InTimeline of={id} />
          </Section>
        </>
      )}
    </>
  );
}

function Inside({ inspection: { deployments, health, logs, metrics } }: { inspection: Inspection }) {
  const { samples, memoryLimit, cpuLimit } = metrics;
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
        <Plot {...common} label="Memory in MB" series={memory} limit={memoryLimit} unit="MB" />
      </Section>
      <Section title="CPU">
        <Plot {...common} label="CPU units" series={cpu} limit={cpuLimit} unit="units" />
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
      <Lanes lanes={{ Plan: plan, Actual: course }} now={now.value} />
    </>
  );
}

function Interventions({ container }: { container: ControlledContainer }) {
  const { id, project_name: name, status, nextTransitionAt } = container;
  const texts = useSignal<Texts>({});
  const isOver = status === 'failed' || status === 'stopped';
  const act = actsOn('containers', id, name, { disabled: isOver, shown: { id: name } });
  return (
    <Section title="Intervene">
      {!isOver && <FailureField label="Failure mode" none="A failure that suits it" path="/failures" texts={texts} />}
      <Actions
        label="Interventions"
        actions={[
          ...jumpTo(nextTransitionAt),
          act('Fail', 'fails', { input: { mode: texts.value.mode || undefined }, isDangerous: true }),
          act('Crash', 'has crashed', { isDangerous: true }),
          act('Stop', 'is stopped'),
          act('Recover', 'runs again', { disabled: !isOver }),
          act('Skip to the next stage', 'is a stage further', { disabled: isOver || status === 'running' }),
        ]}
      />
    </Section>
  );
}
