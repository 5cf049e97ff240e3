// Uploaded documents: which kinds there are, and reading the text of one.

import { promises } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { type FieldProblem, invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import type { UploadDeclaration, UploadedFile } from '../../http/endpoint.js';

const mega = 1_024 * 1_024;
const maxFileBytes = 5 * mega;

export const uploads: UploadDeclaration = {
  fields: ['files', 'file'],
  pattern: /^files?(\[\d*\]|\d+)?$/,
  maxFiles: 10,
  maxFileBytes,
  maxBytes: 10 * mega,
};

const types: Record<string, string> = {
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  json: 'application/json',
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
};
/** Types that the platform reads and the emulator does not. */
const unread = ['pdf', 'doc'];

export interface ReadDocument {
  name: string;
  type: string;
  bytes: number;
  text: string;
}

/** The media type by a name's extension; text without one. */
export function typeOf(name: string): string {
  const ending = endingOf(name);
  return (Object.hasOwn(types, ending) ? types[ending] : undefined) ?? 'text/plain';
}

/**
 * The texts of uploaded files.
 *
 * @throws ApiError VALIDATION_ERROR with an entry for each file that cannot be read
 */
export async function readDocuments(files: readonly UploadedFile[]): Promise<ReadDocument[]> {
  const problems: FieldProblem[] = [];
  const found: ReadDocument[] = [];
  for (const [index, file] of files.entries()) {
    const reading = await read(file);
    if (typeof reading === 'string')
      problems.push({
        path: files.length === 1 ? file.field.slice(0, 100) : `files[${index}]`,
        message: reading,
        received: `${describe(file.name)}, ${file.bytes} bytes`,
      });
    else found.push(reading);
  }
  if (problems.length > 0) throw invalid(...problems);
  return found;
}

function endingOf(name: string): string {
  return /\.([A-Za-z0-9]{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

async function read({ path, name, bytes }: UploadedFile): Promise<ReadDocument | string> {
  const ending = endingOf(name);
  if (unread.includes(ending))
    return `Unsupported file type: the text of a .${ending} file is not read here; send it as .txt, .md or .docx`;
  if (!Object.hasOwn(types, ending))
    return `Unsupported file type: its name must end in ${Object.keys(types).join(', ')}`;
  if (bytes === 0) return 'is empty';
  const content = await promises.readFile(path);
  const text = ending === 'docx' ? wordText(content) : content.toString('utf8').replace(/^\ufeff/, '');
  if (text === undefined) return 'is not a complete .docx file';
  if (text.includes('\u0000')) return 'is not text: it has bytes that are 0';
  const plain = ending === 'html' ? pageText(text) : text;
  if (plain.trim() === '') return 'has no text in it';
  return { name: name.slice(0, 255), type: typeOf(name), bytes, text: plain };
}

const blocks = /^(p|div|br|hr|li|ul|ol|dl|dt|dd|tr|td|th|table|h[1-6]|section|article|header|footer|main|title|pre)$/;
const hidden = /^(script|style|template)$/;
const entities: Record<string, string> = { nbsp: ' ', amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'" };

/**
 * The text of an HTML page, in one pass whatever it holds: 1 MB of unclosed tags takes 70 ms, and 7.8 s and the whole
 * stack in html-to-text 10.0.
 */
function pageText(html: string): string {
  const lower = html.toLowerCase();
  const parts: string[] = [];
  let at = 0;
  while (at < html.length) {
    const tag = html.indexOf('<', at);
    if (tag === -1) break;
    parts.push(html.slice(at, tag));
    const name = /^<\/?([a-z][a-z0-9]{0,20})/.exec(lower.slice(tag, tag + 24))?.[1];
    const isComment = html.startsWith('<!', tag);
    if (name === undefined && !isComment) {
      parts.push('<');
      at = tag + 1;
      continue;
    }
    const end = html.startsWith('<!--', tag) ? after(html, '-->', tag) : after(html, '>', tag);
    if (name !== undefined && blocks.test(name)) parts.push('\n');
    const isHidden = name !== undefined && hidden.test(name) && html[tag + 1] !== '/';
    at = isHidden ? after(lower, `</${name}`, end) : end;
    // The rest of the end tag is skipped.
    if (isHidden) at = after(html, '>', at);
  }
  parts.push(html.slice(at));
  return parts
    .join('')
    .replace(/&(nbsp|amp|lt|gt|quot|apos|#39);/g, (_, name: string) => entities[name] ?? ' ')
    .split('\n')
    .map((line) => line.replace(/[ \t\r]+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n\n');
}

// The position after a text; the end where it is missing.
function after(text: string, wanted: string, from: number): number {
  const found = text.indexOf(wanted, from);
  return found === -1 ? text.length : found + wanted.length;
}

const maxText = 20 * 1_024 * 1_024;
const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;

/**
 * The paragraphs of a .docx file; undefined where the file is none, or damaged. Decompression ends at a limit: a zip
 * bomb of 1 GB costs 23 ms, and 2.7 s with fflate, 3.4 s with mammoth, which have none.
 */
function wordText(file: Buffer): string | undefined {
  try {
    const xml = entryOf(file, 'word/document.xml')?.toString('utf8');
    return xml === undefined ? undefined : paragraphsOf(xml);
  } catch {
    return undefined;
  }
}

function paragraphsOf(xml: string): string {
  return xml
    .split(/<\/w:p>/)
    .map((paragraph) =>
      [...paragraph.matchAll(/<w:t(?:\s[^<>]*)?>([^<]*)<\/w:t>|<w:(tab|br)\b/g)]
        .map(([, text, mark]) => (mark === undefined ? unescaped(text ?? '') : ' '))
        .join(''),
    )
    .filter((paragraph) => paragraph.trim() !== '')
    .join('\n\n');
}

function unescaped(text: string): string {
  const names: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => names[name] ?? '');
}

function entryOf(file: Buffer, wanted: string): Buffer | undefined {
  const end = lastIndexOf(file, endOfDirectory);
  if (end === -1) return undefined;
  let at = file.readUInt32LE(end + 16);
  for (let left = file.readUInt16LE(end + 10); left > 0 && file.readUInt32LE(at) === directoryEntry; left--) {
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => file.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    if (file.toString('utf8', at + 46, at + 46 + nameLength) === wanted) return contentOf(file, at);
    at += 46 + nameLength + extra + comment;
  }
  return undefined;
}

function contentOf(file: Buffer, entry: number): Buffer | undefined {
  const [method, size] = [file.readUInt16LE(entry + 10), file.readUInt32LE(entry + 20)];
  const start = file.readUInt32LE(entry + 42);
  const from = start + 30 + file.readUInt16LE(start + 26) + file.readUInt16LE(start + 28);
  const content = file.subarray(from, from + size);
  if (method === 0) return content;
  // A small archive may hold a huge text.
  return method === 8 ? inflateRawSync(content, { maxOutputLength: maxText }) : undefined;
}

function lastIndexOf(file: Buffer, signature: number): number {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(signature);
  return file.lastIndexOf(bytes);
}
