// Credits: what each organization has, how it came to that, and what is to come of its next charges.

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { LedgerEntry } from '../../../../platform/credits/control.js';
import type { ControlledOrganization } from '../../../../platform/organizations/control.js';
import { type Action, Actions } from '../components/actions.js';
import { Facts } from '../components/fields.js';
import { DeclaredFields, inputOf, type Texts } from '../components/form.js';
import type { Column } from '../components/list.js';
import { ListView } from '../components/list-view.js';
import { Badge, Empty, Section, When } from '../components/parts.js';
import { Plot } from '../components/plot.js';
import { now, useData } from '../live.js';
import { go, route } from '../route.js';
import { creditsText, signedText } from '../text.js';
import { type NetMovement, netted } from './net-movements.js';

const topics = ['request', 'container', 'control', 'clock', 'second'] as const;

export function Credits() {
  const { value: known, error } = useData<{ organizations: ControlledOrganization[] }>('/organizations', topics);
  const { value, error: problem } = useData<{ ledger: LedgerEntry[] }>('/ledger', topics);
  const chosen = useSignal('');
  const organizations = known?.organizations ?? [];
  const movements = useMemo(() => netted(value?.ledger ?? []), [value]);
  const open = movements.find(({ id }) => id === route.value.item);
  const organization =
    organizations.find(({ id }) => id === (open?.organizationId ?? chosen.value)) ?? organizations[0];
  const own = movements.filter(({ organizationId }) => organizationId === organization?.id);
  return (
    <ListView
      title="Credits"
      note="The balance of each organization, and every movement that led to it."
      error={error || problem}
      filter="Filter movements"
      tools={
        <select
          aria-label="Organization"
          value={organization?.id ?? ''}
          onChange={({ currentTarget }) => {
            chosen.value = currentTarget.value;
            go({ item: '' });
          }}
        >
          {organizations.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      }
      beside={organization !== undefined && <Balance organization={organization} movements={own} />}
      label="Movements"
      rows={value && [...own].reverse()}
      columns={columns}
      keyOf={({ id }) => id}
      empty={
        <Empty title="No movements">
          <p>Credits move when a client deploys, speaks or chats, and when they are set here.</p>
        </Empty>
      }
      titleOf={({ reason }) => reason}
      detail={(movement) => <Movement movement={movement} />}
    />
  );
}

function Amount({ amount }: { amount: number }) {
  return <span class={amount > 0 ? 'good' : ''}>{signedText(amount)}</span>;
}

const columns: readonly Column<NetMovement>[] = [
  { title: 'At', width: '8.5rem', minor: true, cell: ({ at }) => <When at={at} /> },
  { title: 'What', width: '7.5rem', cell: ({ type }) => <Badge>{type}</Badge> },
  { title: 'Why', width: 'minmax(0, 3fr)', cell: ({ reason }) => reason },
  { title: 'Amount', width: '8rem', align: 'end', cell: ({ amount }) => <Amount amount={amount} /> },
  {
    title: 'Balance',
    width: '8.5rem',
    align: 'end',
    minor: true,
    cell: ({ balanceAfter }) => creditsText(balanceAfter),
  },
];

function Balance({ organization, movements }: { organization: ControlledOrganization; movements: NetMovement[] }) {
  const { id, name, slug, plan, credits, failNth } = organization;
  const texts = useSignal<Texts>({ failNth: '1' });
  const input = inputOf('organizations.credits', texts.value);
  const change = (field: 'set' | 'add' | 'failNth', label: string, done: string): Action => ({
    label,
    operation: 'organizations.credits',
    input: { id, [field]: input[field] },
    done,
    disabled: input[field] === undefined,
  });
  const { times, values } = useMemo(
    () => courseOf(movements, now.peek()),
    [movements.length, movements.at(-1)?.id, credits],
  );
  return (
    <>
      <div class="card stack">
        <small>
          {name} · {slug} · plan {plan}
        </small>
        <strong>{creditsText(credits)}</strong>
        <small>credits</small>
      </div>
      {failNth !== null && (
        <p class="card bad" role="status">
          {failNth === 1 ? 'Its next charge is refused' : `Charge ${failNth} from now is refused`}, whatever the
          balance.
        </p>
      )}
      <Section title="Balance over time" level={2}>
        <Plot
          key={id}
          label="Balance"
          times={times}
          series={[{ title: 'Balance', colour: '--accent', values }]}
          now={now.value}
          unit="credits"
          isStepped
        />
      </Section>
      <Section title="Change it" level={2}>
        <div class="fields">
          <DeclaredFields
            operation="organizations.credits"
            fields="set add failNth"
            texts={texts}
            known={{
              set: { label: 'Set to', placeholder: '100' },
              add: { label: 'Add (negative takes)', placeholder: '10' },
              failNth: { label: 'Refuse charge number' },
            }}
          />
        </div>
        <Actions
          label="Credits"
          actions={[
            change('set', 'Set', `The balance of ${name} is set`),
            change('add', 'Add', `The balance of ${name} is changed`),
            change('failNth', 'Refuse a charge', 'That charge will get a 402'),
          ]}
        />
      </Section>
    </>
  );
}

// From one movement to the next, and until now.
function courseOf(movements: readonly NetMovement[], at: number | undefined): { times: number[]; values: number[] } {
  const times = movements.map((one) => Date.parse(one.at));
  const values = movements.map(({ balanceAfter }) => balanceAfter);
  const [last, balance] = [times.at(-1), values.at(-1)];
  if (at === undefined || last === undefined || balance === undefined || at <= last) return { times, values };
  return { times: [...times, at], values: [...values, balance] };
}

const kinds: Record<string, string> = {
  charge: 'A price was taken for what was asked for.',
  refund: 'A charge was given back, because what it paid for failed.',
  seed: 'What an organization has at first.',
  adjustment: 'Changed by the control plane.',
};

function Movement({ movement }: { movement: NetMovement }) {
  const { id, type, amount, unused, balanceBefore, balanceAfter, priceRule, operation, requestId, subject, at } =
    movement;
  return (
    <>
      <p class="bar">
        <span>{kinds[type] ?? type}</span>
        <span>
          {creditsText(balanceBefore)} → {creditsText(balanceAfter)} <strong>{signedText(amount)}</strong>
        </span>
      </p>
      <Facts
        of={{ at, priceRule, operation, requestId, subject, id }}
        known={{
          reserved:
            unused === 0
              ? null
              : `${creditsText(unused - amount)} at first, of which ${creditsText(unused)} was not used`,
        }}
      />
    </>
  );
}
