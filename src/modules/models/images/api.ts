// The endpoint that makes pictures.

import { toMicros } from '../../../core/money.js';
import { counted } from '../../../core/words.js';
import { type Endpoint, endpoint } from '../../../http/endpoint.js';
import { ok } from '../../../http/response.js';
import { charge } from '../../credits/ledger.js';
import { modelErrors } from '../errors.js';
import { fileUrl } from '../files/address.js';
import { refusals, refuseIfOrdered } from '../refusal.js';
import { countOf, makePictures } from './generate.js';
import * as schema from './schema.js';

export const imageEndpoints: Endpoint[] = [
  endpoint({
    id: 'images.generate',
    method: 'POST',
    path: '/api/v1/images/generations',
    aliases: ['/api/v1/generate-image'],
    summary: 'Pictures from a prompt',
    auth: 'caller',
    permission: { name: 'images', level: 'write' },
    limit: 'images',
    body: schema.imagesBody,
    example: { model: 'gpt-image-1', prompt: 'A lighthouse at night', size: '1024x1024' },
    responses: { 200: { description: 'The pictures', schema: schema.imagesAnswer } },
    errors: ['INSUFFICIENT_CREDITS', 'NOT_FOUND', ...refusals],
    price: ({ world, body }) => countOf(body) * toMicros(world.config.prices.image),
    assumptions: ['images.pictures', 'images.limits', 'money', 'x402.payment'],
    besideError: modelErrors,
    prepare: makePictures,
    handle(call) {
      const { world, caller, now, requestId, operation, body, baseUrl } = call;
      const { model, pictures } = call.prepared;
      refuseIfOrdered(call, model, body.prompt);
      const { image } = world.config.prices;
      charge(world, caller.organizationId, pictures.length * toMicros(image), {
        type: 'charge',
        reason: `Pictures: ${counted(pictures.length, 'picture')} by ${model.id}`,
        priceRule: `image ${image} x ${pictures.length}`,
        operation,
        requestId,
        at: now,
      });
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
