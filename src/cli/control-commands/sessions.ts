// The commands for users and sessions.

import type { OperationCommand } from '../operation-command.js';

export const sessionCommands: readonly OperationCommand[] = [
  {
    operation: 'control.users.list',
    line: 'user list',
    bare: true,
    examples: [['user list', 'the users that the login page offers']],
  },
  {
    operation: 'control.users.create',
    line: 'user create',
    examples: [['user create --role viewer --email vera@example.test', 'a user who may only read']],
  },
  {
    operation: 'control.sessions.list',
    line: 'session list',
    bare: true,
    columns: 'id state role email expiresAt? origin?',
    examples: [['session list --json', 'includes the tokens of sessions created for tests']],
  },
  {
    operation: 'control.sessions.create',
    line: 'session create',
    examples: [
      ['session create', 'a session of the owner: its token, and the cookie for a browser'],
      ['session create --role viewer --expires-in 10m', 'a session of a user who may only read; it expires soon'],
    ],
  },
  {
    operation: 'control.sessions.revoke',
    line: 'session revoke <id>',
    examples: [['session revoke 51e58c0e-27c4-…', 'its token is rejected from now on']],
  },
];
