// Whether a coding agent has started this command.

const names = [
  'AI_AGENT',
  'CLAUDECODE',
  'CLAUDE_CODE',
  'GEMINI_CLI',
  'OPENCODE',
  'CLINE_ACTIVE',
  'AUGMENT_AGENT',
  'GOOSE_TERMINAL',
  'REPLIT_AGENT',
];
const beginnings = /^(CODEX|CURSOR|COPILOT_AGENT)_./;

/**
 * Whether the environment says that a coding agent runs the shell.
 *
 * @example isCodingAgent({ CLAUDECODE: '1' }) // true
 */
export function isCodingAgent(env: Readonly<Record<string, string | undefined>>): boolean {
  const isSet = (name: string): boolean => !['', '0', 'false'].includes(env[name] ?? '');
  return Object.keys(env).some((name) => (names.includes(name) || beginnings.test(name)) && isSet(name));
}
