// `cloudemu env`: what the client needs to know, as variables of a shell or a file, and nothing else on stdout.

import { createClient, findTarget, type TargetOptions } from '../client.js';
import { type EnvFormat, envFormats } from '../env-formats.js';
import { fail, note, printJson, printLine } from '../print.js';
import { stdoutScreen } from '../terminal.js';

export interface EnvOptions extends TargetOptions {
  format: EnvFormat | 'json';
}

/** Prints the base URL and the test key under the names that the profile gives them. */
export async function env({ format, ...options }: EnvOptions): Promise<void> {
  const target = findTarget(options);
  const client = createClient(target);
  const [{ env: names }, [key]] = await Promise.all([client.config(), client.keys()]);
  const variables: Record<string, string> = {};
  for (const name of names.baseUrl) variables[name] = target.url;
  for (const name of names.apiKey) variables[name] = key?.apiKey ?? '';
  if (format === 'json') return printJson(variables);
  demandPlain(variables, target.url);
  const { line, use } = envFormats[format];
  for (const [name, value] of Object.entries(variables)) printLine(line(name, value));
  if (stdoutScreen().isTerminal) note(`# to use them: ${use}`);
}

// A shell runs what is printed, and what answers at a URL may be anything. URLs and keys need none of these signs.
function demandPlain(variables: Record<string, string>, url: string): void {
  for (const [name, value] of Object.entries(variables)) {
    if (/^[A-Za-z_]\w*$/.test(name) && /^[^\s\p{Cc}"`]*$/u.test(value)) continue;
    fail(1, `What answers at ${url} gives a variable that no shell could take: ${JSON.stringify({ [name]: value })}`);
  }
}
