// The text of .docx files: the paragraphs of the document, then its footnotes and endnotes.

import { posix } from 'node:path';
import type { Budget } from '../../core/budget.js';
import { ApiError } from '../../core/errors.js';
import { decode } from './decode.js';
import { attributeOf, readXml, type XmlReader } from './xml.js';
import { type Archive, openArchive } from './zip.js';

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
