// Masks the values of secret fields in JSON, and in other text the values that follow secret names.

import { faultAt, parsedJson } from './json.js';

import { mask, type Secrecy } from './secrets.js';

/** How secret a field is, by its name and its depth (1: the outermost object). */
type SecrecyOf = (name: string, depth: number) => Secrecy;

/** Whether a text is JSON, or the beginning of a longer one that is cut. */
export function isJson(text: string, isCut: boolean): boolean {
  if (isCut) {
    // Without the word or number at the end, which may be cut too.
    const whole = text.slice(0, Math.max(...Array.from('"{}[],: \t\r\n', (sign) => text.lastIndexOf(sign) + 1)));
    return faultAt(whole) === whole.length;
  }
  return parsedJson(text) !== undefined;
}

/** Whether a text begins as a list, a record or a string of JSON does. */
export function looksLikeJson(text: string): boolean {
  return /^\s*[{["]/.test(text);
}

/** The text with secret values masked, JSON or not. */
export function redactAny(text: string, secrecyOf: SecrecyOf, nesting = 0): string {
  return looksLikeJson(text) && isJson(text, false)
    ? redactJson(text, secrecyOf, nesting)
    : redactNamed(text, secrecyOf);
}

// JSON inside of strings of JSON is looked at too, but not without end.
const maxNesting = 4;

/** A list or record around a place. */
interface Frame {
  /** How secret its content is. */
  inside: Secrecy;
  /** For `{name, value}`: whether the name was read, and the place of a value that came before it. */
  isNamed: boolean;
  value?: Span;
}

/** A piece of the text, and what is put in its place. */
interface Span {
  start: number;
  end: number;
  put: string;
}

// A string, which may be cut at the end of the text, with the colon that makes a name of it; a bracket; a number or word.
const tokens = /("(?:\\.|[^"\\])*(?:"|\\?$))(\s*:)?|[{}[\]]|[^\s{}[\],:"]+/gs;

/**
 * A JSON text with secret values masked; its layout stays, so that what was not secret is as it was sent.
 *
 * @param text JSON, or the beginning of it: what `isJson` accepts
 * @example redactJson('{"password": "x", "a": 1}', secrecyOf) // '{"password": "********", "a": 1}'
 */
export function redactJson(text: string, secrecyOf: SecrecyOf, nesting = 0): string {
  const spans: Span[] = [];
  const around: Frame[] = [{ inside: 'none', isNamed: false }];
  // The secrecy and the name of the field whose value comes next.
  let [next, name]: [Secrecy, string] = ['none', ''];
  for (const { 0: token, 1: string, 2: colon, index: start } of text.matchAll(tokens)) {
    const frame = around.at(-1) as Frame;
    const end = start + token.length;
    if (string !== undefined && colon !== undefined) {
      name = JSON.parse(string) as string;
      next = secrecyOf(name, around.length - 1);
      if (isPairName(name)) {
        frame.isNamed = true;
        if (frame.value !== undefined) spans.push(frame.value);
        delete frame.value;
      } else if (frame.isNamed && isPairValue(name)) next = 'all';
      continue;
    }
    if (token === '{' || token === '[') around.push({ inside: inherited(token, frame.inside, next), isNamed: false });
    else if (token === '}' || token === ']') around.pop();
    else {
      const put = isSecretValue(token, strongest(frame.inside, next))
        ? `"${mask}"`
        : redactString(token, secrecyOf, nesting);
      if (put !== token) spans.push({ start, end, put });
      else if (isPairValue(name) && isSecretValue(token, 'all')) frame.value = { start, end, put: `"${mask}"` };
    }
    [next, name] = ['none', ''];
  }
  return replaced(text, spans);
}

// A name, with or without quotes, and a colon or an equals sign. Each place of the text is looked at once.
const namesInText = /(?<![\w-])(["']?)([\w-]{1,200})\1\s*[:=]\s*/g;
// A secret without quotes may have spaces in it; where a record or a list begins, the rest of the text may be secret.
const valueInText = /"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|[{[][\s\S]*|[^,}\]\n]+/y;

// Masks what follows a secret name in text that is no JSON, so that its quotes and brackets cannot be relied on.
function redactNamed(text: string, secrecyOf: SecrecyOf): string {
  const spans: Span[] = [];
  namesInText.lastIndex = 0;
  for (let found = namesInText.exec(text); found !== null; found = namesInText.exec(text)) {
    const secrecy = secrecyOf(found[2] ?? '', 0);
    if (secrecy === 'none') continue;
    const start = namesInText.lastIndex;
    valueInText.lastIndex = start;
    const [value = ''] = valueInText.exec(text) ?? [];
    if (value === '' || !isSecretValue(value, secrecy)) continue;
    namesInText.lastIndex = start + value.length;
    spans.push({ start, end: start + value.length, put: `"${mask}"` });
  }
  return replaced(text, spans);
}

// Settings are often a list of `{name, value}` or `{key, value}`; which of them are secret, their names seldom tell.
export function isPairName(name: string): boolean {
  return /^(name|key|Name|Key)$/.test(name);
}

export function isPairValue(name: string): boolean {
  return name === 'value' || name === 'Value';
}

function replaced(text: string, spans: Span[]): string {
  let out = '';
  let copied = 0;
  for (const { start, end, put } of spans.sort((a, b) => a.start - b.start)) {
    out += text.slice(copied, start) + put;
    copied = end;
  }
  return out + text.slice(copied);
}

function isSecretValue(value: string, secrecy: Secrecy): boolean {
  if (secrecy === 'none' || /^(?:null|true|false)\s*$/.test(value)) return false;
  return secrecy === 'all' || !/^[-+\d.eE\s]+$/.test(value);
}

// A string that holds JSON, or text with a secret in it.
function redactString(token: string, secrecyOf: SecrecyOf, nesting: number): string {
  // A bracket, or white space before one.
  if (nesting >= maxNesting || !/^"[{[\\\s]/.test(token)) return token;
  let value: string;
  try {
    value = JSON.parse(token) as string;
  } catch {
    // The text ends inside this string, so it cannot be decoded and searched for secrets.
    return `"${mask}"`;
  }
  if (!looksLikeJson(value)) return token;
  const redacted = redactAny(value, secrecyOf, nesting + 1);
  return redacted === value ? token : JSON.stringify(redacted);
}

function inherited(bracket: string, inside: Secrecy, next: Secrecy): Secrecy {
  const both = strongest(inside, next);
  return both === 'text' && bracket === '{' ? 'none' : both;
}

function strongest(a: Secrecy, b: Secrecy): Secrecy {
  if (a === 'all' || b === 'all') return 'all';
  return a === 'text' || b === 'text' ? 'text' : 'none';
}
