// The text of .docx files: the paragraphs of the document, then its footnotes and endnotes.

import { posix } from 'node:path';
import { promisify } from 'node:util';
import type { Budget } from '../../core/budget.js';
import { ApiError } from '../../core/errors.js';
import { decode } from './decode.js';

// Reads the tags and texts of XML in one pass. Names come with their namespaces, whatever their prefixes are.

interface XmlReader {
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
function readXml(
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
function attributeOf(attributes: string, name: string, decode: Decode): string | undefined {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  return found === null ? undefined : decode(found[1] ?? found[2] ?? '');
}

// Reads entries of a ZIP file, and counts what they unpack to.

const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;

interface Archive {
  /** The content of an entry; undefined where there is none. Throws where the file is damaged. */
  entry(path: string): Promise<Buffer | undefined>;
}

/**
 * Opens an archive; throws where the file is none. Decompression ends at a limit: a zip bomb of 1 GB costs 23 ms, and
 * 2.7 s with fflate, 3.4 s with mammoth, which have none.
 *
 * @param most the largest content of an entry
 * @param budget what the entries of all archives of a request may unpack to, in bytes
 */
export function openArchive(file: Buffer, most: number, budget: Budget): Archive {
  const places = placesIn(file);
  return {
    async entry(path) {
      const at = places.get(path);
      if (at === undefined) return undefined;
      const [method, size, start] = [
        file.readUInt16LE(at + 10),
        file.readUInt32LE(at + 20),
        file.readUInt32LE(at + 42),
      ];
      const from = start + 30 + file.readUInt16LE(start + 26) + file.readUInt16LE(start + 28);
      const content = file.subarray(from, from + size);
      if (method !== 0 && method !== 8) throw new Error(`there is no compression ${method}`);
      // The stated size may be wrong, so the budget is spent twice: before the entry is unpacked, and for what it has beyond
      // that.
      const stated = method === 0 ? content.length : file.readUInt32LE(at + 24);
      budget.spend(stated);
      if (method === 0) return content;
      // Loaded on first use.
      const { inflateRaw } = await import('node:zlib');
      const unpacked = await promisify(inflateRaw)(content, { maxOutputLength: most });
      if (unpacked.length > stated) budget.spend(unpacked.length - stated);
      return unpacked;
    },
  };
}

// The places of entries in the directory, by their names.
function placesIn(file: Buffer): Map<string, number> {
  const places = new Map<string, number>();
  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(endOfDirectory);
  const end = file.lastIndexOf(signature);
  if (end === -1) throw new Error('there is no directory');
  let at = file.readUInt32LE(end + 16);
  for (let left = file.readUInt16LE(end + 10); left > 0 && file.readUInt32LE(at) === directoryEntry; left--) {
    const length = file.readUInt16LE(at + 28);
    places.set(file.toString('utf8', at + 46, at + 46 + length), at);
    at += 46 + length + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32);
  }
  return places;
}

/** The largest part of a document, unpacked. */
const maxPartBytes = 20 * 1_024 * 1_024;

const word =
  /^http:\/\/(schemas\.openxmlformats\.org\/wordprocessingml\/2006|purl\.oclc\.org\/ooxml\/wordprocessingml)\/main$/;
const math =
  /^http:\/\/(schemas\.openxmlformats\.org\/officeDocument\/2006|purl\.oclc\.org\/ooxml\/officeDocument)\/math$/;
const compatibility = 'http://schemas.openxmlformats.org/markup-compatibility/2006';
/** The namespaces of these prefixes where the document declares none. */
const usual = new Map([
  ['w', 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'],
  ['mc', compatibility],
]);
const spaces = /^(tab|br|cr|ptab)$/;

export interface DocxTools {
  /** Decodes character references of XML. */
  references: (text: string) => string;
  /** The number of bytes that the documents of a request may unpack to. */
  budget: Budget;
}

/**
 * The text of a .docx file; undefined where the file is none, or damaged.
 *
 * @throws ApiError PAYLOAD_TOO_LARGE when the budget is used up
 */
export async function wordText(file: Buffer, tools: DocxTools): Promise<string | undefined> {
  let archive: Archive;
  try {
    archive = openArchive(file, maxPartBytes, tools.budget);
  } catch {
    return undefined;
  }
  const path = (await related(archive, '', /\/officeDocument$/, tools))[0] ?? 'word/document.xml';
  const text = await partText(archive, path, tools);
  if (text === undefined) return undefined;
  const texts = [text];
  for (const kind of [/\/footnotes$/, /\/endnotes$/])
    for (const notes of await related(archive, path, kind, tools))
      texts.push((await partText(archive, notes, tools)) ?? '');
  return texts.filter((one) => one !== '').join('\n\n');
}

// The parts that a part, or the whole, is related to.
async function related(archive: Archive, path: string, kind: RegExp, tools: DocxTools): Promise<string[]> {
  const { dir, base } = posix.parse(path);
  const xml = await xmlOf(archive, posix.join(dir, '_rels', `${base}.rels`));
  const targets: string[] = [];
  if (xml === undefined) return targets;
  const reader: XmlReader = {
    open(_, name, attributes) {
      const read = (attribute: string): string => attributeOf(attributes, attribute, tools.references) ?? '';
      if (name !== 'Relationship' || !kind.test(read('Type')) || read('TargetMode') === 'External') return;
      const target = read('Target');
      targets.push(target.startsWith('/') ? target.slice(1) : posix.join(dir, target));
    },
    close() {},
    text() {},
  };
  readXml(xml, reader, tools.references);
  return targets.slice(0, 1);
}

async function partText(archive: Archive, path: string, tools: DocxTools): Promise<string | undefined> {
  const xml = await xmlOf(archive, path);
  if (xml === undefined) return undefined;
  const paragraphs = createParagraphs();
  const isWhole = readXml(xml, paragraphs, tools.references, usual);
  return isWhole ? paragraphs.found.join('\n\n') : undefined;
}

async function xmlOf(archive: Archive, path: string): Promise<string | undefined> {
  let content: Buffer | undefined;
  try {
    content = await archive.entry(path);
  } catch (error) {
    // The budget is used up; anything else is damage.
    if (error instanceof ApiError) throw error;
    return undefined;
  }
  const decoded = content === undefined ? undefined : decode(content, 'xml');
  return decoded !== undefined && 'text' in decoded ? decoded.text : undefined;
}

/** Collects paragraphs; those of a text box come before the one that it is in. */
function createParagraphs(): XmlReader & { found: string[] } {
  const found: string[] = [];
  const open: string[] = [];
  let texts = 0;
  // For each open choice, whether an alternative was read: Word shows one of the alternatives, and only the first is read.
  const chosen: boolean[] = [];
  // For each open ruby, the text that is shown beside its base: it is written before the base.
  const beside: string[] = [];
  // How deep what is left out is nested.
  let left = 0;
  const add = (text: string): void => {
    if (open.length > 0) open[open.length - 1] += text;
  };
  const isAlternative = (namespace: string, name: string): boolean =>
    namespace === compatibility && (name === 'Choice' || name === 'Fallback');
  return {
    found,
    open(namespace, name) {
      if (left > 0) {
        left++;
        return;
      }
      if (namespace === compatibility && name === 'AlternateContent') chosen.push(false);
      if (isAlternative(namespace, name)) {
        if (chosen.at(-1) === true) left = 1;
        else chosen[chosen.length - 1] = true;
      }
      if (name === 't' && (word.test(namespace) || math.test(namespace))) texts++;
      if (!word.test(namespace)) return;
      // What was moved is shown where it is now.
      if (name === 'moveFrom') left = 1;
      else if (name === 'ruby') beside.push('');
      else if (name === 'p' || name === 'rt') open.push('');
      else if (spaces.test(name)) add(' ');
      else if (name === 'noBreakHyphen') add('-');
    },
    close(namespace, name) {
      if (left > 0) {
        left--;
        return;
      }
      if (namespace === compatibility && name === 'AlternateContent') chosen.pop();
      if (name === 't' && (word.test(namespace) || math.test(namespace))) texts--;
      if (!word.test(namespace)) return;
      if (name === 'rt') beside[beside.length - 1] = open.pop() ?? '';
      if (name === 'ruby') add(beside.pop() ?? '');
      if (name !== 'p') return;
      const paragraph = open.pop();
      if (paragraph !== undefined && paragraph.trim() !== '') found.push(paragraph);
    },
    text(text) {
      if (texts > 0 && left === 0) add(text);
    },
  };
}
