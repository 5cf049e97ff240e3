// The endpoint that says a text, as OpenAI's SDKs ask for it.

import { type Endpoint, endpoint, type HandlerContext } from '../../../http/endpoint.js';
import { bytes } from '../../../http/response.js';
import type { CannedFile } from '../../voice/canned.js';
import { speechPrice } from '../../voice/pricing.js';
import { makeSpeech, modelOf, settleSpeech } from '../../voice/speech.js';
import { modelErrors } from '../errors.js';
import { checkSpeech, inTheseWords, speechBodyOf, speechCallOf } from './say.js';
import * as schema from './schema.js';

export const speechEndpoints: Endpoint[] = [
  endpoint({
    id: 'audio.speech',
    method: 'POST',
    path: '/api/v1/audio/speech',
    summary: 'Say a text, in the words of OpenAI’s SDKs: an MP3 file',
    auth: 'caller',
    permission: { name: 'voice', level: 'write' },
    body: schema.speechBody,
    example: { model: 'tts-1', voice: 'alloy', input: 'Hello, world' },
    responses: { 200: { description: 'The audio', contentTypes: ['audio/mpeg'] } },
    errors: ['INSUFFICIENT_CREDITS', 'NOT_FOUND'],
    price: ({ world, body }) =>
      speechPrice(world.config, body.input, modelOf({ world, body: speechBodyOf(body) })).amount,
    assumptions: ['audio.speech', 'audio.limits', 'voice.speech', 'voice.price', 'money', 'x402.payment'],
    besideError: modelErrors,
    prepare: say,
    handle(call) {
      try {
        settleSpeech(speechCallOf(call));
      } catch (error) {
        throw inTheseWords(error);
      }
      const { content, type } = call.prepared;
      return bytes(content, type, { 'Cache-Control': 'no-cache' });
    },
  }),
];

async function say(call: HandlerContext<unknown, unknown, schema.SpeechBody>): Promise<CannedFile> {
  checkSpeech(call);
  try {
    return await makeSpeech(speechCallOf(call));
  } catch (error) {
    throw inTheseWords(error);
  }
}
