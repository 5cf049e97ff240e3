// Assumptions: what is answered where the platform says nothing, and which of it the client has met.

import { useSignal } from '@preact/signals';
import type { ListedAssumption } from '../../../worlds/info.js';
import { Command } from '../components/actions.js';
import { type Column, List } from '../components/list.js';
import { Badge, Detail, Empty, Filter, KeyValues, Problem, Two, Unread, ViewHead } from '../components/parts.js';
import { useData } from '../live.js';
import { go, hrefOf, route } from '../route.js';
import { set } from '../set.js';

export function Assumptions() {
  const { value, error } = useData<{ assumptions: ListedAssumption[] }>('/assumptions', ['request']);
  const filter = useSignal('');
  const isMetOnly = useSignal(false);
  const words = filter.value.toLowerCase();
  const all = value?.assumptions ?? [];
  const rows = all.filter(
    ({ id, text, setting, requests }) =>
      `${id} ${text} ${setting ?? ''}`.toLowerCase().includes(words) && (!isMetOnly.value || requests > 0),
  );
  const open = all.find(({ id }) => id === route.value.item);
  const met = all.filter(({ requests }) => requests > 0).length;
  return (
    <>
      <ViewHead
        title="Assumptions"
        note="What the emulator assumes where the platform’s documents are silent, and the setting for it."
      >
        <Filter value={filter.value} placeholder="Filter assumptions" onInput={(text) => set(filter, text)} />
        <button type="button" aria-pressed={isMetOnly.value} onClick={() => set(isMetOnly, !isMetOnly.value)}>
          {`Met by requests (${met})`}
        </button>
      </ViewHead>
      <Problem text={error} />
      <div class="bar">
        <Command text="assumptions" />
      </div>
      <div class="split">
        <List
          label="Assumptions"
          lines={2}
          rows={rows}
          columns={columns}
          keyOf={({ id }) => id}
          open={open?.id}
          onOpen={({ id }) => go({ item: id })}
          empty={
            value === undefined ? (
              <Unread error={error} />
            ) : (
              <Empty title="None fits">
                <p>Requests whose responses rest on an assumption are counted here.</p>
              </Empty>
            )
          }
        />
        {open !== undefined && (
          <Detail title={open.id} onClose={() => go({ item: '' })}>
            <AssumptionParts assumption={open} />
          </Detail>
        )}
      </div>
    </>
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
