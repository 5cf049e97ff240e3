// The verbs for people and their sessions.

import type { OperationCommand } from '../operation-command.js';

export const sessionCommands: readonly OperationCommand[] = [
  {
    door: 'control.users.list',
    line: 'user list',
    bare: true,
    examples: [['user list', 'whom the login page offers']],
  },
  {
    door: 'control.users.create',
    line: 'user create',
    examples: [['user create --role viewer --email vera@example.test', 'one who may only read']],
  },
  {
    door: 'control.sessions.list',
    line: 'session list',
    bare: true,
    columns: 'id state role email expiresAt? origin?',
    examples: [['session list --json', 'who is signed in; the minted ones with their tokens']],
  },
  {
    door: 'control.sessions.create',
    line: 'session create',
    examples: [
      ['session create', 'of the owner: its token, and the cookie for a browser'],
      ['session create --role viewer --expires-in 10m', 'of one who may only read, and not for long'],
    ],
  },
  {
    door: 'control.sessions.revoke',
    line: 'session revoke <id>',
    examples: [['session revoke 51e58c0e-27c4-…', 'its token is refused from now on']],
  },
];
