// Which names hold secrets, and what secrets look like inside other text.

/** What stands in the place of a secret. */
export const mask = '********';

/**
 * How much of a field its name makes secret. all: whatever is in it, at any depth. text: its own text, but no number
 * and no record (`max_tokens` is a count, `apiKey` may be the record of a key). none: nothing.
 */
export type Secrecy = 'all' | 'text' | 'none';

const wholly =
  /passw|passphrase|^pwd$|secret|privatekey|plainkey|accesskey|signingkey|encryptionkey|mnemonic|seedphrase|signature|credential|authorization|cookie|environmentvar|^envvars?$|^env$|^jwt$|bearer/;
const onlyText = /apikey|tokens|^auth$/;
// Public are what an agent's coin is called and where it lies, and a place in a list.
const publicName =
  /^apikey(id|name|prefix)$|^token(address|chain|name|ticker|symbol|id|type|count|limit)$|(page|cursor|continuation)token$/;

/**
 * How secret a field of this name is, in any casing.
 *
 * @example secrecyOf('privateKey') // 'all'
 */
export function secrecyOf(name: string): Secrecy {
  const word = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (wholly.test(word)) return 'all';
  if (publicName.test(word)) return 'none';
  if (onlyText.test(word)) return 'text';
  return word.includes('token') ? 'all' : 'none';
}

/** Whether the value of a query parameter of this name is a secret. */
export function isSecretParameter(name: string): boolean {
  return secrecyOf(name) !== 'none' || /^(key|sig|auth|.*[_-]key)$/i.test(name);
}

/** Finds what looks like a secret inside of text. */
export interface SecretFinder {
  /** The text with every secret in it masked; a key keeps what it begins with. JSON stays JSON. */
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
  const suspects = (text: string): typeof keys =>
    text.includes('%') || text.includes('\\u') ? keys : keys.filter(({ prefix }) => text.includes(prefix));
  return {
    clean: (text) => suspects(text).reduce((left, { prefix, pattern }) => left.replace(pattern, prefix + mask), text),
    finds: (text) => suspects(text).some(({ pattern }) => text.search(pattern) !== -1),
  };
}

// Each of these reads a text once: no text may make the search take long.
const dotted = /(?<![\w-])[\w-]+(?:(?:\.|%2[eE])[\w-]*){2,}/g;
const credentials = /\b(Bearer|Basic)(\s+|%20)[\w.~+/=%-]{12,}/gi;
const signature = /0x[0-9a-fA-F]{128,}/g;
const userInfo = /:\/\/[^/\s:@"'\\]+:[^/\s@"'\\]+@/g;
const pair = /(?<![\w.-])([\w.-]{1,200})=([^&\s"'<>\\,;}\]]+)/g;

/** Finds keys, and beside them tokens and signatures; cleans `name=value` pairs and URLs with passwords too. */
export function createSecretFinder(prefixes: readonly string[]): SecretFinder {
  const keys = createKeyFinder(prefixes);
  // Most texts hold nothing of the kind.
  const suspicious = new RegExp(`[%=]|\\\\u|eyJ|0x|://|earer|asic|${prefixes.join('|')}`, 'i');
  return {
    clean(text) {
      if (!suspicious.test(text)) return text;
      let clean = keys.clean(text);
      if (clean.includes('eyJ')) clean = clean.replace(dotted, cleanTokens);
      if (clean.includes('0x')) clean = clean.replace(signature, `0x${mask}`);
      if (clean.includes('://')) clean = clean.replace(userInfo, `://${mask}@`);
      if (/earer|asic/i.test(clean)) clean = clean.replace(credentials, `$1$2${mask}`);
      if (!clean.includes('=')) return clean;
      return clean.replace(pair, (all, name: string) => (isSecretParameter(name) ? `${name}=${mask}` : all));
    },
    finds: (text) =>
      keys.finds(text) ||
      (text.includes('eyJ') && [...text.matchAll(dotted)].some(([parts]) => cleanTokens(parts) !== parts)),
  };
}

// Three parts of a dotted text, the first of which begins as the base64 of a JSON object does.
function cleanTokens(text: string): string {
  const parts = text.split(/\.|%2[eE]/);
  const first = parts.findIndex((part, i) => part.includes('eyJ') && i + 2 < parts.length && parts[i + 1] !== '');
  return first === -1 ? text : text.slice(0, text.indexOf('eyJ', parts.slice(0, first).join('.').length)) + mask;
}

const namedValue = /(?<![\w-])(["']?)([\w-]{1,200})\1(\s*[:=]\s*)(?:"[^"]*"?|'[^']*'?|[^\s,}\]]+)/g;

/** Masks whatever stands behind a secret name, in text whose quotes cannot be relied on. */
export function cleanDamaged(text: string): string {
  return text.replace(namedValue, (all, quote: string, name: string, between: string) =>
    secrecyOf(name) === 'none' ? all : `${quote}${name}${quote}${between}"${mask}"`,
  );
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
