// Checks forms with files: their headers, their syntax, and the fields that hold the files.

import type { IncomingMessage } from 'node:http';
import { ApiError, type FieldProblem, invalid } from '../core/errors.js';
import { nearest } from '../core/nearest.js';
import { describe } from '../core/problems.js';
import type { UploadDeclaration, UploadedFile } from './endpoint.js';
import { note, type RequestContext, warn } from './request-context.js';

const mega = 1_024 * 1_024;
/** What boundaries, headers and texts may take beside the files. */
export const overheadBytes = mega;

/**
 * Looks at what the headers tell, before anything is read.
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE; PAYLOAD_TOO_LARGE
 */
export function demandForm({ headers }: IncomingMessage, { maxBytes }: UploadDeclaration): void {
  const type = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(type.trim())) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', {
      message: `This operation takes a form with files: Content-Type must be multipart/form-data, got ${describe(type)}`,
    });
  }
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== '') {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', {
      message: `Forms with files are taken without Content-Encoding, got ${describe(encoding)}`,
    });
  }
  if (Number(headers['content-length'] ?? 0) > maxBytes + overheadBytes) throw tooLarge('The body', maxBytes);
}

/**
 * Checks which fields hold files, once all has been read.
 *
 * @throws ApiError VALIDATION_ERROR naming the field that was meant
 */
export function checkFiles(
  context: RequestContext,
  { fields, pattern }: UploadDeclaration,
  { files, texts }: { files: readonly UploadedFile[]; texts: Record<string, string> },
): void {
  const isKnown = (field: string): boolean => fields.includes(field) || pattern?.test(field) === true;
  const [required = 'file'] = fields;
  const strange = [...new Set(files.map(({ field }) => field.slice(0, 100)).filter((field) => !isKnown(field)))];
  const problems: FieldProblem[] = [];
  if (!files.some(({ field }) => isKnown(field))) {
    const isText = texts[required] !== undefined;
    const message = isText ? 'must be a file: it came without a filename' : 'is required: a file';
    problems.push({ path: required, message, received: isText ? 'a text' : 'nothing' });
  }
  const { strict } = context.world.config;
  for (const field of strange) {
    const suggestion = problems.length > 0 && strange.length === 1 ? required : nearest(field, fields);
    if (strict.inputs || problems.length > 0) {
      problems.push({ path: field, message: 'is unknown: no file belongs there', suggestion });
    } else {
      warn(context, `unknown file ${field}${suggestion === undefined ? '' : `, did you mean ${suggestion}?`}`);
      note(context, 'unknown-field');
    }
  }
  if (problems.length > 0) throw invalid(...problems);
}

export function tooLarge(what: string, bytes: number): ApiError {
  const size = bytes >= mega ? `${Math.floor(bytes / mega)} MB` : `${Math.floor(bytes / 1_024)} KB`;
  return new ApiError('PAYLOAD_TOO_LARGE', { message: `${what} is larger than ${size}` });
}

export function tooMany(most: number): ApiError {
  return invalid({ path: 'body', message: `must have at most ${most} ${most === 1 ? 'file' : 'files'}` });
}

export function badForm(problem: string): ApiError {
  return invalid({ path: 'body', message: `is no whole form: it ${problem}` });
}

/** What a parser says of a form that it cannot read. */
export function sentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text === 'Unexpected end of form' ? 'ends too early' : `is damaged (${text.slice(0, 100).toLowerCase()})`;
}
