// Accounts: keys, sessions, wallets, users and organizations; made here, their secrets shown when asked for.

import type { ControlledUser } from '../../../../platform/accounts/control.js';
import type { TestKey } from '../../../../platform/keys/control.js';
import type { ControlledOrganization } from '../../../../platform/organizations/control.js';
import type { ControlledSession } from '../../../../platform/sessions/control.js';
import type { ControlledWallet } from '../../../../platform/wallets/control.js';
import { ResourceView, tabbed } from '../components/list.js';
import { InTimeline } from '../components/parts.js';
import { hrefOf } from '../page.js';

const Keys = () => (
  <ResourceView<TestKey>
    note="API keys that the emulator made. It shows the value of one when you ask for it."
    operation="keys"
    making={{ label: 'Mint a key', operation: 'keys.create', fields: 'name permissions expiresIn' }}
    actions={({ name, usable }) => [
      {
        label: 'Revoke',
        operation: 'keys.revoke',
        done: `Requests with ${name} are refused from now on`,
        disabled: !usable,
        isDangerous: true,
      },
    ]}
    more={({ id }) => <InTimeline of={id} />}
  />
);

const Sessions = () => (
  <ResourceView<ControlledSession>
    note="Users who are signed in; those created here have a token and a cookie to use."
    operation="sessions.list"
    columns="email state role? expiresAt? origin?"
    titleOf={({ email, userId }) => email ?? userId}
    making={{ label: 'Create a session', operation: 'sessions.create', fields: 'role expiresIn' }}
    actions={({ state }) => [
      {
        label: 'Revoke',
        operation: 'sessions.revoke',
        done: 'Its token is rejected from now on',
        disabled: state !== 'active',
        isDangerous: true,
      },
    ]}
  />
);

const Wallets = () => (
  <ResourceView<ControlledWallet>
    note="Made from the world’s seed: the same in every run. Never send real money to them."
    operation="wallets"
    id="address"
    columns="index address organizationId?"
    titleOf={({ index }) => `Wallet ${index}`}
    making={{ label: 'Mint a wallet', operation: 'wallets.create', fields: '' }}
  />
);

const Users = () => (
  <ResourceView<ControlledUser>
    note="The users whom the login page offers."
    operation="users.list"
    columns="name role email? organizationId?"
    making={{ label: 'Add a user', operation: 'users.create', fields: 'name role email' }}
  />
);

const Organizations = () => (
  <ResourceView<ControlledOrganization>
    note="Who pays: organizations, their plans and balances."
    operation="organizations.list"
    columns="name credits plan? id?"
    making={{ label: 'Create an organization', operation: 'organizations.create', fields: 'name credits plan' }}
    more={() => <a href={hrefOf({ view: 'credits' })}>Its credits</a>}
  />
);

export const Accounts = tabbed({
  keys: Keys,
  sessions: Sessions,
  wallets: Wallets,
  users: Users,
  organizations: Organizations,
});
