// The common parts of the accounts: the row of tabs, a form, a list, and the pane of what is open.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { type Column, List } from '../components/list.js';
import { Detail, Empty, Filter, Problem, Unread, ViewHead } from '../components/parts.js';
import { useData } from '../live.js';
import { go, hrefOf, route } from '../route.js';
import { set } from '../set.js';

export const tabs = ['keys', 'sessions', 'wallets', 'users', 'organizations'] as const;
export type Tab = (typeof tabs)[number];

/** The tab of the address: `sessions/51e5…` is one of the sessions. */
export function tabOf(): Tab {
  const [name] = route.value.item.split('/');
  return tabs.find((tab) => tab === name) ?? 'keys';
}

/** Opens one of a tab's records; '' closes the pane. */
export function openIn(tab: Tab, key: string): void {
  go({ item: key === '' ? tab : `${tab}/${key}` });
}

interface AccountListProps<Row> {
  tab: Tab;
  note: string;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  titleOf: (row: Row) => string;
  /** The form that makes another record. */
  form: ComponentChildren;
  hint: string;
  detail: (row: Row) => ComponentChildren;
}

/** One kind of records, with the form that makes another one. */
export function AccountList<Row extends object>(props: AccountListProps<Row>) {
  const { tab, note, columns, keyOf, titleOf, form, hint, detail } = props;
  const { value, error } = useData<Record<Tab, Row[]>>(`/${tab}`, ['control', 'clock', 'request']);
  const filter = useSignal('');
  const words = filter.value.toLowerCase();
  const all = value?.[tab] ?? [];
  const rows = all.filter((row) => `${keyOf(row)} ${titleOf(row)}`.toLowerCase().includes(words));
  const open = all.find((row) => route.value.item === `${tab}/${keyOf(row)}`);
  return (
    <>
      <ViewHead title="Accounts and keys" note={note}>
        <Filter value={filter.value} placeholder={`Filter ${tab}`} onInput={(text) => set(filter, text)} />
      </ViewHead>
      <div class="chips tabs">
        {tabs.map((one) => (
          <a key={one} class="tab" href={hrefOf({ item: one })} aria-current={one === tab ? 'true' : undefined}>
            {one}
          </a>
        ))}
      </div>
      <Problem text={error} />
      {form}
      <div class="split">
        <List
          label={tab}
          rows={rows}
          columns={columns}
          keyOf={keyOf}
          open={open === undefined ? undefined : keyOf(open)}
          onOpen={(row) => openIn(tab, keyOf(row))}
          empty={
            value === undefined ? (
              <Unread error={error} />
            ) : (
              <Empty title={`No ${tab}`}>
                <p>{hint}</p>
              </Empty>
            )
          }
        />
        {open !== undefined && (
          <Detail title={titleOf(open)} onClose={() => openIn(tab, '')}>
            {detail(open)}
          </Detail>
        )}
      </div>
    </>
  );
}
