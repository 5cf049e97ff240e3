// Faults: the rules that make requests fail, what each has done, and which have never fired.

import { useSignal } from '@preact/signals';
import type { Fault } from '../../../faults/views.js';
import type { JournalEntry } from '../../../journal/journal-entry.js';
import { Actions } from '../components/actions.js';
import { Json } from '../components/json.js';
import { useItem } from '../components/list-view.js';
import { Section, Status, Toggle, Two } from '../components/parts.js';
import { RequestLinks } from '../components/request-links.js';
import { ResourceView } from '../components/resource-view.js';
import { useKeys } from '../keys.js';
import { useData } from '../live.js';
import { hrefOf } from '../route.js';
import { conditionText, effectText, matchText } from './fault-text.js';
import { NewFault } from './new-fault.js';

export function Faults() {
  const isNeverFired = useSignal(false);
  const [item, go] = useItem();
  useKeys([{ key: 'n', does: 'Add a rule', run: () => go('new') }]);
  return (
    <ResourceView<Fault>
      title="Faults"
      note="The rules that make requests fail, how often each has, and which never did."
      operation="faults.list"
      filter="Filter rules"
      isListed={({ hits }) => !isNeverFired.value || hits === 0}
      tools={
        <>
          <Toggle of={isNeverFired}>Never fired</Toggle>
          <button type="button" class="primary" onClick={() => go('new')}>
            Add a rule
          </button>
        </>
      }
      lines={2}
      columns={[
        {
          title: 'Requests, and what happens to them',
          width: 'minmax(0, 3fr)',
          cell: ({ match, effect }) => <Two first={<code>{matchText(match)}</code>} second={effectText(effect)} />,
        },
        {
          title: 'When',
          width: 'minmax(0, 2fr)',
          minor: 600,
          cell: ({ when }) => <span class="wraps">{conditionText(when)}</span>,
        },
        { title: 'Phase', width: '4.5rem', minor: true, cell: ({ phase }) => phase },
        { title: 'State', width: '5rem', cell: ({ state }) => <Status of={state} /> },
        { title: 'Hits', width: '3rem', align: 'end', cell: ({ hits }) => (hits === 0 ? 'never' : hits) },
      ]}
      hint={
        <p>
          Add one, or open a request in the <a href={hrefOf({ view: 'timeline' })}>timeline</a> and let the next one
          like it fail.
        </p>
      }
      known={({ match, when, effect, phase, hits, seen }) => ({
        match: <code>{matchText(match)}</code>,
        when: conditionText(when),
        effect: effectText(effect),
        phase: phases[phase] ?? phase,
        hits: `${hits} of ${seen} ${seen === 1 ? 'request' : 'requests'} that it matched`,
        seen: null,
      })}
      actions={(_, id) => [
        {
          label: 'Remove',
          operation: 'faults.remove',
          input: { id },
          next: () => go(''),
          done: `${id} is removed`,
          isDangerous: true,
        },
      ]}
      more={(fault) => <Hits fault={fault} />}
      pane={
        /^new( |$)/.test(item) && {
          title: 'New fault rule',
          content: <NewFault requestId={item.slice('new '.length)} />,
        }
      }
    >
      <div class="bar">
        <Actions
          label="All rules"
          actions={[
            { label: 'Remove all rules', operation: 'faults.clear', done: 'No rule is left', isDangerous: true },
          ]}
        />
      </div>
    </ResourceView>
  );
}

function Hits({ fault }: { fault: Fault }) {
  const { value } = useData<{ requests: JournalEntry[] }>('/requests', ['request'], { faulted: true, limit: 1_000 });
  const hit = (value?.requests ?? []).filter((request) => request.fault === fault.id);
  return (
    <>
      {fault.hits === 0 && <p class="faint">It has never fired: no client has met this fault yet.</p>}
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
