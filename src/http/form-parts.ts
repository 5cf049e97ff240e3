// The hash of a form's parts. It is computed as the bytes arrive and leaves out the boundary, which always differs.

import { createHash } from 'node:crypto';

/** Takes the bytes of a form. */
interface FormHash {
  update(piece: Buffer): void;
  /** Equal for equal parts in the same order. */
  digest(): string;
}

/** The longest boundary of a form (RFC 2046, 5.1.1). */
export const longestBoundary = 70;
/** How many parts are told apart: no operation takes more, and each costs far more than its bytes. */
const mostParts = 1_000;

const formType = /^multipart\/form-data\s*(?:;|$)/i;
const boundaryParameter = /;\s*boundary\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/i;

/** Whether a content type is that of a form with files. */
export function isFormType(contentType: string): boolean {
  return formType.test(contentType.trim());
}

/** The boundary between the parts of a form with a content type; undefined when the type names none. */
export function boundaryOf(contentType: string): string | undefined {
  const [, quoted, plain = ''] = boundaryParameter.exec(contentType) ?? [];
  const boundary = quoted?.replace(/\\(.)/g, '$1') ?? plain;
  return boundary === '' ? undefined : boundary;
}

/** A content type as the parser of forms reads it, which has the boundary that was checked and no other. */
export function formTypeOf(contentType: string): string {
  const boundary = boundaryOf(contentType);
  return boundary === undefined ? contentType : `multipart/form-data; boundary="${boundary.replace(/["\\]/g, '\\$&')}"`;
}

const lineEnd = '\r\n';

/** The hash of a form with a content type; undefined when that names no boundary, or one that is too long. */
export function hashForm(contentType: string): FormHash | undefined {
  const boundary = isFormType(contentType) ? boundaryOf(contentType) : undefined;
  if (boundary === undefined || boundary.length > longestBoundary) return undefined;
  const delimiter = Buffer.from(`${lineEnd}--${boundary}`, 'latin1');
  const hash = createHash('sha256');
  // The end of what came, where a delimiter may have begun. The first one need not follow a line.
  let rest = Buffer.from(lineEnd);
  let parts = 0;
  return {
    update(piece) {
      const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      let from = 0;
      while (parts < mostParts) {
        const at = bytes.indexOf(delimiter, from);
        if (at === -1) break;
        hash.update(bytes.subarray(from, at));
        from = at + delimiter.length;
        parts++;
      }
      const sure = parts === mostParts ? bytes.length : Math.max(from, bytes.length - delimiter.length + 1);
      hash.update(bytes.subarray(from, sure));
      rest = Buffer.from(bytes.subarray(sure));
    },
    digest: () => hash.update(rest).digest('hex'),
  };
}

/** The text of the part `name` in the beginning of a form. */
export function formNameIn(beginning: string): string | undefined {
  return /\r?\ncontent-disposition:[^\r\n]{0,200};\s*name="name"[^\r\n]{0,200}\r?\n\r?\n([^\r\n]{1,200})/i.exec(
    beginning,
  )?.[1];
}
