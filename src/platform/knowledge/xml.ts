// Reads the tags and texts of XML in one pass. Names come with their namespaces, whatever their prefixes are.

export interface XmlReader {
  /** @param attributes the text in the tag after the name */
  open(namespace: string, name: string, attributes: string): void;
  close(namespace: string, name: string): void;
  text(text: string): void;
}

/** Decodes the character references of a text, by the library's function. */
type Decode = (text: string) => string;

/** Namespaces by prefix, from an element's start tag until its end. */
interface Scope {
  depth: number;
  names: ReadonlyMap<string, string>;
}

/**
 * Reads a text of XML; where it is damaged, reading ends and false is returned.
 *
 * @param usual namespaces by prefix, where the text declares none
 */
export function readXml(
  xml: string,
  reader: XmlReader,
  decode: Decode,
  usual: ReadonlyMap<string, string> = new Map(),
): boolean {
  const scopes: Scope[] = [{ depth: -1, names: usual }];
  let depth = 0;
  let at = 0;
  for (;;) {
    const tag = xml.indexOf('<', at);
    const text = xml.slice(at, tag === -1 ? xml.length : tag);
    if (text !== '') reader.text(text.includes('&') ? decode(text) : text);
    if (tag === -1) return depth === 0;
    const skipped = specials.find(({ begins }) => xml.startsWith(begins, tag));
    if (skipped !== undefined) {
      const end = xml.indexOf(skipped.ends, tag + skipped.begins.length);
      if (end === -1) return false;
      if (skipped.isText) reader.text(xml.slice(tag + skipped.begins.length, end));
      at = end + skipped.ends.length;
      continue;
    }
    const end = endOfTag(xml, tag);
    if (end === -1) return false;
    at = end + 1;
    const isEnd = xml[tag + 1] === '/';
    const isEmpty = !isEnd && xml[end - 1] === '/';
    const [name = ''] = /^[^\s/>]*/.exec(xml.slice(tag + (isEnd ? 2 : 1), Math.min(end, tag + 200))) ?? [];
    const attributes = isEnd ? '' : xml.slice(tag + 1 + name.length, isEmpty ? end - 1 : end);
    if (!isEnd && attributes.includes('xmlns')) scopes.push({ depth, names: namesIn(attributes, scopes, decode) });
    const colon = name.indexOf(':');
    const prefix = colon === -1 ? '' : name.slice(0, colon);
    const local = name.slice(colon + 1);
    const namespace = scopes.at(-1)?.names.get(prefix) ?? '';
    if (isEnd) depth--;
    else reader.open(namespace, local, attributes);
    if (isEnd || isEmpty) {
      reader.close(namespace, local);
      if (scopes.length > 1 && scopes.at(-1)?.depth === depth) scopes.pop();
    } else depth++;
    if (depth < 0) return false;
  }
}

const specials = [
  { begins: '<!--', ends: '-->', isText: false },
  { begins: '<![CDATA[', ends: ']]>', isText: true },
  { begins: '<?', ends: '?>', isText: false },
  { begins: '<!', ends: '>', isText: false },
];

// An attribute may contain the sign that ends a tag.
function endOfTag(xml: string, from: number): number {
  let quote = 0;
  for (let i = from; i < xml.length; i++) {
    const code = xml.charCodeAt(i);
    if (quote !== 0) quote = code === quote ? 0 : quote;
    else if (code === 0x22 || code === 0x27) quote = code;
    else if (code === 0x3e) return i;
  }
  return -1;
}

function namesIn(attributes: string, scopes: readonly Scope[], decode: Decode): ReadonlyMap<string, string> {
  const names = new Map(scopes.at(-1)?.names);
  for (const [, prefix = '', double, single] of attributes.matchAll(
    /\bxmlns(?::([^\s=]{1,100}))?\s*=\s*(?:"([^"]*)"|'([^']*)')/g,
  ))
    names.set(prefix, decode(double ?? single ?? ''));
  return names;
}

/** The value of an attribute without a prefix. */
export function attributeOf(attributes: string, name: string, decode: Decode): string | undefined {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  return found === null ? undefined : decode(found[1] ?? found[2] ?? '');
}
