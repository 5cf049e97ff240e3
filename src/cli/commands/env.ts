// `cloudemu env`: exports for the client, and nothing else on stdout.

import { createClient, findTarget, type TargetOptions } from '../client.js';
import { note, printJson, printLine } from '../print.js';

/** Prints the base URL and the test key under the names that the profile gives them. */
export async function env(options: TargetOptions & { json: boolean }): Promise<void> {
  const target = findTarget(options);
  const client = createClient(target);
  const [{ env: names }, [key]] = await Promise.all([client.config(), client.keys()]);
  const variables: Record<string, string> = {};
  for (const name of names.baseUrl) variables[name] = target.url;
  for (const name of names.apiKey) variables[name] = key?.apiKey ?? '';
  if (options.json) return printJson(variables);
  for (const [name, value] of Object.entries(variables))
    printLine(`export ${name}='${value.replaceAll("'", "'\\''")}'`);
  if (process.stdout.isTTY === true) note('# to set them in this shell: eval "$(cloudemu env)"');
}
