// Uploaded documents: which kinds there are, and reading the text of one.

import { promises } from 'node:fs';
import type { Tokenizer } from 'htmlparser2';
import { createBudget } from '../../core/budget.js';
import { type FieldProblem, invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import type { UploadDeclaration, UploadedFile } from '../../http/endpoint.js';
import { decode } from './decode.js';
import { type DocxTools, wordText } from './docx.js';
import { pageText } from './html.js';

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

/** The number of bytes that the .docx files of one upload may unpack to. */
const maxUnpacked = 40 * mega;

/**
 * The texts of uploaded files.
 *
 * @throws ApiError VALIDATION_ERROR with an entry for each file that cannot be read; PAYLOAD_TOO_LARGE
 */
export async function readDocuments(files: readonly UploadedFile[]): Promise<ReadDocument[]> {
  const [{ decodeXML }, { Tokenizer }] = await Promise.all([import('entities/decode'), import('htmlparser2')]);
  const budget = createBudget({
    most: maxUnpacked,
    of: 'bytes of unpacked documents',
    path: 'files',
    code: 'PAYLOAD_TOO_LARGE',
  });
  const tools = { references: decodeXML, Tokenizer, budget };
  const problems: FieldProblem[] = [];
  const documents: ReadDocument[] = [];
  for (const [index, file] of files.entries()) {
    const reading = await read(file, tools);
    if (typeof reading === 'string')
      problems.push({
        path: files.length === 1 ? file.field.slice(0, 100) : `files[${index}]`,
        message: reading,
        received: `${describe(file.name)}, ${file.bytes} bytes`,
      });
    else documents.push(reading);
  }
  if (problems.length > 0) throw invalid(...problems);
  return documents;
}

interface Tools extends DocxTools {
  Tokenizer: typeof Tokenizer;
}

function endingOf(name: string): string {
  return /\.([A-Za-z0-9]{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

async function read({ path, name, bytes }: UploadedFile, tools: Tools): Promise<ReadDocument | string> {
  const ending = endingOf(name);
  if (unread.includes(ending))
    return `Unsupported file type: the text of a .${ending} file is not read here; send it as .txt, .md or .docx`;
  if (!Object.hasOwn(types, ending))
    return `Unsupported file type: its name must end in ${Object.keys(types).join(', ')}`;
  if (bytes === 0) return 'is empty';
  const text = await textOf(await promises.readFile(path), ending, tools);
  if (typeof text !== 'string') return text.problem;
  if (text.includes('\u0000')) return 'is not text: it has bytes that are 0';
  if (text.trim() === '') return 'has no text in it';
  if (Buffer.byteLength(text) > maxFileBytes) return `has more than ${maxFileBytes / mega} MB of text`;
  return { name: name.slice(0, 255), type: typeOf(name), bytes, text };
}

async function textOf(content: Buffer, ending: string, tools: Tools): Promise<string | { problem: string }> {
  if (ending === 'docx') return (await wordText(content, tools)) ?? { problem: 'is not a complete .docx file' };
  const decoded = decode(content, ending === 'html' ? 'html' : undefined);
  if ('problem' in decoded) return decoded;
  return ending === 'html' ? pageText(decoded.text, tools) : decoded.text;
}
