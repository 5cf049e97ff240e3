// Sessions of users who are signed in: created for tests, revoked.

import { useSignal } from '@preact/signals';
import type { ControlledSession } from '../../../../platform/sessions/control.js';
import { post, remove } from '../api.js';
import { Act } from '../components/actions.js';
import { Field, Form, filled, flags, type Texts } from '../components/form.js';
import { Instant, KeyValues, Secret, Status } from '../components/parts.js';
import { instantText } from '../text.js';
import { AccountList, openIn } from './account-tab.js';
import { Organization, useOrganizationNames } from './organization.js';

export function Sessions() {
  return (
    <AccountList<ControlledSession>
      tab="sessions"
      note="Users who are signed in; those created here have a token and a cookie to use."
      keyOf={({ id }) => id}
      titleOf={({ email, userId }) => email ?? userId}
      hint="Create one above, or sign in on the login page."
      columns={[
        { title: 'User', width: 'minmax(0, 2fr)', cell: ({ email, userId }) => email ?? userId },
        { title: 'State', width: '6.5rem', cell: ({ state }) => <Status of={state} /> },
        { title: 'Role', width: '6rem', minor: true, cell: ({ role }) => role },
        {
          title: 'Expires',
          width: 'minmax(0, 2fr)',
          minor: true,
          cell: ({ expiresAt }) => <span class="faint">{instantText(expiresAt)}</span>,
        },
        {
          title: 'Begun',
          width: 'minmax(0, 1fr)',
          minor: true,
          cell: ({ origin }) => <span class="faint">{origin}</span>,
        },
      ]}
      form={<Create />}
      detail={(session) => <SessionParts session={session} />}
    />
  );
}

function SessionParts({ session }: { session: ControlledSession }) {
  const { id, token, cookie, state, role, userId, organizationId, createdAt, expiresAt } = session;
  const nameOf = useOrganizationNames();
  return (
    <>
      <KeyValues
        entries={[
          ['Token', token === null ? null : <Secret key={id} value={token} label="the token" />],
          ['Cookie', cookie === null ? null : <Secret key={`${id} cookie`} value={cookie} label="the cookie" />],
          ['State', <Status key="state" of={state} />],
          ['Role', role],
          ['User', <code key="user">{userId}</code>],
          ['Organization', <Organization key="organization" id={organizationId} name={nameOf(organizationId)} />],
          ['Created', instantText(createdAt)],
          ['Expires', <Instant key="expires" at={expiresAt} />],
        ]}
      />
      <Act
        group="Session"
        label="Revoke"
        command={`session revoke ${id}`}
        run={() => remove(`/sessions/${encodeURIComponent(id)}`)}
        done="Its token is rejected from now on"
        disabled={state !== 'active'}
        isDangerous
      />
    </>
  );
}

export const roles = ['owner', 'admin', 'member', 'viewer'];

function Create() {
  const texts = useSignal<Texts>({});
  const fields = filled(texts.value, ['role', 'expiresIn']);
  return (
    <Form
      label="Create"
      act={{
        label: 'Create a session',
        command: `session create${flags(fields)}`,
        run: async () => openIn('sessions', (await post<ControlledSession>('/sessions', fields)).id),
        done: 'The session is created',
      }}
    >
      <Field label="Role" name="role" texts={texts} options={roles} none="the owner" />
      <Field label="Expires in" name="expiresIn" texts={texts} placeholder="default" />
    </Form>
  );
}
