// The hash of a form's parts. It is computed as the bytes arrive and leaves out the boundary, which always differs.

import { createHash } from 'node:crypto';

/** Takes the bytes of a form. */
interface FormHash {
  update(piece: Buffer): void;
  /** Equal for equal parts in the same order. */
  digest(): string;
}

/** The hash of a form with a content type; undefined when that names no boundary. */
export function hashForm(contentType: string): FormHash | undefined {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim());
  if (type.toLowerCase() !== 'multipart/form-data') return undefined;
  const named = parameters.find((parameter) => parameter.toLowerCase().startsWith('boundary='));
  const boundary = Buffer.from(named?.slice('boundary='.length).replaceAll('"', '') ?? '', 'latin1');
  if (boundary.length === 0) return undefined;
  const hash = createHash('sha256');
  // The end of what came, where a boundary may have begun.
  let rest = Buffer.alloc(0);
  return {
    update(piece) {
      const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      let from = 0;
      for (let at = bytes.indexOf(boundary); at !== -1; at = bytes.indexOf(boundary, from)) {
        hash.update(bytes.subarray(from, at));
        from = at + boundary.length;
      }
      const sure = Math.max(from, bytes.length - boundary.length + 1);
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
