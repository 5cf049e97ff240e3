// Parts of a file: what a Range header asks for.

import { type BytesAnswer, bytes } from '../../../api/answer.js';
import { ApiError } from '../../../kernel/errors.js';

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
  const [, first, last] = /^bytes\s*=\s*(\d{0,15})-(\d{0,15})$/i.exec(range?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === ''))
    return bytes(content, type, accepting);
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < start) return bytes(content, type, accepting);
  if (start >= size) {
    throw new ApiError('RANGE_NOT_SATISFIABLE', {
      message: `The file has ${size} bytes`,
      headers: { 'Content-Range': `bytes */${size}` },
    });
  }
  const part = content.subarray(start, end + 1);
  return { ...bytes(part, type, { ...accepting, 'Content-Range': `bytes ${start}-${end}/${size}` }), status: 206 };
}
