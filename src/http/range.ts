// What a Range header asks for.

/** The first and the last byte. */
export interface ByteRange {
  first: number;
  last: number;
}

/**
 * The one range of so many bytes that a Range header asks for. Undefined stands for the whole: several ranges, other
 * units and nonsense ask for it too.
 *
 * @example byteRange('bytes=-2', 10) // { first: 8, last: 9 }
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes\s*=\s*(\d{0,30})-(\d{0,30})$/i.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return first >= size ? 'unsatisfiable' : { first, last };
}
