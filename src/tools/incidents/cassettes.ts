// Reads the cassettes of VCR for Ruby and of vcrpy, in YAML or JSON.

import { isTree, type Tree } from '../../core/tree.js';
import type { RecordedExchange, Recording } from './exchange.js';
import { flatHeaders, numberOf, textOf } from './fields.js';

/** Whether a document is a cassette. */
export function isCassette(document: unknown): document is Tree {
  return isTree(document) && (Array.isArray(document.http_interactions) || Array.isArray(document.interactions));
}

/** The interactions of a cassette, in their order. */
export function readCassette({ http_interactions: ofRuby, interactions }: Tree): Recording {
  const all = (Array.isArray(ofRuby) ? ofRuby : interactions) as unknown[];
  const exchanges = all.flatMap((one, index): RecordedExchange[] => {
    if (!isTree(one) || !isTree(one.request) || !isTree(one.response)) return [];
    const { request, response, recorded_at } = one;
    const status = isTree(response.status) ? response.status.code : response.status;
    const at = Date.parse(textOf(recorded_at));
    return [
      {
        index,
        sentAt: Number.isNaN(at) ? null : at,
        ms: null,
        method: textOf(request.method).toUpperCase(),
        url: textOf(request.uri ?? request.url),
        headers: flatHeaders(request.headers),
        body: bodyIn(request.body),
        status: numberOf(status) ?? 0,
        answer: flatHeaders(response.headers),
        text: bodyIn(response.body),
      },
    ];
  });
  const limits = ['A cassette records no request that got no answer'];
  if (exchanges.every(({ sentAt }) => sentAt === null))
    limits.push('The cassette has no times, only the order of its requests');
  return { format: Array.isArray(ofRuby) ? 'a cassette of VCR' : 'a cassette of vcrpy', exchanges, limits };
}

// vcrpy has the body of a request alone, and that of a response in an object; VCR both in objects.
function bodyIn(body: unknown): string | null {
  if (body === null || body === undefined) return '';
  if (typeof body === 'string') return body;
  if (!isTree(body)) return null;
  if (typeof body.base64_string === 'string') return Buffer.from(body.base64_string, 'base64').toString();
  return typeof body.string === 'string' ? body.string : null;
}
