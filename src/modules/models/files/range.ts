// Files of which a part may be asked for.

import { ApiError } from '../../../core/errors.js';
import { byteRange } from '../../../http/file-part.js';
import { type BytesAnswer, bytes } from '../../../http/response.js';

/**
 * A file, or the one range of it that is asked for; several ranges, other units and nonsense get the whole.
 *
 * @throws ApiError RANGE_NOT_SATISFIABLE for one that lies behind the end
 */
export function fileAnswer(
  content: Buffer,
  type: string,
  { range, headers }: { range: string | undefined; headers: Record<string, string> },
): BytesAnswer {
  const size = content.length;
  const accepting = { ...headers, 'Accept-Ranges': 'bytes' };
  const asked = byteRange(range, size);
  if (asked === undefined) return bytes(content, type, accepting);
  if (asked === 'unsatisfiable') {
    throw new ApiError('RANGE_NOT_SATISFIABLE', {
      message: `The file has ${size} bytes`,
      headers: { 'Content-Range': `bytes */${size}` },
    });
  }
  const { first, last } = asked;
  const part = content.subarray(first, last + 1);
  return { ...bytes(part, type, { ...accepting, 'Content-Range': `bytes ${first}-${last}/${size}` }), status: 206 };
}
