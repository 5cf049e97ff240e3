// Names of fields as people read them: `durationMs` is a duration, and its value says the unit.

const whole: Record<string, string> = {
  apiKey: 'API key',
  nextTransitionAt: 'next stage',
  organizationId: 'organization',
  project_name: 'project',
  requestId: 'request',
  userId: 'user',
  baseUrl: 'base URL',
  ttlMs: 'ends after',
  url: 'URL',
  usdc: 'USDC',
};

/**
 * The name of a column, or of a value.
 *
 * @example label('durationMs') // 'duration'
 */
export function label(name: string): string {
  return whole[name] ?? wordsOf(name).join(' ');
}

/** The same as one word, for `name=value`: as flags are written. */
export function nestedLabel(name: string): string {
  return wordsOf(name).join('-');
}

// What comes from a client, such as the name of a header, is none of ours and stays as it is.
function wordsOf(name: string): string[] {
  if (!/^[a-z][A-Za-z0-9]*$/.test(name))
    return [name.replace(/^[a-z]+(_[a-z]+)+$/, (said) => said.replaceAll('_', ' '))];
  const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  return words.length > 1 && /^(ms|at)$/.test(words.at(-1) ?? '') ? words.slice(0, -1) : words;
}
