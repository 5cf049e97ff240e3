// The common parts of the accounts: the row of tabs, a form, a list, and the pane of what is open.

import type { ComponentChildren } from 'preact';
import { ListView, type ListViewProps } from '../components/list-view.js';
import { Empty } from '../components/parts.js';
import { useData } from '../live.js';
import { go, hrefOf, route } from '../route.js';

export const tabs = ['keys', 'sessions', 'wallets', 'users', 'organizations'] as const;
export type Tab = (typeof tabs)[number];

/** The tab of the address: `sessions/51e5…` is one of the sessions. */
export function tabOf(): Tab {
  const [name] = route.value.item.split('/');
  return tabs.find((tab) => tab === name) ?? 'keys';
}

/** Opens one of a tab's records. */
export function openIn(tab: Tab, key: string): void {
  go({ item: `${tab}/${key}` });
}

interface AccountListProps<Row> extends Pick<ListViewProps<Row>, 'note' | 'columns' | 'keyOf' | 'detail'> {
  tab: Tab;
  titleOf: (row: Row) => string;
  /** The form that makes another record. */
  form: ComponentChildren;
  hint: string;
}

/** One kind of records, with the form that makes another one. */
export function AccountList<Row extends object>({ tab, keyOf, form, hint, ...view }: AccountListProps<Row>) {
  const { value, error } = useData<Record<Tab, Row[]>>(`/${tab}`, ['control', 'clock', 'request']);
  return (
    <ListView
      {...view}
      title="Accounts and keys"
      error={error}
      filter={`Filter ${tab}`}
      textOf={(row) => `${keyOf(row)} ${view.titleOf(row)}`}
      label={tab}
      rows={value?.[tab]}
      keyOf={(row) => `${tab}/${keyOf(row)}`}
      closed={tab}
      empty={
        <Empty title={`No ${tab}`}>
          <p>{hint}</p>
        </Empty>
      }
    >
      <div class="chips tabs">
        {tabs.map((one) => (
          <a key={one} class="tab" href={hrefOf({ item: one })} aria-current={one === tab ? 'true' : undefined}>
            {one}
          </a>
        ))}
      </div>
      {form}
    </ListView>
  );
}
