// What kinds of documents there are, and reading the text in one.

import { promises } from 'node:fs';
import { type FieldProblem, invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import type { UploadDeclaration, UploadedFile } from '../../http/endpoint.js';
import { pageText } from './page-text.js';

const mega = 1_024 * 1_024;
export const maxFileBytes = 5 * mega;

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
/** Which the platform reads, and this does not. */
const unread = ['pdf', 'doc'];

export interface ReadDocument {
  name: string;
  type: string;
  bytes: number;
  text: string;
}

/** The media type that a name tells; text without one. */
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
  const text =
    ending === 'docx'
      ? (await import('./word-text.js')).wordText(content)
      : content.toString('utf8').replace(/^\ufeff/, '');
  if (text === undefined) return 'is no whole .docx file';
  if (text.includes('\u0000')) return 'is no text: it has bytes that are 0';
  const plain = ending === 'html' ? pageText(text) : text;
  if (plain.trim() === '') return 'has no text in it';
  return { name: name.slice(0, 255), type: typeOf(name), bytes, text: plain };
}
