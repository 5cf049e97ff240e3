// The groups of commands with their descriptions, and the order in which help lists them.

/** Descriptions of groups of commands; groups can be nested. */
export const groups: Record<string, string> = {
  clock: 'Show, freeze, run or advance the clock',
  snapshot: 'Take and restore snapshots of a world',
  world: 'Isolated worlds in one emulator',
  scenario: 'Initial states of worlds, with the faults in them',
  faults: 'Make requests fail in a chosen way',
  replies: 'Queue the next replies of models',
  limits: 'Set, exhaust and release rate limits',
  container: 'Show containers and their logs; make them fail, stop or recover',
  image: 'Images in the registry',
  requests: 'Requests of clients and their responses',
  await: 'Wait until something happens',
  organization: 'Organizations and their credits',
  key: 'API keys for tests',
  user: 'Users and their roles',
  session: 'Sessions of signed-in users',
  voice: 'Cloned voices',
  job: 'Cloning jobs',
  payments: 'Payments with virtual USDC',
  config: 'Check and show the settings',
  wallet: 'Test wallets and their signatures',
  'wallet sign': 'Sign with a test wallet, validly or invalidly',
};

/** What help lists, by what one wants to do: single commands, and groups of them. */
export const sections: Record<string, readonly string[]> = {
  Running: ['start', 'open', 'status', 'wait', 'stop', 'env', 'run', 'explore', 'init', 'config', 'completion'],
  Time: ['clock', 'await'],
  Failure: ['scenario', 'container', 'failures', 'faults', 'limits', 'replies'],
  Looking: [
    'timeline',
    'requests',
    'events',
    'changes',
    'verdicts',
    'expectations',
    'coverage',
    'ledger',
    'assumptions',
    'openapi',
  ],
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
