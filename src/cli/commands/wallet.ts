// `cloudemu wallet …`: test wallets, and what they sign for a client's requests: right, or wrong in one way.

import { asideHeader } from '../../core/aside.js';
import { nearest } from '../../core/nearest.js';
import type { ControlledWallet } from '../../modules/wallets/control.js';
import { createClient, findTarget, type TargetOptions, Unreachable } from '../client.js';
import { fail, printJson, printLine } from '../print.js';

export interface SignOptions extends TargetOptions {
  json: boolean;
  /** The index of the wallet. */
  wallet: string;
  wrong: string | undefined;
}

/** Prints the headers of a signed request, one a line, as `curl -H @-` reads them. */
export async function walletSignHeaders(
  options: SignOptions & { method: string; path: string | undefined; timestamp: string | undefined },
): Promise<void> {
  const { method, path, timestamp } = options;
  if (path === undefined) fail(2, '--path is needed: what is signed names it, for example --path /api/v1/user');
  if (timestamp !== undefined && !/^\d{1,15}$/.test(timestamp))
    fail(2, `--timestamp must be milliseconds, got "${timestamp}"`);
  const { headerMistakes, signHeaders } = await import('../../testing.js');
  const wrong = oneOf('--wrong', options.wrong, headerMistakes);
  const client = createClient(findTarget(options));
  const [wallet, { service }, clientNow] = await Promise.all([
    walletOf(client, options.wallet),
    client.get<{ service: { name: string } }>('/config', 'service'),
    clientTime(client),
  ]);
  const headers = await signHeaders({
    wallet,
    method,
    path,
    timestamp: timestamp === undefined ? clientNow : Number(timestamp),
    serviceName: service.name,
    ...(wrong !== undefined && { wrong }),
  });
  if (options.json) return printJson(headers);
  for (const [name, value] of Object.entries(headers)) printLine(`${name}: ${value}`);
}

/** Gets a nonce and prints the signed sign-in: the body of POST /api/auth/siwe/verify. */
export async function walletSignSiwe(options: SignOptions & { statement: string | undefined }): Promise<void> {
  const { siweMistakes, signSiwe } = await import('../../testing.js');
  const wrong = oneOf('--wrong', options.wrong, siweMistakes);
  const target = findTarget(options);
  const client = createClient(target);
  const [wallet, clientNow] = await Promise.all([walletOf(client, options.wallet), clientTime(client)]);
  const answer = await fetch(`${target.local}/api/auth/siwe/nonce`, {
    headers: { [asideHeader]: '1' },
    signal: AbortSignal.timeout(5_000),
  });
  const nonce = (await answer.json()) as { nonce: string; domain: string; uri: string; statement: string };
  if (!answer.ok) throw new Unreachable(`No nonce is to be had at ${target.local}: it answered ${answer.status}.`);
  const signed = await signSiwe({
    ...nonce,
    ...(options.statement !== undefined && { statement: options.statement }),
    wallet,
    issuedAt: new Date(clientNow).toISOString(),
    ...(wrong !== undefined && { wrong }),
  });
  if (options.json) return printJson(signed);
  printJson(signed, 2);
}

type Client = ReturnType<typeof createClient>;

/** A test wallet by its index. */
export async function walletOf(client: Client, text: string): Promise<ControlledWallet> {
  if (!/^\d{1,10}$/.test(text))
    fail(2, `--wallet must be an index (\`cloudemu wallet list\` shows them), got "${text}"`);
  return client.post<ControlledWallet>('/wallets', 'privateKey', { index: Number(text) });
}

/** What the emulator takes for the client's own time. */
export async function clientTime(client: Client): Promise<number> {
  const { skewMs } = await client.get<{ skewMs: number }>('/clock', 'skewMs');
  return Date.now() + skewMs;
}

/** The word that a flag says, or the end with the nearest one. */
export function oneOf<Word extends string>(
  flag: string,
  said: string | undefined,
  words: readonly Word[],
): Word | undefined {
  if (said === undefined) return undefined;
  const found = words.find((word) => word === said);
  if (found !== undefined) return found;
  const suggestion = nearest(said, words);
  const hint = suggestion === undefined ? '' : `; did you mean "${suggestion}"?`;
  return fail(2, `${flag} must be one of ${words.join(', ')}, got "${said}"${hint}`);
}
