// Accounts: keys, sessions, wallets, users and organizations; made here, their secrets shown when asked for.

import { Keys } from './account-keys.js';
import { Organizations, Users } from './account-people.js';
import { Sessions } from './account-sessions.js';
import { tabOf } from './account-tab.js';
import { Wallets } from './account-wallets.js';

const parts = { keys: Keys, sessions: Sessions, wallets: Wallets, users: Users, organizations: Organizations };

export function Accounts() {
  const Part = parts[tabOf()];
  return <Part />;
}
