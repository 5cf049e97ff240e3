// One container from the inside.

import { useSignal } from '@preact/signals';
import type { ControlledContainer } from '../../../../platform/containers/control.js';
import type { InspectedDeployment, Inspection } from '../../../../platform/containers/inspection.js';
import type { FailureDescription } from '../../../../platform/containers/lifecycle/failures.js';
import { post } from '../api.js';
import { Actions } from '../components/actions.js';
import { advanceTo } from '../components/clock-bar.js';
import { Lanes } from '../components/lanes.js';
import { LogTail } from '../components/log-tail.js';
import { ModeSelect } from '../components/mode-select.js';
import { Instant, KeyValues, Problem, Section, Status } from '../components/parts.js';
import { Plot } from '../components/plot.js';
import { now, useData } from '../live.js';
import { hrefOf } from '../route.js';
import { instantText, shellQuoted } from '../text.js';
import { OwnerOf } from './organization.js';

export function ContainerParts({ container }: { container: ControlledContainer }) {
  const { id, status, since, error } = container;
  const path = `/containers/${encodeURIComponent(id)}/inspect`;
  const { value, error: problem } = useData<Inspection>(path, ['container', 'clock', 'second']);
  return (
    <>
      <p class="lead">
        <Status of={status} /> since <Instant at={since} />
        <span>
          of <OwnerOf id={container.organizationId} />
        </span>
      </p>
      <Problem text={problem} />
      {error !== null && <p class="problem flush">{error}</p>}
      <Interventions container={container} />
      {value !== undefined && <Inside inspection={value} container={container} />}
    </>
  );
}

function Inside({ inspection, container }: { inspection: Inspection; container: ControlledContainer }) {
  const { deployments, health, logs, metrics, spec } = inspection;
  const times = metrics.samples.map(({ at }) => Date.parse(at));
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
        <Plot
          label="Memory in MB"
          times={times}
          series={[{ title: 'Memory', colour: '--accent', values: metrics.samples.map(({ memory }) => memory) }]}
          limit={metrics.memoryLimit}
          now={now.value}
          unit="MB"
        />
      </Section>
      <Section title="CPU">
        <Plot
          label="CPU units"
          times={times}
          series={[{ title: 'CPU', colour: '--good', values: metrics.samples.map(({ cpu }) => cpu) }]}
          limit={metrics.cpuLimit}
          now={now.value}
          unit="units"
        />
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
      <Section title="What is deployed">
        <KeyValues
          entries={[
            ['Image', <code key="image">{container.image.uri}</code>],
            ['Digest', container.image.digest],
            ['Platform', container.image.platform],
            ['Instances', `${spec.count} × ${spec.cpu} CPU units, ${spec.memory} MB`],
            ['Port', `${spec.port}, health at ${spec.healthPath}`],
            ['Variables', spec.variables.join(', ')],
            ['Name', container.name],
            ['Id', <code key="id">{container.id}</code>],
          ]}
        />
        <p>
          <a href={hrefOf({ view: 'timeline', filter: container.id })}>In the timeline</a>
        </p>
      </Section>
    </>
  );
}

function DeploymentPart({ deployment }: { deployment: InspectedDeployment }) {
  const { number, startedAt, cost, refundedAt, mode, progression, plan, course } = deployment;
  return (
    <div class="deployment">
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
    </div>
  );
}

function Interventions({ container }: { container: ControlledContainer }) {
  const { id, project_name: name, status, nextTransitionAt: next } = container;
  const { value } = useData<{ failures: FailureDescription[] }>('/failures');
  const mode = useSignal('');
  const path = `/containers/${encodeURIComponent(id)}`;
  const word = shellQuoted(name);
  const isOver = status === 'failed' || status === 'stopped';
  const chosen = value?.failures.find((one) => one.mode === mode.value);
  return (
    <Section
      title="Intervene"
      tools={
        <ModeSelect
          label="Failure mode"
          none="A failure that suits it"
          modes={value?.failures}
          chosen={mode}
          disabled={isOver}
        />
      }
    >
      {chosen !== undefined && <p class="faint">{`${chosen.title}. ${chosen.remedy}`}</p>}
      <Actions
        label="Interventions"
        actions={[
          ...(next === null
            ? []
            : [
                {
                  label: 'Jump to the next change',
                  command: `clock advance --to ${next}`,
                  run: () => advanceTo(next),
                  done: 'Time is there',
                },
              ]),
          {
            label: 'Fail',
            command: `container fail ${word}${mode.value === '' ? '' : ` --mode ${mode.value}`}`,
            run: () => post(`${path}/fail`, mode.value === '' ? {} : { mode: mode.value }),
            done: `${name} fails`,
            disabled: isOver,
            isDangerous: true,
          },
          {
            label: 'Crash',
            command: `container crash ${word}`,
            run: () => post(`${path}/crash`),
            done: `The process of ${name} has ended`,
            disabled: isOver,
            isDangerous: true,
          },
          {
            label: 'Stop',
            command: `container stop ${word}`,
            run: () => post(`${path}/stop`),
            done: `${name} is stopped`,
            disabled: isOver,
          },
          {
            label: 'Recover',
            command: `container recover ${word}`,
            run: () => post(`${path}/recover`),
            done: `${name} runs again`,
            disabled: !isOver,
          },
          {
            label: 'Skip to the next stage',
            command: `container skip ${word}`,
            run: () => post(`${path}/skip`),
            done: `${name} is a stage further`,
            disabled: isOver || status === 'running',
          },
        ]}
      />
    </Section>
  );
}
