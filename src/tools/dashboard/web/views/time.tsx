// Time: freeze it, let it run at any speed, jump to what comes next.

import { useSignal } from '@preact/signals';
import type { AheadEntry } from '../../../timeline/schema.js';
import { columnsOf } from '../components/fields.js';
import { Actions, clockAction, jumpTo, steps } from '../components/form.js';
import { List } from '../components/list.js';
import { Ahead, Badge, KeyValues, Section, ViewHead } from '../components/parts.js';
import { clock, now } from '../emulator.js';
import { set } from '../page.js';
import { dayText, distanceText, durationText, instantText, numberText, timeText } from '../text.js';
import { ahead, useTimeline } from './timeline-data.js';

const speeds = [10, 60, 3_600];

const columns = columnsOf<AheadEntry>('when:7.5rem whatIsStillToCome:1fr result:11rem|max-content', {
  when: ({ at }) => <Ahead at={at} />,
  whatIsStillToCome: ({ title }) => title,
  result: ({ result }) => result !== '' && <Badge tone="ahead">{result}</Badge>,
});

export function Time() {
  useTimeline();
  const chosen = useSignal('');
  const view = clock.value;
  const instant = now.value;
  if (view === undefined || instant === undefined) return <ViewHead />;
  const { frozen, speed, skewMs } = view;
  const coming = ahead.value.filter(({ at }) => Date.parse(at) > instant);
  const target = coming.find(({ id }) => id === chosen.value) ?? coming[0];
  return (
    <>
      <ViewHead />
      <div class="bench">
        <div class="body">
          <div class="card bar">
            <time class="stack" dateTime={view.now}>
              <small>{dayText(instant)} UTC</small>
              <strong>{timeText(instant)}</strong>
            </time>
            <Badge tone={frozen ? 'ahead' : 'good'}>
              {frozen ? 'frozen' : speed === 1 ? 'running' : `${speed} times as fast`}
            </Badge>
          </div>
          <Section title="Run" level={2}>
            <Actions
              label="Run"
              actions={[
                { ...clockAction('Freeze', 'freeze', {}, 'The clock is frozen'), isActive: frozen },
                { ...clockAction('Run', 'resume', {}, 'The clock runs'), isActive: !frozen && speed === 1 },
                ...speeds.map((one) => ({
                  ...clockAction(
                    `× ${numberText(one)}`,
                    'resume',
                    { speed: one },
                    `The clock runs ${one} times as fast`,
                  ),
                  isActive: !frozen && speed === one,
                })),
              ]}
            />
          </Section>
          <Section title="Advance" level={2}>
            <Actions
              label="Advance"
              actions={steps.map((by) => clockAction(by, 'advance', { by }, `Time advanced by ${by}`))}
            />
          </Section>
          {target !== undefined && (
            <Section level={2} title={target === coming[0] ? 'Jump to what comes next' : 'Jump to what is chosen'}>
              <p>
                {target.title} {target.result !== '' && <Badge tone="ahead">{target.result}</Badge>}{' '}
                <span class="faint">{distanceText(Date.parse(target.at), instant)}</span>
              </p>
              <Actions label="Jump" actions={jumpTo(target.at, 'Jump there')} />
            </Section>
          )}
          <KeyValues
            entries={[
              // Read as the virtual clock ticks.
              ['Real time', `${instantText(Date.now())} UTC`],
              ['Clients’ clocks', skewMs === 0 ? null : `taken to differ by ${durationText(skewMs)}`],
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
          none="Nothing is scheduled"
          hint="Transitions of containers and jobs, refunds, expiries and ends of rate limits appear here."
        />
      </div>
    </>
  );
}
