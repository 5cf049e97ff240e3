// Time: freeze it, let it run at any speed, jump to what comes next.

import { useSignal } from '@preact/signals';
import type { ClockView } from '../../../../core/clock.js';
import type { AheadEntry } from '../../timeline.js';
import { Actions } from '../components/actions.js';
import { clockAction, jumpTo, steps } from '../components/clock-bar.js';
import { type Column, List } from '../components/list.js';
import { Ahead, Badge, Empty, KeyValues, Section, ViewHead } from '../components/parts.js';
import { clock, now } from '../live.js';
import { set } from '../set.js';
import { dayText, distanceText, durationText, instantText, timeText } from '../text.js';
import { ahead, useTimeline } from './timeline-data.js';

const speeds = [1, 10, 60, 3_600];

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
      <div class="bench">
        <div class="body">
          <div class="card bar">
            <time class="stack" dateTime={view.now}>
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
              actions={steps.map((by) => clockAction(by, 'advance', { by }, `Time advanced by ${by}`))}
            />
          </Section>
          {target !== undefined && (
            <Section level={2} title={target === next ? 'Jump to what comes next' : 'Jump to what is chosen'}>
              <p>
                {target.title} {target.result !== '' && <Badge tone="ahead">{target.result}</Badge>}{' '}
                <span class="faint">{distanceText(Date.parse(target.at), now.value)}</span>
              </p>
              <Actions label="Jump" actions={jumpTo(target.at, 'Jump there')} />
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
          { ...clockAction('Freeze', 'freeze', {}, 'The clock is frozen'), isActive: frozen },
          ...speeds.map((one) => ({
            ...(one === 1
              ? clockAction('Run', 'resume', {}, 'The clock runs')
              : clockAction(
                  `× ${one.toLocaleString('en')}`,
                  'resume',
                  { speed: one },
                  `The clock runs ${one} times as fast`,
                )),
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
