// Where a text stops being JSON: Node's own messages often do not say.

const token =
  /\s+|[{}[\]:,]|"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy;

/**
 * The place of the first fault in a text that is no JSON, in words.
 *
 * @example jsonFault('{"a": nope}') // 'unexpected "n" at line 1, column 7'
 */
export function jsonFault(text: string): string {
  if (text.trim() === '') return 'it is empty; write {} or delete it';
  const at = faultAt(text);
  if (at >= text.trimEnd().length) return 'it ends too early: a bracket or a quote is not closed';
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const place = `line ${line}, column ${at - before.lastIndexOf('\n')}`;
  if (/^\/[/*]/.test(text.slice(at, at + 2))) return `a comment at ${place}, which JSON does not have`;
  return `unexpected ${JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))} at ${place}`;
}

type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'next';

function faultAt(text: string): number {
  const open: string[] = [];
  let expected: Expected = 'value';
  let at = 0;
  while (at < text.length) {
    token.lastIndex = at;
    const [found = ''] = token.exec(text) ?? [];
    if (found === '') return text[at] === '"' && !/["\n]/.test(text.slice(at + 1)) ? text.length : at;
    if (found.trim() !== '') {
      const next = follow(found, expected, open);
      if (next === undefined) return at;
      expected = next;
    }
    at += found.length;
  }
  return at;
}

// What may follow a token, or undefined when the token may not stand there.
function follow(found: string, expected: Expected, open: string[]): Expected | undefined {
  const inside = open.at(-1);
  if (found === '}' || found === ']') {
    const mayEnd = expected === 'next' || expected === (found === '}' ? 'keyOrEnd' : 'valueOrEnd');
    if (!mayEnd || inside !== found) return undefined;
    open.pop();
    return 'next';
  }
  if (found === ':') return expected === 'colon' ? 'value' : undefined;
  if (found === ',') {
    if (expected !== 'next' || inside === undefined) return undefined;
    return inside === '}' ? 'key' : 'value';
  }
  if (expected === 'key' || expected === 'keyOrEnd') return found.startsWith('"') ? 'colon' : undefined;
  if (expected !== 'value' && expected !== 'valueOrEnd') return undefined;
  if (found !== '{' && found !== '[') return 'next';
  open.push(found === '{' ? '}' : ']');
  return found === '{' ? 'keyOrEnd' : 'valueOrEnd';
}
