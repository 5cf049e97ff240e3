// Callers, whose requests are counted, by their names: keys, wallets, users, addresses.

import { useData } from '../live.js';
import { hrefOf } from '../route.js';

interface NamedKey {
  id: string;
  name: string;
}

const kinds: Record<string, (id: string) => string> = {
  key: (id) => `key ${id.slice(0, 8)}`,
  secret: (id) => `an unknown key (${id.slice(0, 8)})`,
  wallet: (id) => `wallet ${id.slice(0, 8)}`,
  user: (id) => `user ${id.slice(0, 8)}`,
  session: (id) => `session ${id.slice(0, 8)}`,
  address: (id) => `address ${id}`,
};

/** A caller such as `key:<id>` as people call it; a test key by its name. */
export function callerName(caller: string, keys: readonly NamedKey[] = []): string {
  const [kind = '', id = ''] = /^([a-z]+):(.*)$/s.exec(caller)?.slice(1) ?? [];
  const key = kind === 'key' ? keys.find((one) => one.id === id) : undefined;
  return key?.name ?? kinds[kind]?.(id) ?? caller;
}

/** Returns the function that names callers. */
export function useCallerNames(): (caller: string) => string {
  const { value } = useData<{ keys: NamedKey[] }>('/keys', ['control']);
  return (caller) => callerName(caller, value?.keys);
}

/** A caller; a test key leads to what is known of it. */
export function Caller({ caller }: { caller: string }) {
  const { value } = useData<{ keys: NamedKey[] }>('/keys');
  const key = value?.keys.find(({ id }) => caller === `key:${id}`);
  if (key === undefined)
    return (
      <>
        {callerName(caller)} <code class="faint">{caller}</code>
      </>
    );
  return (
    <>
      <a href={hrefOf({ view: 'accounts', item: `keys/${key.id}` })}>{key.name}</a> <code class="faint">{key.id}</code>
    </>
  );
}
