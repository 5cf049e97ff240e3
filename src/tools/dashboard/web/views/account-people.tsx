// Organizations with their credits, and their users.

import { useSignal } from '@preact/signals';
import type { ControlledUser } from '../../../../platform/accounts/control.js';
import type { ControlledOrganization } from '../../../../platform/organizations/control.js';
import { post } from '../api.js';
import { Field, Form, filled, flags, type Texts } from '../components/form.js';
import { KeyValues } from '../components/parts.js';
import { hrefOf } from '../route.js';
import { creditsText } from '../text.js';
import { roles } from './account-sessions.js';
import { AccountList, openIn } from './account-tab.js';
import { Organization, useOrganizationNames } from './organization.js';

export function Users() {
  const nameOf = useOrganizationNames();
  return (
    <AccountList<ControlledUser>
      tab="users"
      note="The users whom the login page offers."
      keyOf={({ id }) => id}
      titleOf={({ name }) => name}
      hint="Add one above."
      columns={[
        { title: 'Name', width: 'minmax(0, 2fr)', cell: ({ name }) => <strong>{name}</strong> },
        { title: 'Role', width: '6rem', cell: ({ role }) => role },
        { title: 'E-mail', width: 'minmax(0, 2fr)', minor: true, cell: ({ email }) => email ?? '–' },
        {
          title: 'Organization',
          width: 'minmax(0, 2fr)',
          minor: 560,
          cell: ({ organizationId }) => nameOf(organizationId),
        },
      ]}
      form={<AddUser />}
      detail={({ id, role, email, organizationId }) => (
        <KeyValues
          entries={[
            ['Role', role],
            ['E-mail', email],
            ['Organization', <Organization key="organization" id={organizationId} name={nameOf(organizationId)} />],
            ['Id', <code key="id">{id}</code>],
          ]}
        />
      )}
    />
  );
}

function AddUser() {
  const texts = useSignal<Texts>({});
  const fields = filled(texts.value, ['name', 'role', 'email']);
  return (
    <Form
      label="Add"
      act={{
        label: 'Add a user',
        command: `user create${flags(fields)}`,
        run: async () => openIn('users', (await post<ControlledUser>('/users', fields)).id),
        done: 'The user is added',
      }}
    >
      <Field label="Name" name="name" texts={texts} placeholder="one that fits" />
      <Field label="Role" name="role" texts={texts} options={roles.filter((role) => role !== 'member')} none="member" />
      <Field label="E-mail" name="email" texts={texts} placeholder="at example.test" />
    </Form>
  );
}

export function Organizations() {
  return (
    <AccountList<ControlledOrganization>
      tab="organizations"
      note="Who pays: organizations, their plans and balances."
      keyOf={({ id }) => id}
      titleOf={({ name }) => name}
      hint="Create one above."
      columns={[
        { title: 'Name', width: 'minmax(0, 2fr)', cell: ({ name }) => <strong>{name}</strong> },
        { title: 'Credits', width: '7rem', align: 'end', cell: ({ credits }) => creditsText(credits) },
        { title: 'Plan', width: '6rem', minor: true, cell: ({ plan }) => plan },
        { title: 'Id', width: 'minmax(0, 2fr)', minor: true, cell: ({ id }) => <code class="faint">{id}</code> },
      ]}
      form={<CreateOrganization />}
      detail={({ id, slug, plan, credits, failNth }) => (
        <>
          <KeyValues
            entries={[
              ['Credits', creditsText(credits)],
              ['Plan', plan],
              ['Slug', <code key="slug">{slug}</code>],
              ['Refused charge', failNth === null ? null : `the ${failNth}. from now`],
              ['Id', <code key="id">{id}</code>],
            ]}
          />
          <p>
            <a href={hrefOf({ view: 'credits' })}>Its credits</a>
          </p>
        </>
      )}
    />
  );
}

function CreateOrganization() {
  const texts = useSignal<Texts>({});
  const fields = filled(texts.value, ['name', 'plan', 'credits'], ['credits']);
  return (
    <Form
      label="Create"
      act={{
        label: 'Create an organization',
        command: `organization create${flags(fields)}`,
        run: async () => openIn('organizations', (await post<ControlledOrganization>('/organizations', fields)).id),
        done: 'The organization is created, with an owner and a key',
      }}
    >
      <Field label="Name" name="name" texts={texts} placeholder="one that fits" />
      <Field label="Credits" name="credits" texts={texts} type="number" placeholder="as the first one" />
      <Field label="Plan" name="plan" texts={texts} options={['pro', 'enterprise']} none="free" />
    </Form>
  );
}
