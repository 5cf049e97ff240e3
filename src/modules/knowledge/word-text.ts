// The text of a .docx file: a zip archive whose word/document.xml holds the paragraphs.

import { inflateRawSync } from 'node:zlib';

const maxText = 20 * 1_024 * 1_024;
const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;

/** The paragraphs; undefined where the file is none, or damaged. */
export function wordText(file: Buffer): string | undefined {
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
