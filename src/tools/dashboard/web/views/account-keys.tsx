// Test keys: minted here; the value of one is shown and copied when asked for.

import { useSignal } from '@preact/signals';
import type { TestKey } from '../../../../platform/keys/control.js';
import { post, remove } from '../api.js';
import { Act } from '../components/actions.js';
import { Field, Form, filled, flags, type Texts } from '../components/form.js';
import { Badge, Instant, KeyValues, Secret, When } from '../components/parts.js';
import { hrefOf } from '../route.js';
import { set } from '../set.js';
import { AccountList, openIn } from './account-tab.js';
import { Organization, useOrganizationNames } from './organization.js';

export function Keys() {
  const nameOf = useOrganizationNames();
  return (
    <AccountList<TestKey>
      tab="keys"
      note="API keys that the emulator made. It shows the value of one when you ask for it."
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
          title: 'Permissions',
          width: 'minmax(0, 2fr)',
          minor: 560,
          cell: ({ permissions }) => permissionText(permissions),
        },
        {
          title: 'Expires',
          width: '8.5rem',
          minor: 560,
          cell: ({ expiresAt }) => (expiresAt === null ? <span class="faint">never</span> : <When at={expiresAt} />),
        },
        {
          title: 'Organization',
          width: 'minmax(0, 2fr)',
          minor: true,
          cell: ({ organizationId }) => nameOf(organizationId),
        },
        { title: 'Id', width: 'minmax(0, 3fr)', minor: true, cell: ({ id }) => <code class="faint">{id}</code> },
      ]}
      form={<Mint />}
      detail={({ id, apiKey, name, organizationId, userId, usable, permissions, expiresAt }) => (
        <>
          <KeyValues
            entries={[
              ['Value', <Secret key={id} value={apiKey} label={`the key ${name}`} />],
              ['State', usable ? 'requests with it are let in' : 'expired, revoked or not active'],
              ['Permissions', permissionText(permissions)],
              ['Expires', expiresAt === null ? 'never' : <Instant key="expires" at={expiresAt} />],
              ['Organization', <Organization key="organization" id={organizationId} name={nameOf(organizationId)} />],
              ['User', <code key="user">{userId}</code>],
              ['Id', <code key="id">{id}</code>],
            ]}
          />
          <Act
            group="Key"
            label="Revoke"
            command={`key revoke ${id}`}
            run={() => remove(`/keys/${id}`)}
            done={`Requests with ${name} are refused from now on`}
            disabled={!usable}
            isDangerous
          />
          <p>
            <a href={hrefOf({ view: 'timeline', filter: id })}>Its requests in the timeline</a>
          </p>
        </>
      )}
    />
  );
}

const permissionText = (permissions: readonly string[]): string =>
  permissions.length === 0 ? 'all' : permissions.join(', ');

function Mint() {
  const texts = useSignal<Texts>({});
  const fields = filled(texts.value, ['name', 'expiresIn']);
  const permissions = (texts.value.permissions ?? '').split(/[\s,]+/).filter((one) => one !== '');
  const list = permissions.length === 0 ? {} : { permissions };
  return (
    <Form
      label="Mint"
      act={{
        label: 'Mint a key',
        command: `key create${flags({ ...fields, ...list })}`,
        run: async () => {
          const { id } = await post<TestKey>('/keys', { ...fields, ...list });
          set(texts, { ...texts.value, name: '' });
          openIn('keys', id);
        },
        done: 'The key is minted',
      }}
    >
      <Field label="Name" name="name" texts={texts} placeholder="Test key" />
      <Field label="Permissions" name="permissions" texts={texts} placeholder="all" />
      <Field label="Expires in" name="expiresIn" texts={texts} placeholder="never" />
    </Form>
  );
}
