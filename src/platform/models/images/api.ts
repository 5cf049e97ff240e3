// The endpoint that generates pictures: how many, in which size, and their charge.

import { createBudget } from '../../../core/budget.js';
import { type ApiError, invalid } from '../../../core/errors.js';
import { toMicros } from '../../../core/money.js';
import { describe } from '../../../core/problems.js';
import { counted } from '../../../core/words.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../../http/endpoint.js';
import { ok } from '../../../http/response.js';
import { chargeCaller } from '../../credits/ledger.js';
import { modelErrors, refusals, refuseIfOrdered } from '../errors.js';
import { fileUrl } from '../files/address.js';
import { type Model, modelOfKind } from '../models.js';
import { drawPicture } from './picture.js';
import type { ImagesBody } from './schema.js';
import * as schema from './schema.js';

export const imageEndpoints: Endpoint[] = [
  endpoint({
    id: 'images.generate',
    method: 'POST',
    path: '/api/v1/images/generations',
    aliases: ['/api/v1/generate-image'],
    summary: 'Generate pictures from a prompt',
    permission: { name: 'images', level: 'write' },
    limit: 'images',
    body: schema.imagesBody,
    example: { model: 'gpt-image-1', prompt: 'A lighthouse at night', size: '1024x1024' },
    responses: { 200: { description: 'The pictures', schema: schema.imagesAnswer } },
    errors: ['INSUFFICIENT_CREDITS', 'NOT_FOUND', ...refusals],
    priceSettings: ['image'],
    price: ({ world, body }) => countOf(body) * toMicros(world.config.prices.image),
    assumptions: ['images.pictures', 'images.limits', 'money', 'x402.payment'],
    besideError: modelErrors,
    prepare: makePictures,
    handle(call) {
      const { world, now, body, baseUrl } = call;
      const { model, pictures } = call.prepared;
      refuseIfOrdered(call, model, body.prompt);
      const { image } = world.config.prices;
      const price = { amount: pictures.length * toMicros(image), rule: `image ${image} x ${pictures.length}` };
      chargeCaller(call, price, `Pictures: ${counted(pictures.length, 'picture')} by ${model.id}`);
      const images = pictures.map(({ key, width, height, content }) => ({
        url: fileUrl(world, baseUrl, { kind: 'png', key, width, height }),
        mimeType: 'image/png',
        fileSize: content.length,
        width,
        height,
      }));
      const data =
        body.response_format === 'url'
          ? images.map(({ url }) => ({ url }))
          : pictures.map(({ content }) => ({ b64_json: content.toString('base64') }));
      const [{ width, height } = { width: 0, height: 0 }] = images;
      return ok({
        created: Math.floor(now / 1_000),
        data,
        images,
        numImages: images.length,
        output_format: 'png',
        size: `${width}x${height}`,
      });
    },
  }),
];

const usualModel = 'gpt-image-1';
const usualSide = 1_024;
const [leastSide, mostSide] = [16, 4_096] as const;
/** The bound for all pictures of a request together: four of the largest, each of which takes 40 ms in a thread. */
const mostPixels = 4 * mostSide * mostSide;
const shortPrompt = 4_000;

interface Picture {
  key: string;
  width: number;
  height: number;
  content: Buffer;
}

type ImagesCall = Pick<HandlerContext<unknown, unknown, ImagesBody>, 'world' | 'body' | 'warn'>;

/** The number of requested pictures. */
function countOf({ n, numImages }: ImagesBody): number {
  return n ?? numImages ?? 1;
}

/**
 * The pictures of a request: the same for equal ones in a world.
 *
 * @throws ApiError VALIDATION_ERROR
 */
async function makePictures(call: ImagesCall): Promise<{ model: Model; pictures: Picture[] }> {
  const { world, body, warn } = call;
  const model = modelOfKind(call, body.model ?? usualModel, 'image');
  checkFor(model, body);
  if (body.output_format !== undefined && body.output_format !== null && body.output_format !== 'png')
    warn(`output_format ${body.output_format}: pictures are PNG here`);
  const size = sizeOf(body);
  const count = countOf(body);
  createBudget({ most: mostPixels, of: 'pixels', path: 'n' }).spend(count * size.width * size.height);
  const pictures: Picture[] = [];
  for (let index = 0; index < count; index++) {
    const key = world.random.hex('picture', model.id, index, body.prompt).slice(0, 32);
    pictures.push({ key, ...size, content: await drawPicture({ key, ...size }) });
  }
  return { model, pictures };
}

// These models have the same limits at their provider.
function checkFor({ id }: Model, { prompt, n }: ImagesBody): void {
  const length = [...prompt].length;
  if (length > shortPrompt && !id.includes('gpt-image')) {
    const message = `must have at most ${shortPrompt} characters for ${id}`;
    throw invalid({ path: 'prompt', message, received: `${length} characters` });
  }
  if (id === 'dall-e-3' && (n ?? 1) > 1)
    throw invalid({ path: 'n', message: 'must be 1 for dall-e-3', received: describe(n), suggestion: '1' });
}

function sizeOf({ size, aspectRatio }: ImagesBody): Pick<Picture, 'width' | 'height'> {
  if (typeof size === 'string' && size !== 'auto') return sidesOf('size', size, size.split('x').map(Number));
  if (typeof aspectRatio !== 'string') return { width: usualSide, height: usualSide };
  const [across = 1, down = 1] = aspectRatio.split(':').map(Number);
  const side = (ratio: number): number => Math.round((usualSide * Math.sqrt(ratio)) / 8) * 8;
  const sides = [side(across / down), side(down / across)];
  return sidesOf('aspectRatio', aspectRatio, sides);
}

function sidesOf(path: string, received: string, [width = 0, height = 0]: number[]): Pick<Picture, 'width' | 'height'> {
  const isFine = (side: number): boolean => side >= leastSide && side <= mostSide;
  if (isFine(width) && isFine(height)) return { width, height };
  throw wrongSides(path, received);
}

function wrongSides(path: string, received: string): ApiError {
  const message = `must make sides of ${leastSide} to ${mostSide} pixels`;
  const suggestion = path === 'size' ? '1024x1024' : '1:1';
  return invalid({ path, message, received: describe(received), suggestion });
}
