// Session tokens, claims that the world has signed, and the cookie that holds one. Only HS256 is accepted, whatever a
// token states.

import { timingSafeEqual } from 'node:crypto';
import { parsedJson } from '../../core/json.js';
import { describe } from '../../core/problems.js';
import type { Random } from '../../core/random.js';
import { isTree } from '../../core/tree.js';
import type { HandlerContext } from '../../http/endpoint.js';

/** The claims of a token. Instants are seconds, as clients compare them with their own clock. */
export interface Claims {
  iss: 'cloudemu';
  /** The world in which it is valid. */
  aud: string;
  /** The user. */
  sub: string;
  /** The session. */
  sid: string;
  org: string;
  iat: number;
  exp: number;
}

/** Why a text is not a token of this world, as a message and as a code. */
export interface BadToken {
  reason: 'malformed' | 'wrong-algorithm' | 'wrong-signature';
  problem: string;
}

const algorithm = 'HS256';
const header = encode({ alg: algorithm, typ: 'JWT' });
// Tokens of this emulator have about 400 characters: much longer ones are foreign.
const longest = 4_096;

/** Signs a token with a world's randomness; equal claims give equal tokens. */
export function signToken(random: Random, claims: Claims): string {
  const signed = `${header}.${encode(claims)}`;
  return `${signed}.${signatureOf(random, signed)}`;
}

/** The world in which a token claims to be valid; its signature proves it. */
export function claimedWorld(token: string): string | undefined {
  if (token.length > longest) return undefined;
  const world = decode(token.split('.')[1] ?? '')?.aud;
  return typeof world === 'string' ? world : undefined;
}

/** The claims of a token, once its signature is verified as this world's. */
export function readToken(random: Random, token: string): Claims | BadToken {
  const [head = '', body = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || signature === '' || token.length > longest)
    return {
      reason: 'malformed',
      problem: 'is malformed: it must have three parts with dots between, and at most 4,096 characters',
    };
  const parsed = decode(head);
  if (parsed === undefined)
    return { reason: 'malformed', problem: 'is malformed: its first part is not JSON in base64url' };
  if (parsed.alg !== algorithm)
    return {
      reason: 'wrong-algorithm',
      problem: `must be signed with ${algorithm}: its alg is ${describe(parsed.alg)}`,
    };
  const expected = Buffer.from(signatureOf(random, `${head}.${body}`));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    return { reason: 'wrong-signature', problem: 'has a signature that is not this emulator’s' };
  const claims = decode(body);
  return claims === undefined
    ? { reason: 'malformed', problem: 'is malformed: its second part is not JSON in base64url' }
    : (claims as unknown as Claims);
}

/** Whether a text has the three dotted parts of a token; keys have no dots. */
export function looksLikeToken(text: string): boolean {
  return text.split('.', 4).length === 3;
}

// The texts are compared: two texts can encode the same bytes.
function signatureOf(random: Random, signed: string): string {
  return Buffer.from(random.sign('session', signed), 'hex').toString('base64url');
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(part: string): Record<string, unknown> | undefined {
  const value = parsedJson(Buffer.from(part, 'base64url').toString('utf8'));
  return isTree(value) ? value : undefined;
}

/** The header that sets or deletes a browser's session cookie, valid for `cookiePath` only. */
export function setCookie(
  { world, cookiePath, baseUrl }: Pick<HandlerContext, 'world' | 'cookiePath' | 'baseUrl'>,
  token: string | undefined,
): string {
  return [
    `${world.config.auth.cookieName}=${token ?? ''}`,
    `Path=${cookiePath}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(baseUrl.startsWith('https:') ? ['Secure'] : []),
    ...(token === undefined ? ['Max-Age=0'] : []),
  ].join('; ');
}

/** The value of a cookie by its name; of several the first, which browsers order by the longest path. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name) {
      const value = pair.slice(equals + 1).trim();
      return value === '' ? undefined : value;
    }
  }
  return undefined;
}
