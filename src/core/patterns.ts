// Patterns that people write for names and paths: `*` is any text, `{name}` is one segment of a path.

/** One character of a known text, or a wildcard: any character or any but a slash, once or as often as you like. */
type Token = string | { slash: boolean; many: boolean };

/** Whether a text fits a pattern. */
export function fitsPattern(pattern: string, text: string): boolean {
  return isPattern(pattern) ? overlap(tokensOf(pattern), [...text]) : pattern === text;
}

/**
 * Whether there is a text that fits both patterns.
 *
 * @example patternsMeet('/api/*', '/api/v1/containers/{id}') // true
 */
export function patternsMeet(a: string, b: string): boolean {
  return overlap(tokensOf(a), tokensOf(b));
}

/**
 * Whether a text of any length fits a text with stars, each of which is any text.
 *
 * @example fitsStars('What is the weather in *?', 'What is the weather in Paris?') // true
 */
export function fitsStars(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

export function isPattern(text: string): boolean {
  return /\*|\{\w+\}/.test(text);
}

function tokensOf(pattern: string): Token[] {
  return [...pattern.matchAll(/\*+|\{\w+\}|./gsu)].flatMap(([part]): Token[] => {
    if (part.startsWith('*')) return [{ slash: true, many: true }];
    if (part.length > 2 && part.startsWith('{'))
      return [
        { slash: false, many: false },
        { slash: false, many: true },
      ];
    return [part];
  });
}

// By a table of what can be reached: a regular expression made from several stars could take for ever.
function overlap(a: readonly Token[], b: readonly Token[]): boolean {
  let row = new Uint8Array(b.length + 1);
  let next = new Uint8Array(b.length + 1);
  row[0] = 1;
  for (let i = 0; i <= a.length; i++) {
    const mine = a[i];
    next.fill(0);
    for (let j = row.indexOf(1); j !== -1; j = row.indexOf(1, j + 1)) {
      const theirs = b[j];
      if (isMany(mine)) next[j] = 1;
      if (isMany(theirs)) row[j + 1] = 1;
      if (mine === undefined || theirs === undefined || !share(mine, theirs)) continue;
      if (isMany(mine)) row[j + 1] = 1;
      else if (isMany(theirs)) next[j] = 1;
      else next[j + 1] = 1;
    }
    if (i === a.length) break;
    [row, next] = [next, row];
  }
  return row[b.length] === 1;
}

function isMany(token: Token | undefined): boolean {
  return typeof token === 'object' && token.many;
}

function share(a: Token, b: Token): boolean {
  if (typeof a === 'string') return typeof b === 'string' ? a === b : b.slash || a !== '/';
  return typeof b !== 'string' || a.slash || b !== '/';
}
