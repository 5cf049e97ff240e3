// Faults: the rules that make requests fail, what each has done, and which have never fired.

import { useSignal } from '@preact/signals';
import type { Fault } from '../../../faults/views.js';
import type { JournalEntry } from '../../../journal/journal-entry.js';
import { remove } from '../api.js';
import { Act } from '../components/actions.js';
import { Json } from '../components/json.js';
import type { Column } from '../components/list.js';
import { ListView } from '../components/list-view.js';
import { Either, Empty, Instant, KeyValues, Section, Status, Two } from '../components/parts.js';
import { RequestLinks } from '../components/request-links.js';
import { useKeys } from '../keys.js';
import { useData } from '../live.js';
import { go, hrefOf, route } from '../route.js';
import { shellQuoted } from '../text.js';
import { conditionText, effectText, matchText } from './fault-text.js';
import { NewFault } from './new-fault.js';

export function Faults() {
  const { value, error } = useData<{ faults: Fault[] }>('/faults', ['request', 'control', 'clock']);
  const isNeverFired = useSignal(false);
  const all = value?.faults ?? [];
  const { item } = route.value;
  useKeys([{ key: 'n', does: 'Add a rule', run: () => go({ item: 'new' }) }]);
  return (
    <ListView
      title="Faults"
      note="The rules that make requests fail, how often each has, and which never did."
      error={error}
      filter="Filter rules"
      isListed={({ hits }) => !isNeverFired.value || hits === 0}
      tools={
        <button type="button" class="primary" onClick={() => go({ item: 'new' })}>
          Add a rule
        </button>
      }
      label="Fault rules"
      rows={value?.faults}
      columns={columns}
      lines={2}
      keyOf={({ id }) => id}
      empty={<NoRules hasSome={all.length > 0} />}
      detail={(fault) => <Rule fault={fault} />}
      pane={
        /^new( |$)/.test(item) && {
          title: 'New fault rule',
          content: <NewFault requestId={item.slice('new '.length)} />,
        }
      }
    >
      {all.length > 0 && (
        <div class="view-acts">
          <div class="chips">
            <Either
              of={isNeverFired}
              no={`All ${all.length}`}
              yes={`Never fired ${all.filter(({ hits }) => hits === 0).length}`}
            />
          </div>
          <Act
            group="All rules"
            label="Remove all rules"
            command="faults clear"
            run={() => remove('/faults')}
            done="No rule is left"
            isDangerous
          />
        </div>
      )}
    </ListView>
  );
}

/** In a narrower list the effects stand beneath the requests. */
const effectPx = 600;

const columns: readonly Column<Fault>[] = [
  {
    title: 'Requests',
    width: 'minmax(0, 3fr)',
    cell: ({ match, effect }, width) => {
      const requests = <code>{matchText(match)}</code>;
      return width < effectPx ? <Two first={requests} second={effectText(effect)} /> : requests;
    },
  },
  {
    title: 'Effect',
    width: 'minmax(0, 2fr)',
    minor: effectPx,
    cell: ({ effect }) => <span class="wraps">{effectText(effect)}</span>,
  },
  {
    title: 'When',
    width: 'minmax(0, 2fr)',
    minor: 760,
    cell: ({ when }) => <span class="wraps">{conditionText(when)}</span>,
  },
  { title: 'Phase', width: '4.5rem', minor: true, cell: ({ phase }) => <span class="faint">{phase}</span> },
  { title: 'State', width: '5rem', cell: ({ state }) => <Status of={state} /> },
  {
    title: 'Hits',
    width: '3rem',
    align: 'end',
    cell: ({ hits }) => (hits === 0 ? <span class="faint">never</span> : hits),
  },
];

function NoRules({ hasSome }: { hasSome: boolean }) {
  if (hasSome) return <Empty title="No such rule">Every rule that fits has fired.</Empty>;
  return (
    <Empty title="No fault rules">
      <p>
        Add one, or open a request in the <a href={hrefOf({ view: 'timeline' })}>timeline</a> and let the next one like
        it fail.
      </p>
      <button type="button" onClick={() => go({ item: 'new' })}>
        Add a rule
      </button>
    </Empty>
  );
}

function Rule({ fault }: { fault: Fault }) {
  const { id, state, hits, seen, phase, match, when, effect, createdAt, expiresAt } = fault;
  const { value } = useData<{ requests: JournalEntry[] }>('/requests', ['request'], { faulted: true, limit: 1_000 });
  const hit = (value?.requests ?? []).filter((request) => request.fault === id);
  return (
    <>
      <KeyValues
        entries={[
          ['State', <Status key="state" of={state} />],
          ['Requests', <code key="match">{matchText(match)}</code>],
          ['When', conditionText(when)],
          ['Effect', effectText(effect)],
          ['Phase', phases[phase] ?? phase],
          ['Hits', `${hits} of ${seen} ${seen === 1 ? 'request' : 'requests'} that it matched`],
          ['Added', <Instant key="added" at={createdAt} />],
          ['Expires', expiresAt === null ? null : <Instant key="expires" at={expiresAt} />],
        ]}
      />
      {hits === 0 && <p class="faint">It has never fired: no client has met this fault yet.</p>}
      <Act
        group="The rule"
        label="Remove"
        command={`faults remove ${shellQuoted(id)}`}
        run={async () => {
          await remove(`/faults/${encodeURIComponent(id)}`);
          go({ item: '' });
        }}
        done={`${id} is removed`}
        isDangerous
      />
      {hit.length > 0 && (
        <Section title="Requests on which it fired">
          <RequestLinks requests={hit} />
        </Section>
      )}
      <Section title="The rule in full">
        <div class="code">
          <Json value={fault} />
        </div>
      </Section>
    </>
  );
}

const phases: Record<string, string> = {
  before: 'before: instead of the operation',
  after: 'after: once the operation has taken effect',
  partial: 'partial: during the response',
};
