// Explains refused wallet sign-ins: why the strict parser (EIP-4361) refused a text, and what a signature does sign.

import type { World } from '../../world/world.js';
import type { Reason } from './refusal.js';
import type { Hex } from './signature-form.js';
import { isKnownWallet } from './test-wallets.js';

export interface Explanation {
  reason: 'malformed-message' | 'trailing';
  /** A sentence that names the line. */
  problem: string;
  /** From 1. */
  line: number | undefined;
}

interface Field {
  title: string;
  value: RegExp;
  meaning: string;
  optional?: boolean;
}

const time = String.raw`\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)`;
const instant = { value: new RegExp(`^${time}$`), meaning: 'must be a time such as 2026-01-31T12:00:00.000Z' };

const fields: readonly Field[] = [
  { title: 'URI: ', value: /^[a-z][a-z\d+.-]*:\S*$/i, meaning: 'must be a URI such as http://localhost:4747' },
  { title: 'Version: ', value: /^1$/, meaning: 'must be 1' },
  { title: 'Chain ID: ', value: /^\d{1,300}$/, meaning: 'must be a number' },
  { title: 'Nonce: ', value: /^[a-z\d]{8,}$/i, meaning: 'must have at least 8 letters and digits' },
  { title: 'Issued At: ', ...instant },
  { title: 'Expiration Time: ', ...instant, optional: true },
  { title: 'Not Before: ', ...instant, optional: true },
  {
    title: 'Request ID: ',
    value: /^(?:[\w\-.~!$&'()*+,;=:@]|%[\da-f]{2})*$/i,
    meaning: "must consist of letters, digits and -._~!$&'()*+,;=:@, others as %2F",
    optional: true,
  },
  { title: 'Resources:', value: /^$/, meaning: 'must be followed by one line each', optional: true },
];

/** The first problem of a text that the strict parser has refused. */
export function explainMessage(text: string): Explanation {
  if (text.includes('\r')) return malformed('its lines must end in LF alone, and there is a CR', undefined);
  const lines = text.split('\n');
  return explainHead(lines) ?? explainFields(lines, fieldsBegin(lines));
}

function explainHead(lines: readonly string[]): Explanation | undefined {
  const [first = '', address = '', gap, statement = '', ...rest] = lines;
  if (!/^([a-z][a-z\d+.-]*:\/\/)?\S+ wants you to sign in with your Ethereum account:$/i.test(first))
    return malformed('must read "<domain> wants you to sign in with your Ethereum account:"', 1);
  if (!/^0x[0-9a-f]{40}$/i.test(address)) return malformed('must be an address of 0x and 40 hexadecimal digits', 2);
  if (gap !== '') return malformed('must be empty', 3);
  if (statement === '') return undefined;
  if (statement.startsWith('URI: '))
    return malformed('must be empty: without a statement there are two empty lines', 4);
  const odd = [...statement].find((character) => !/[\w\-.~:/?#[\]@!$&'()*+,;= ]/.test(character));
  if (odd !== undefined)
    return malformed(
      `is the statement, which cannot hold ${JSON.stringify(odd)}: only ASCII as URIs have it, and spaces`,
      4,
    );
  if (rest[0] !== '') return malformed('must be empty: the statement is one line', 5);
  return undefined;
}

// An empty statement leaves an empty line of its own.
function fieldsBegin(lines: readonly string[]): number {
  return lines[3] === '' && lines[4] !== '' ? 4 : 5;
}

function explainFields(lines: readonly string[], begin: number): Explanation {
  let at = begin;
  for (const { title, value, meaning, optional } of fields) {
    const line = lines[at];
    if (line?.startsWith(title) !== true) {
      if (optional === true) continue;
      return malformed(`must begin with "${title}"`, at + 1);
    }
    const said = line.slice(title.length);
    if (!value.test(said)) {
      const isLast = at === lines.length - 1;
      return isLast && new RegExp(`^${time}`).test(said)
        ? trailing(at)
        : malformed(`${title.trim()} ${meaning}`, at + 1);
    }
    at++;
    if (title === 'Resources:') while (lines[at]?.startsWith('- ') === true) at++;
  }
  if (at < lines.length) return trailing(at);
  return malformed(
    'an address in mixed case must have its checksum (EIP-55), times must exist, URIs must be whole',
    undefined,
  );
}

function trailing(index: number): Explanation {
  return {
    reason: 'trailing',
    problem: `line ${index + 1} has something behind the end of the message: nothing may follow, not even a line break`,
    line: index + 1,
  };
}

function malformed(problem: string, line: number | undefined): Explanation {
  return { reason: 'malformed-message', problem: line === undefined ? problem : `line ${line} ${problem}`, line };
}

/** Another text that may have been signed, and its explanation. */
export interface Variant {
  text: string;
  reason: Reason;
  /** Completes "the signature fits …". */
  meaning: string;
}

export interface Mismatch {
  reason: Reason;
  problem: string;
  facts: { address: string; recovered: string | null };
}

export interface Signed {
  text: string;
  signature: Hex;
  /** In lower case. */
  address: string;
}

/**
 * The explanation of a signature that the address did not make over the text.
 *
 * @param otherwise the explanation when no variant matches and the signer is unknown
 */
export async function explainSignature(
  world: World,
  { text, signature, address }: Signed,
  variants: readonly Variant[],
  otherwise: 'tampered' | 'wrong-address',
): Promise<Mismatch> {
  const { recoverSigner } = await import('./curve.js');
  const signer = await recoverSigner(text, signature);
  const facts = { address, recovered: signer ?? null };
  if (signer === undefined)
    return { reason: 'malformed-signature', problem: 'the signature fits no key at all', facts };
  for (const { text: other, reason, meaning } of variants) {
    if (other === text || (await recoverSigner(other, signature)) !== address) continue;
    return { reason, problem: `the signature fits ${meaning}`, facts };
  }
  if (await isKnownWallet(world, signer)) {
    return { reason: 'wrong-address', problem: `it was signed by ${signer}, and names ${address}`, facts };
  }
  const problem =
    otherwise === 'tampered'
      ? `what was signed is not what was sent, or ${address} did not sign it (it fits ${signer})`
      : `it was signed by another wallet than ${address} (by ${signer}), or changed after it was signed; a contract wallet cannot be verified offline`;
  return { reason: otherwise, problem, facts };
}
