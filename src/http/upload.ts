// Reads a form with files into a private directory, which is deleted when the request is over, and checks the files.

import { createWriteStream, promises } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type busboy from 'busboy';
import { ApiError, type FieldProblem, invalid } from '../core/errors.js';
import { nearest } from '../core/nearest.js';
import { describe } from '../core/problems.js';
import { storageFailure } from '../db/storage-failure.js';
import { temporaryStart } from '../db/temporary-directory.js';
import type { UploadDeclaration, UploadedFile } from './endpoint.js';
import { boundaryOf, formTypeOf, hashForm, isFormType, longestBoundary } from './form-parts.js';
import { note, type RequestContext, warn } from './request-context.js';
import { countBytes, throwAway } from './unread-body.js';

const maxFields = 50;
const maxFieldBytes = 64 * 1_024;

/** The text fields of a form; its files are in the context. */
export async function readForm(context: RequestContext, limits: UploadDeclaration): Promise<Record<string, string>> {
  const { req } = context.ctx;
  demandForm(req, limits);
  const form = createForm(context, limits);
  // At once: a request that is over before all has been read still takes it away.
  context.upload = form.upload;
  try {
    await form.read(req, await parserFor(req, limits));
  } catch (error) {
    throwAway(req);
    throw error;
  } finally {
    form.settled();
  }
  checkFiles(context, limits, form);
  return form.texts;
}

async function parserFor(
  { headers }: IncomingMessage,
  { maxFiles, maxFileBytes }: UploadDeclaration,
): Promise<busboy.Busboy> {
  const { default: createParser } = await import('busboy');
  const limits = {
    // One more than allowed, so that it shows.
    files: maxFiles + 1,
    // Its limit is met already by a file of that size.
    fileSize: maxFileBytes + 1,
    fields: maxFields,
    fieldSize: maxFieldBytes,
    parts: maxFiles + maxFields,
    headerPairs: 50,
  };
  try {
    const read = { ...headers, 'content-type': formTypeOf(headers['content-type'] ?? '') };
    return createParser({ headers: read, limits, defParamCharset: 'utf8' });
  } catch (error) {
    throw badType(headers, `cannot be used: ${(error as Error).message.toLowerCase()}`);
  }
}

function badType(headers: IncomingMessage['headers'], message: string): ApiError {
  return invalid({
    path: 'headers.content-type',
    message,
    received: describe(headers['content-type']),
    suggestion: 'multipart/form-data; boundary=…',
  });
}

interface Form {
  upload: RequestContext['upload'];
  texts: Record<string, string>;
  /** The fields of files, in the order in which they came. */
  files: UploadedFile[];
  read(req: IncomingMessage, parser: busboy.Busboy): Promise<void>;
  /** Nothing more will be written. */
  settled(): void;
}

function createForm(context: RequestContext, limits: UploadDeclaration): Form {
  const texts = Object.create(null) as Record<string, string>;
  const files: UploadedFile[] = [];
  let folder: string | undefined;
  let isWhole = false;
  let hash: string | undefined;
  let settled = (): void => {};
  const over = new Promise<void>((resolve) => {
    settled = resolve;
  });
  return {
    texts,
    files,
    upload: {
      files,
      get isWhole() {
        return isWhole;
      },
      get hash() {
        return hash;
      },
      get formName() {
        return texts.name?.slice(0, 200);
      },
      async discard() {
        await over;
        const gone = folder;
        folder = undefined;
        // A directory that cannot be deleted is left to the system; no request fails because of it.
        if (gone !== undefined) await promises.rm(gone, { recursive: true, force: true }).catch(() => {});
      },
    },
    settled() {
      isWhole = true;
      settled();
    },
    async read(req, parser) {
      const start = temporaryStart('cloudemu-upload-');
      const place = await promises.mkdtemp(start).catch((error) => {
        throw storageFailure(error, start, 'temporary directory') ?? error;
      });
      folder = place;
      const writing: Promise<void>[] = [];
      try {
        await new Promise<void>((resolve, reject) => {
          parser.on('file', (field, content, { filename }) => {
            if (files.length === limits.maxFiles) reject(tooMany(limits.maxFiles));
            const file = { field, name: filename ?? '', bytes: 0, path: join(place, String(files.length)) };
            files.push(file);
            content.once('limit', () => reject(tooLarge(`The file in ${describe(field)}`, limits.maxFileBytes)));
            const written = keep(file, content);
            writing.push(written);
            written.catch(reject);
          });
          parser.on('field', (name, value, { valueTruncated }) => {
            if (valueTruncated) reject(tooLong(name, limits));
            if (name in texts) warn(context, `repeated field (the last one counts): ${name.slice(0, 100)}`);
            texts[name] = value;
          });
          for (const limit of ['partsLimit', 'fieldsLimit'] as const)
            parser.on(limit, () => reject(badForm('has too many parts')));
          parser.on('error', (error) => reject(badForm(sentence(error))));
          parser.on('close', resolve);
          const gone = (): void => {
            if (!req.readableEnded) reject(badForm('ends too early: the client has gone'));
          };
          req.on('close', gone);
          // The client may have left before anything listened.
          if (req.destroyed) gone();
          countBytes(req, limits.maxBytes + overheadBytes, () => reject(tooLarge('The body', limits.maxBytes)));
          const hashing = hashForm(req.headers['content-type'] ?? '');
          req.on('data', (piece: Buffer) => hashing?.update(piece));
          req.on('end', () => {
            hash = hashing?.digest();
          });
          req.pipe(parser);
        });
        await Promise.all(writing);
      } catch (error) {
        req.unpipe(parser);
        parser.destroy();
        await Promise.allSettled(writing);
        throw storageFailure(error, place, 'temporary directory') ?? error;
      }
    },
  };
}

async function keep(file: UploadedFile, content: Readable): Promise<void> {
  content.on('data', (piece: Buffer) => {
    file.bytes += piece.length;
  });
  await pipeline(content, createWriteStream(file.path, { mode: 0o600 }));
}

const mega = 1_024 * 1_024;
/** The room for boundaries, headers and texts beside the files. */
const overheadBytes = mega;

/**
 * Looks at what the headers tell, before anything is read.
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE; PAYLOAD_TOO_LARGE
 */
function demandForm({ headers }: IncomingMessage, { maxBytes }: UploadDeclaration): void {
  const type = headers['content-type'] ?? '';
  if (!isFormType(type)) {
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
  const { length = 0 } = boundaryOf(type) ?? '';
  if (length > longestBoundary)
    throw badType(headers, `must name a boundary of at most ${longestBoundary} characters (RFC 2046), got ${length}`);
  if (Number(headers['content-length'] ?? 0) > maxBytes + overheadBytes) throw tooLarge('The body', maxBytes);
}

/**
 * Checks how large the files are together and which fields hold them, once all has been read.
 *
 * @throws ApiError PAYLOAD_TOO_LARGE; VALIDATION_ERROR naming the field that was meant
 */
function checkFiles(
  context: RequestContext,
  { fields, pattern, maxBytes }: UploadDeclaration,
  { files, texts }: { files: readonly UploadedFile[]; texts: Record<string, string> },
): void {
  if (files.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes) throw tooLarge('All files together', maxBytes);
  const isKnown = (field: string): boolean => fields.includes(field) || pattern?.test(field) === true;
  const [required = 'file'] = fields;
  const unknown = [...new Set(files.map(({ field }) => field.slice(0, 100)).filter((field) => !isKnown(field)))];
  const problems: FieldProblem[] = [];
  if (!files.some(({ field }) => isKnown(field))) {
    const isText = texts[required] !== undefined;
    const message = isText ? 'must be a file: it came without a filename' : 'is required: a file';
    problems.push({ path: required, message, received: isText ? 'a text' : 'nothing' });
  }
  const { strict } = context.world.config;
  for (const field of unknown) {
    const suggestion = problems.length > 0 && unknown.length === 1 ? required : nearest(field, fields);
    if (strict.inputs || problems.length > 0) {
      problems.push({ path: field, message: 'is unknown: no file belongs there', suggestion });
    } else {
      warn(context, `unknown file ${field}${suggestion === undefined ? '' : `, did you mean ${suggestion}?`}`);
      note(context, 'unknown-field');
    }
  }
  if (problems.length > 0) throw invalid(...problems);
}

function tooLarge(what: string, bytes: number): ApiError {
  const size = bytes >= mega ? `${Math.floor(bytes / mega)} MB` : `${Math.floor(bytes / 1_024)} KB`;
  return new ApiError('PAYLOAD_TOO_LARGE', { message: `${what} is larger than ${size}` });
}

function tooLong(field: string, { fields }: UploadDeclaration): ApiError {
  const isText = !fields.includes(field);
  const problem = tooLarge(`The field ${describe(field)}`, maxFieldBytes);
  if (isText) return problem;
  return new ApiError('PAYLOAD_TOO_LARGE', {
    message: `${problem.message}, the most that a text may have: for a file, name one in its part (filename="…")`,
  });
}

function tooMany(most: number): ApiError {
  return invalid({ path: 'body', message: `must have at most ${most} ${most === 1 ? 'file' : 'files'}` });
}

function badForm(problem: string): ApiError {
  return invalid({ path: 'body', message: `is not a complete form: it ${problem}` });
}

/** The problem of a form that cannot be read, from the error of its parser. */
function sentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text === 'Unexpected end of form' ? 'ends too early' : `is damaged (${text.slice(0, 100).toLowerCase()})`;
}
