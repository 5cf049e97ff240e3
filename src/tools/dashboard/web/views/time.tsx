// Time: freeze it, let it run at any speed, jump to what comes next.

import { useSignal } from '@preact/signals';
import type { ClockView } from '../../../../core/clock.js';
import type { AheadEntry } from '../../timeline.js';
import { Act, Actions } from '../components/actions.js';
import { advance, advanceTo, freeze, resume } from '../components/clock-bar.js';
import { type Column, List } from '../components/list.js';
import { Ahead, Badge, Empty, KeyValues, Section, ViewHead } from '../components/parts.js';
import { clock, now } from '../live.js';
import { set } from '../set.js';
import { dayText, distanceText, durationText, instantText, timeText } from '../text.js';
import { ahead, useTimeline } from './timeline-data.js';

const speeds = [1, 10, 60, 3_600];
const steps = ['1s', '10s', '1m', '10m', '1h', '1d'];

export function Time() {
  useTimeline();
  const chosen = useSignal('');
  const view = clock.value;
  const coming = ahead.value.filter(({ at }) => now.value === undefined || Date.parse(at) > now.value);
  const [next] = coming;
  const target = coming.find(({ id }) => id === chosen.value) ?? next;
  if (view === undefined || now.value === undefined) return <ViewHead title="Time" />;
  return (
    <>
      <ViewHead title="Time" note="The virtual clock of this world. Everything the platform does follows from it." />
      <div class="time-view">
        <div class="view-body">
          <div class="card clock-card">
            <time dateTime={view.now}>
              <small>{dayText(now.value)} UTC</small>
              <strong>{timeText(now.value)}</strong>
            </time>
            <Badge tone={view.frozen ? 'ahead' : 'good'}>
              {view.frozen ? 'frozen' : view.speed === 1 ? 'running' : `${view.speed} times as fast`}
            </Badge>
          </div>
          <Run view={view} />
          <Section title="Advance" level={2}>
            <Actions
              label="Advance"
              actions={steps.map((step) => ({
                label: step,
                command: `clock advance ${step}`,
                run: () => advance(step),
                done: `Time advanced by ${step}`,
              }))}
            />
          </Section>
          {target !== undefined && (
            <Section level={2} title={target === next ? 'Jump to what comes next' : 'Jump to what is chosen'}>
              <p>
                {target.title} {target.result !== '' && <Badge tone="ahead">{target.result}</Badge>}{' '}
                <span class="faint">{distanceText(Date.parse(target.at), now.value)}</span>
              </p>
              <Act
                group="Jump"
                label="Jump there"
                command={`clock advance --to ${target.at}`}
                run={() => advanceTo(target.at)}
                done={`It is ${instantText(target.at)}`}
              />
            </Section>
          )}
          <KeyValues
            entries={[
              ['Real time', <RealTime key="real" />],
              ['Clients’ clocks', view.skewMs === 0 ? null : `taken to differ by ${durationText(view.skewMs)}`],
            ]}
          />
        </div>
        <List
          label="What is still to come"
          rows={coming}
          columns={columns}
          keyOf={({ id }) => id}
          open={target?.id}
          onOpen={({ id }) => set(chosen, id)}
          empty={
            <Empty title="Nothing is scheduled">
              <p>Transitions of containers and jobs, refunds, expiries and ends of rate limits appear here.</p>
            </Empty>
          }
        />
      </div>
    </>
  );
}

function Run({ view: { frozen, speed } }: { view: ClockView }) {
  return (
    <Section title="Run" level={2}>
      <Actions
        label="Run"
        actions={[
          {
            label: 'Freeze',
            command: 'clock freeze',
            run: freeze,
            done: 'The clock is frozen',
            isActive: frozen,
          },
          ...speeds.map((one) => ({
            label: one === 1 ? 'Run' : `× ${one.toLocaleString('en')}`,
            command: `clock resume${one === 1 ? '' : ` --speed ${one}`}`,
            run: () => resume(one),
            done: one === 1 ? 'The clock runs' : `The clock runs ${one} times as fast`,
            isActive: !frozen && speed === one,
          })),
        ]}
      />
    </Section>
  );
}

// Read as the virtual clock ticks.
function RealTime() {
  return <span>{now.value === undefined ? '' : instantText(Date.now())} UTC</span>;
}

const columns: readonly Column<AheadEntry>[] = [
  {
    title: 'When',
    width: '7.5rem',
    cell: ({ at }) => <Ahead at={at} />,
  },
  { title: 'What is still to come', width: 'minmax(0, 1fr)', cell: ({ title }) => title },
  {
    title: 'Result',
    width: '11rem',
    narrow: 'max-content',
    cell: ({ result }) => result !== '' && <Badge tone="ahead">{result}</Badge>,
  },
];
