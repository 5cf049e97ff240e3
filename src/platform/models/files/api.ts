// The public address of generated pictures and videos. Clients may ask for a part of a file.

import * as z from 'zod';
import { ApiError, found } from '../../../core/errors.js';
import { type Endpoint, endpoint } from '../../../http/endpoint.js';
import { byteRange, rangeHeader } from '../../../http/file-part.js';
import { type BytesAnswer, bytes } from '../../../http/response.js';
import type { World } from '../../../world/world.js';
import { drawPicture } from '../images/picture.js';
import { makeFilm } from '../video/film.js';
import { readFileName } from './address.js';

const headers = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'X-Content-Type-Options': 'nosniff',
};

export const fileEndpoints: Endpoint[] = [
  endpoint({
    id: 'files.get',
    method: 'GET',
    path: '/api/v1/generated/{id}',
    summary: 'Get a picture or a video that was generated here',
    auth: 'public',
    params: z.object({ id: z.string().meta({ description: 'Id from the address in a response' }) }),
    responses: {
      200: { description: 'The file', contentTypes: ['image/png', 'video/mp4'] },
      206: { description: 'The part of it that Range asks for', contentTypes: ['image/png', 'video/mp4'] },
    },
    errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
    assumptions: ['files.address'],
    prepare: ({ world, params }) => readFile(world, params.id),
    handle: (call) => fileAnswer(call.prepared.content, call.prepared.type, { range: rangeHeader(call), headers }),
  }),
];

async function readFile(world: World, name: string): Promise<{ content: Buffer; type: string }> {
  const recipe = found(readFileName(world, name), 'File not found: this world has not given out such an address');
  if (recipe.kind === 'mp4') return { content: makeFilm(recipe), type: 'video/mp4' };
  return { content: await drawPicture(recipe), type: 'image/png' };
}

/**
 * A file, or the one range of it that is requested; several ranges, other units and invalid ones get the whole file.
 *
 * @throws ApiError RANGE_NOT_SATISFIABLE for a range behind the end
 */
function fileAnswer(
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
