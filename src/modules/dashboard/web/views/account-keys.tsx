// Test keys: minted here; the value of one is shown and copied when asked for.

import { useSignal } from '@preact/signals';
import type { TestKey } from '../../../keys/control.js';
import { post, remove } from '../api.js';
import { Actions } from '../components/actions.js';
import { Form, filled, flags, TextField } from '../components/fields.js';
import { Badge, KeyValues, Secret } from '../components/parts.js';
import { hrefOf } from '../route.js';
import { shellQuoted } from '../text.js';
import { AccountList, openIn } from './account-tab.js';

export function Keys() {
  return (
    <AccountList<TestKey>
      tab="keys"
      note="Test keys whose values the emulator can tell, one by one."
      keyOf={({ id }) => id}
      titleOf={({ name }) => name}
      hint="Mint one above."
      columns={[
        { title: 'Name', width: 'minmax(0, 2fr)', cell: ({ name }) => <strong>{name}</strong> },
        {
          title: 'State',
          width: '6.5rem',
          cell: ({ usable }) => <Badge tone={usable ? 'good' : 'warning'}>{usable ? 'usable' : 'unusable'}</Badge>,
        },
        {
          title: 'Organization',
          width: 'minmax(0, 2fr)',
          minor: true,
          cell: ({ organizationId: id }) => <code>{id}</code>,
        },
        { title: 'Id', width: 'minmax(0, 2fr)', minor: true, cell: ({ id }) => <code class="faint">{id}</code> },
      ]}
      form={<Mint />}
      detail={({ id, apiKey, name, organizationId, userId, usable }) => (
        <>
          <KeyValues
            entries={[
              ['Value', <Secret key={id} value={apiKey} label={`the key ${name}`} />],
              ['State', usable ? 'requests with it are let in' : 'expired, revoked or not active'],
              ['Organization', <Organization key="organization" id={organizationId} />],
              ['User', <code key="user">{userId}</code>],
              ['Id', <code key="id">{id}</code>],
            ]}
          />
          <Actions
            label="Key"
            actions={[
              {
                label: 'Revoke',
                command: `key revoke ${id}`,
                run: () => remove(`/keys/${id}`),
                done: `Requests with ${name} are refused from now on`,
                disabled: !usable,
                isDangerous: true,
              },
            ]}
          />
          <p>
            <a href={hrefOf({ view: 'timeline', filter: id })}>Its requests in the timeline</a>
          </p>
        </>
      )}
    />
  );
}

/** A link to an organization. */
export function Organization({ id }: { id: string }) {
  return (
    <a href={hrefOf({ view: 'accounts', item: `organizations/${id}` })}>
      <code>{id}</code>
    </a>
  );
}

function Mint() {
  const name = useSignal('');
  const permissions = useSignal('');
  const lifetime = useSignal('');
  const list = permissions.value.split(/[\s,]+/).filter((one) => one !== '');
  const texts = { name: name.value, 'expires-in': lifetime.value.trim() };
  return (
    <Form>
      <TextField label="Name" value={name} placeholder="Test key" />
      <TextField label="Permissions" value={permissions} placeholder="all" />
      <TextField label="Expires in" value={lifetime} placeholder="never" />
      <Actions
        label="Mint"
        actions={[
          {
            label: 'Mint a key',
            command: `key create${flags({ ...texts, permissions: list.join(',') }, shellQuoted)}`,
            run: async () => {
              const { id } = await post<TestKey>('/keys', {
                ...filled({ name: name.value, expiresIn: lifetime.value.trim() }),
                ...(list.length > 0 && { permissions: list }),
              });
              name.value = '';
              openIn('keys', id);
            },
            done: 'The key is minted',
          },
        ]}
      />
    </Form>
  );
}
