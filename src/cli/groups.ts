// The groups in which commands stand, what each is for, and in which order help lists them.

/** What groups of verbs are for; a group may stand in a group. */
export const groups: Record<string, string> = {
  clock: 'Let time stand, run, or jump',
  snapshot: 'Keep a world, and put it back',
  world: 'Worlds beside each other in one emulator',
  scenario: 'How a world begins, and what goes wrong in it',
  faults: 'Let requests fail in an exact way',
  replies: 'What models answer next',
  limits: 'Set, exhaust and release rate limits',
  container: 'Read their logs; let containers fail, stop, recover',
  image: 'Images of the registry',
  requests: 'What clients sent and were answered',
  await: 'Wait until something has happened',
  organization: 'Organizations and their credits',
  key: 'API keys to test with',
  user: 'People, and what they may do',
  session: 'People who are signed in',
  voice: 'Cloned voices',
  job: 'What clones voices, and ending it',
  payments: 'What was paid with virtual USDC',
  config: 'Look after the settings file',
  wallet: 'Wallets to test with, and what they sign',
  'wallet sign': 'Sign as a test wallet, rightly or wrongly',
};

/** What help lists, by what one wants to do: single commands, and groups of them. */
export const sections: Record<string, readonly string[]> = {
  Running: ['start', 'status', 'wait', 'stop', 'env', 'run', 'init', 'config', 'completion'],
  Time: ['clock', 'await'],
  Failure: ['scenario', 'container', 'failures', 'faults', 'limits', 'replies'],
  Looking: ['requests', 'events', 'verdicts', 'expectations', 'coverage', 'ledger', 'assumptions', 'openapi'],
  Data: [
    'reset',
    'snapshot',
    'world',
    'organization',
    'key',
    'user',
    'session',
    'wallet',
    'payments',
    'voice',
    'job',
    'image',
  ],
};
