// Knows the names that hold secrets, and the look of secrets inside other text.

/** The text that replaces a secret. */
export const mask = '********';

/**
 * How much of a field its name makes secret. all: whatever is in it, at any depth. text: its own text, but no number
 * and no record (`max_tokens` is a count, `apiKey` may be the record of a key). none: nothing.
 */
export type Secrecy = 'all' | 'text' | 'none';

// Tested against all the letters and digits of a name, in lower case.
const wholly =
  /passw|passphrase|passcode|userpass|dbpass|secret|privatekey|plainkey|accesskey|signingkey|encryptionkey|mnemonic|seedphrase|signature|credential|authorization|cookie|environmentvar|^envvars?$|^env$|^jwt$|bearer|connectionstring|webhookurl|^code$/;
const onlyText = /apikey|sshkey|licensekey|tokens/;
// Compared with the last word of a name: `db_pass` and `x-sid` hold what `pass` and `sid` do.
const whollyLast = new Set(['pass', 'pwd', 'pin', 'otp', 'totp', 'sid', 'sig', 'cvv', 'cvc', 'dsn', 'creds']);
const onlyTextLast = new Set(['key', 'auth', 'session']);
// These are public: the name and address of an agent's token, a cursor of a list, and keys that grant no access.
const publicName =
  /^apikey(id|name|prefix)$|^token(address|chain|name|ticker|symbol|id|type|count|limit)$|(page|cursor|continuation)token$|(public|idempotency|primary|foreign|sort|partition|object|cache)key$|^secwebsocketkey\d?$/;

/**
 * How secret a field, a parameter, a part of a form or a header of this name is, in any casing. Of `vars[PORT]` and
 * `smtp.pass` each step counts.
 *
 * @example secrecyOf('privateKey') // 'all'
 * @example secrecyOf('x-auth') // 'text'
 */
export function secrecyOf(name: string): Secrecy {
  let found: Secrecy = 'none';
  for (const step of name.slice(0, longestName).split(/[[\].]+/)) {
    const secrecy = secrecyOfStep(step);
    if (secrecy === 'all') return 'all';
    if (secrecy === 'text') found = 'text';
  }
  return found;
}

const longestName = 400;

function secrecyOfStep(step: string): Secrecy {
  const words = step
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  if (words === null) return 'none';
  const last = words.at(-1) ?? '';
  // Headers of one's own begin with an x.
  const word = (words[0] === 'x' ? words.slice(1) : words).join('');
  if (wholly.test(word) || whollyLast.has(last)) return 'all';
  if (publicName.test(word)) return 'none';
  if (onlyText.test(word) || onlyTextLast.has(last)) return 'text';
  return word.includes('token') ? 'all' : 'none';
}

/** Whether the value of a query parameter of this name is a secret. */
export function isSecretParameter(name: string): boolean {
  return secrecyOf(name) !== 'none';
}

/** Whether a parameter's name means a secret: a `code` may be that of a country, a `session` a talk. */
export function tellsOfSecret(name: string): boolean {
  return isSecretParameter(name) && !/^(code|pin|session)$/i.test(name);
}

const openHeader = /^access-control-|^x-emulator-(fault|failure)$|^x-wallet-address$/;

/** Whether the value of a header is a secret; its name is in lower case. */
export function isSecretHeader(name: string): boolean {
  return !openHeader.test(name) && (secrecyOf(name) !== 'none' || /payment|jwt|session/.test(name));
}

/** Finds what looks like a secret inside of text. */
interface SecretFinder {
  /** The text with every secret masked; the prefix of a key stays. JSON stays JSON. */
  clean(text: string): string;
  finds(text: string): boolean;
}

/**
 * Finds keys by what they begin with, however they are encoded.
 *
 * @example createKeyFinder(['ek_test_']).clean('with ek_test_0123') // 'with ek_test_********'
 */
export function createKeyFinder(prefixes: readonly string[]): SecretFinder {
  const keys = [...new Set(prefixes)].map((prefix) => ({ prefix, pattern: keyPattern(prefix) }));
  const encoded = base64Pattern(prefixes);
  const suspects = (text: string): typeof keys =>
    text.includes('%') || text.includes('\\u') ? keys : keys.filter(({ prefix }) => text.includes(prefix));
  return {
    clean: (text) =>
      suspects(text)
        .reduce((left, { prefix, pattern }) => left.replace(pattern, prefix + mask), text)
        .replace(encoded, mask),
    finds: (text) => suspects(text).some(({ pattern }) => text.search(pattern) !== -1) || text.search(encoded) !== -1,
  };
}

// Each of these reads a text once: no text may make the search take long.
const dotted = /(?<![\w-])[\w-]+(?:(?:\.|%2[eE])[\w-]*){2,}/g;
const credentials = /\b(Bearer|Basic)(\s+|%20)[\w.~+/=%-]{12,}/gi;
const signature = /0x[0-9a-fA-F]{128,}/g;
const userInfo = /:\/\/[^/\s:@"'\\]+:[^/\s@"'\\]+@/g;
const awsId = /(?<![A-Za-z0-9])A(?:KIA|SIA|GPA|IDA|ROA|IPA|NPA|NVA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g;
const pemLabel = '(?:[A-Z0-9 +]|%20){1,60}-----';
const pem = new RegExp(`-----BEGIN${pemLabel}(?:(?!-----END)[^"])*(?:-----END${pemLabel})?`, 'g');
const pair = /(?<![\w.-])([\w.-]{1,200})=([^&\s"'<>\\,;}\]]+)/g;

/** Finds keys, and beside them tokens and signatures; cleans `name=value` pairs and URLs with passwords too. */
export function createSecretFinder(prefixes: readonly string[]): SecretFinder {
  const keys = createKeyFinder(prefixes);
  // Most texts contain no secret.
  const encoded = base64Pattern(prefixes).source;
  const suspicious = new RegExp(`[%=]|\\\\u|eyJ|0x|://|earer|asic|-----BEGIN|${prefixes.join('|')}`, 'i');
  const odd = new RegExp(`${awsId.source}|${encoded}`);
  return {
    clean(text) {
      if (!suspicious.test(text) && !odd.test(text)) return text;
      let clean = keys.clean(text);
      if (clean.includes('eyJ')) clean = clean.replace(dotted, cleanTokens);
      if (clean.includes('0x')) clean = clean.replace(signature, `0x${mask}`);
      if (clean.includes('://')) clean = clean.replace(userInfo, `://${mask}@`);
      if (/earer|asic/i.test(clean)) clean = clean.replace(credentials, `$1$2${mask}`);
      if (clean.includes('-----BEGIN')) clean = clean.replace(pem, mask);
      clean = clean.replace(awsId, mask);
      if (!clean.includes('=')) return clean;
      return clean.replace(pair, (all, name: string, _value, at: number) => {
        // Outside of URLs a `code=1` is that of an exit.
        const isParameter = clean[at - 1] === '?' || clean[at - 1] === '&';
        return (isParameter ? isSecretParameter(name) : tellsOfSecret(name)) ? `${name}=${mask}` : all;
      });
    },
    finds: (text) =>
      keys.finds(text) || (text.includes('eyJ') && [...text.matchAll(dotted)].some(([parts]) => token.test(parts))),
  };
}

// Three parts of a dotted text, the first of which holds the base64 of a JSON object, and the second something.
const token = /(?<=^|\.|%2[eE])(?=(?<before>[\w-]*?)eyJ)[\w-]*(?:\.|%2[eE])[\w-]+(?:\.|%2[eE]).*/;

// Masks a token in a dotted text, and all that follows it.
function cleanTokens(text: string): string {
  return text.replace(token, `$<before>${mask}`);
}

// The characters of a prefix may be percent-encoded (even twice) or escaped as JSON does; so may those of the rest.
function keyPattern(prefix: string): RegExp {
  const characters = [...prefix].map((character) => {
    const code = character.charCodeAt(0).toString(16).padStart(2, '0');
    const hex = code.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
    return `(?:${character}|%(?:25)*${hex}|\\\\u00${hex})`;
  });
  return new RegExp(`${characters.join('')}(?:[\\w-]|%(?:25)*[0-9a-fA-F]{2}|\\\\u[0-9a-fA-F]{4})+`, 'g');
}

// The part of a text's base64 that is the same whatever stands around it, for each of the three places where it may
// begin in a group. What follows it is the rest of the key; what stands before it is none of it.
function base64Pattern(prefixes: readonly string[]): RegExp {
  const parts = prefixes
    .filter((prefix) => prefix.length >= 5)
    .flatMap((prefix) =>
      [0, 1, 2].map((before) => {
        const whole = Buffer.from(' '.repeat(before) + prefix)
          .toString('base64')
          .replace(/=+$/, '');
        const bits = (before + prefix.length) * 8;
        return whole.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
      }),
    );
  const either = parts.map((part) => part.replace(/[+-]/g, '[+-]').replace(/[/_]/g, '[/_]'));
  // Nothing, where there is nothing to look for.
  return new RegExp(
    parts.length === 0 ? '(?!)' : `(?:${either.join('|')})(?:[\\w+/-]|%2[bBfF])*(?:=|%3[dD]){0,2}`,
    'g',
  );
}
