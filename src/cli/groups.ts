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
  history: 'What has changed a world, point by point',
  await: 'Wait until something happens',
  organization: 'Organizations and their credits',
  key: 'API keys for tests',
  user: 'Users and their roles',
  session: 'Sessions of signed-in users',
  voice: 'Cloned voices',
  'hosted-agent': 'Hosted agents: show them, make one, set its status',
  job: 'Jobs of hosted agents, and those that clone voices',
  pairing: 'Tokens with which a page of an agent gets a key',
  relay: 'Local agents behind the gateway relay',
  payments: 'Payments with virtual USDC',
  checkout: 'Purchases of credits by card',
  config: 'Check and show the settings',
  drift: 'Ask whether the emulator still equals the platform',
  agent: 'Tell coding agents about cloudemu in AGENTS.md',
  wallet: 'Test wallets and their signatures',
  'wallet sign': 'Sign with a test wallet, validly or invalidly',
};

/** The sections of the first help, by what one wants to do: single commands, and groups of them. */
export const sections: Record<string, readonly string[]> = {
  'Run it': ['start', 'status', 'stop', 'open', 'env', 'init', 'config'],
  'Test with it': ['run', 'explore', 'import', 'drift', 'verdicts', 'receipt', 'report'],
  'Time and failure': ['clock', 'await', 'scenario', 'faults', 'limits', 'failures', 'replies'],
  Look: ['timeline', 'requests', 'history', 'why', 'ledger', 'assumptions', 'openapi'],
  Data: ['reset', 'snapshot', 'world'],
  'Things of the platform': ['things'],
  'For agents and shells': ['docs', 'agent', 'completion'],
};

/** What one line of the first help stands for: a group of commands for each thing that clients make. */
export const things: readonly string[] = [
  'container',
  'image',
  'hosted-agent',
  'job',
  'key',
  'user',
  'organization',
  'session',
  'wallet',
  'payments',
  'checkout',
  'voice',
  'pairing',
  'relay',
];
