// Credits: what each organization has, how it came to that, and what is to come of its next charges.

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { LedgerEntry } from '../../../../platform/credits/control.js';
import type { ControlledOrganization } from '../../../../platform/organizations/control.js';
import { Plot } from '../components/charts.js';
import { Facts } from '../components/fields.js';
import { type Action, Actions, DeclaredFields, inputOf, type Texts } from '../components/form.js';
import { ListView } from '../components/list.js';
import { Section, Select } from '../components/parts.js';
import { now, useData } from '../emulator.js';
import { go, route } from '../page.js';
import { creditsText, signedText } from '../text.js';

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
      error={error || problem}
      filter="Filter movements"
      tools={
        <Select
          aria-label="Organization"
          value={organization?.id ?? ''}
          options={organizations.map(({ id, name }) => [id, name])}
          onPick={(id) => {
            chosen.value = id;
            go({ item: '' });
          }}
        />
      }
      beside={organization !== undefined && <Balance organization={organization} movements={own} />}
      label="Movements"
      rows={value && own.toReversed()}
      columns="at? type reason amount balanceAfter?"
      keyOf={({ id }) => id}
      none="No movements"
      hint="Credits move when a client deploys, speaks or chats, and when they are set here."
      titleOf={({ reason }) => reason}
      detail={(movement) => <Movement movement={movement} />}
    />
  );
}

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
  const { times, values } = useMemo(() => courseOf(movements, now.peek()), [movements.at(-1)?.id, credits]);
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
          series={{ title: 'Balance', colour: '--accent', values }}
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
function courseOf(movements: readonly NetMovement[], at = 0): { times: number[]; values: number[] } {
  const last = movements.at(-1);
  const all = last === undefined || at <= Date.parse(last.at) ? movements : [...movements, { ...last, at }];
  return { times: all.map((one) => +new Date(one.at)), values: all.map(({ balanceAfter }) => balanceAfter) };
}

const kinds: Record<string, string> = {
  charge: 'A price was taken for what was asked for.',
  refund: 'A charge was given back, because what it paid for failed.',
  seed: 'What an organization has at first.',
  adjustment: 'Changed by the control plane.',
};

/** How a movement changed a balance, with what it was. */
export function Change({ what, of }: { what: preact.ComponentChildren; of: LedgerEntry }) {
  return (
    <p class="bar">
      <span>{what}</span>
      <span>
        {creditsText(of.balanceBefore)} → {creditsText(of.balanceAfter)} <strong>{signedText(of.amount)}</strong>
      </span>
    </p>
  );
}

function Movement({ movement }: { movement: NetMovement }) {
  const { id, type, amount, unused, priceRule, operation, requestId, subject, at } = movement;
  const reserved = `${creditsText(unused - amount)} at first, of which ${creditsText(unused)} was not used`;
  return (
    <>
      <Change what={kinds[type] ?? type} of={movement} />
      <Facts
        of={{ at, priceRule, operation, requestId, subject, id }}
        known={{ reserved: unused === 0 ? null : reserved }}
      />
    </>
  );
}

interface NetMovement extends LedgerEntry {
  /** The part of a reservation that was given back when the price was known. */
  unused: number;
}

/**
 * The movements of a ledger, in which a reservation and its settlement are one, in the place of the settlement. The refund
 * of a deployment or a job stays by itself: it comes later, of something that failed.
 */
function netted(ledger: readonly LedgerEntry[]): NetMovement[] {
  const movements = new Map<string, NetMovement>();
  const reserved = new Map<string, NetMovement>();
  for (const entry of ledger) {
    const movement: NetMovement = { ...entry, unused: 0 };
    const { type, requestId, subject } = entry;
    const charge = type === 'refund' && subject === null ? reserved.get(requestId ?? '') : undefined;
    if (charge !== undefined) {
      movements.delete(charge.id);
      reserved.delete(requestId ?? '');
      const { id, reason, balanceBefore } = charge;
      const amount = rounded(charge.amount + entry.amount);
      movements.set(id, { ...movement, id, type: charge.type, reason, balanceBefore, amount, unused: entry.amount });
      continue;
    }
    movements.set(movement.id, movement);
    if (type === 'charge' && subject === null && requestId !== null) reserved.set(requestId, movement);
  }
  return [...movements.values()];
}

// Credits have six decimals; a sum of floating-point numbers can have more.
function rounded(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}
