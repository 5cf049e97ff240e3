// Assumptions: what is answered where the platform says nothing, and which of it the client has met.

import { useSignal } from '@preact/signals';
import type { ListedAssumption } from '../../../worlds/info.js';
import { Command } from '../components/actions.js';
import type { Column } from '../components/list.js';
import { ListView } from '../components/list-view.js';
import { Badge, Empty, KeyValues, Toggle, Two } from '../components/parts.js';
import { useData } from '../live.js';
import { hrefOf } from '../route.js';

export function Assumptions() {
  const { value, error } = useData<{ assumptions: ListedAssumption[] }>('/assumptions', ['request']);
  const isMetOnly = useSignal(false);
  const met = value?.assumptions.filter(({ requests }) => requests > 0).length ?? 0;
  return (
    <ListView
      title="Assumptions"
      note="What the emulator assumes where the platform’s documents are silent, and the setting for it."
      error={error}
      filter="Filter assumptions"
      textOf={({ id, text, setting = '' }) => `${id} ${text} ${setting}`}
      isListed={({ requests }) => !isMetOnly.value || requests > 0}
      tools={<Toggle of={isMetOnly}>{`Met by requests (${met})`}</Toggle>}
      rows={value?.assumptions}
      columns={columns}
      lines={2}
      keyOf={({ id }) => id}
      empty={
        <Empty title="None fits">
          <p>Requests whose responses rest on an assumption are counted here.</p>
        </Empty>
      }
      detail={(assumption) => <AssumptionParts assumption={assumption} />}
    >
      <div class="bar">
        <Command text="assumptions" />
      </div>
    </ListView>
  );
}

/** In a narrower list the ids stand above the texts. */
const idPx = 700;

const columns: readonly Column<ListedAssumption>[] = [
  {
    title: 'Met',
    width: '3.5rem',
    cell: ({ requests }) => (requests === 0 ? <span class="faint">–</span> : <Badge tone="warning">{requests}</Badge>),
  },
  {
    title: 'Id',
    width: 'minmax(0, 12rem)',
    minor: idPx,
    cell: ({ id }) => <code>{id}</code>,
  },
  {
    title: 'What is assumed',
    width: 'minmax(0, 4fr)',
    cell: ({ id, text }, width) =>
      width < idPx ? <Two first={<code>{id}</code>} second={text} /> : <span class="wraps">{text}</span>,
  },
  {
    title: 'Setting',
    width: 'minmax(0, 1fr)',
    minor: true,
    cell: ({ setting }) => (setting === undefined ? <span class="faint">–</span> : <code>{setting}</code>),
  },
  { title: 'About', width: '6rem', minor: true, cell: ({ level }) => <span class="faint">{level}</span> },
];

function AssumptionParts({
  assumption: { text, setting, level, requests, lastRequestId },
}: {
  assumption: ListedAssumption;
}) {
  return (
    <>
      <p>{text}</p>
      <KeyValues
        entries={[
          [
            'About',
            { detail: 'a header or a text', body: 'the shape of a response', operation: 'a whole operation' }[level],
          ],
          ['Setting', setting === undefined ? 'none changes it' : <code key="setting">{setting}</code>],
          ['Requests', requests === 0 ? 'none has met it' : requests],
          [
            'The latest',
            lastRequestId === null ? null : (
              <a key="latest" href={hrefOf({ view: 'timeline', filter: lastRequestId })}>
                {lastRequestId}
              </a>
            ),
          ],
        ]}
      />
    </>
  );
}
