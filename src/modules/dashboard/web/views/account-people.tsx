// Organizations with their credits, and their users.

import { useSignal } from '@preact/signals';
import type { ControlledUser } from '../../../accounts/control.js';
import type { ControlledOrganization } from '../../../organizations/control.js';
import { post } from '../api.js';
import { Actions } from '../components/actions.js';
import { Choice, Form, filled, flags, TextField } from '../components/fields.js';
import { KeyValues } from '../components/parts.js';
import { hrefOf } from '../route.js';
import { shellQuoted } from '../text.js';
import { Organization } from './account-keys.js';
import { roles } from './account-sessions.js';
import { AccountList, openIn } from './account-tab.js';

export function Users() {
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
          minor: true,
          cell: ({ organizationId: id }) => <code>{id}</code>,
        },
      ]}
      form={<AddUser />}
      detail={({ id, role, email, organizationId }) => (
        <KeyValues
          entries={[
            ['Role', role],
            ['E-mail', email],
            ['Organization', <Organization key="organization" id={organizationId} />],
            ['Id', <code key="id">{id}</code>],
          ]}
        />
      )}
    />
  );
}

function AddUser() {
  const name = useSignal('');
  const role = useSignal('');
  const email = useSignal('');
  const fields = { name: name.value, role: role.value, email: email.value.trim() };
  return (
    <Form>
      <TextField label="Name" value={name} placeholder="one that fits" />
      <Choice label="Role" value={role} options={[['', 'member'], ...roles.map((one) => [one, one] as const)]} />
      <TextField label="E-mail" value={email} placeholder="at example.test" />
      <Actions
        label="Add"
        actions={[
          {
            label: 'Add a user',
            command: `user create${flags(fields, shellQuoted)}`,
            run: async () => openIn('users', (await post<ControlledUser>('/users', filled(fields))).id),
            done: 'The user is added',
          },
        ]}
      />
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
        { title: 'Credits', width: '7rem', align: 'end', cell: ({ credits }) => credits },
        { title: 'Plan', width: '6rem', minor: true, cell: ({ plan }) => plan },
        { title: 'Id', width: 'minmax(0, 2fr)', minor: true, cell: ({ id }) => <code class="faint">{id}</code> },
      ]}
      form={<CreateOrganization />}
      detail={({ id, slug, plan, credits, failNth }) => (
        <>
          <KeyValues
            entries={[
              ['Credits', credits],
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
  const name = useSignal('');
  const credits = useSignal('');
  const plan = useSignal('');
  const texts = { name: name.value, plan: plan.value };
  const amount = credits.value.trim();
  return (
    <Form>
      <TextField label="Name" value={name} placeholder="one that fits" />
      <TextField label="Credits" value={credits} placeholder="as the first one" />
      <Choice label="Plan" value={plan} options={[['', 'free'], 'pro', 'enterprise']} />
      <Actions
        label="Create"
        actions={[
          {
            label: 'Create an organization',
            command: `organization create${flags({ ...texts, credits: amount }, shellQuoted)}`,
            run: async () => {
              const body = { ...filled(texts), ...(amount !== '' && { credits: Number(amount) }) };
              openIn('organizations', (await post<ControlledOrganization>('/organizations', body)).id);
            },
            done: 'The organization is created, with an owner and a key',
          },
        ]}
      />
    </Form>
  );
}
