// Speech for a text: the settings' own file, or tones whose length depends on the text and whose pitch on the voice.

import { resolve } from 'node:path';
import type { Config } from '../../config/schema.js';
import type { VoiceModel } from '../../config/voice.js';
import { checkoutOf, readFound } from '../../core/checkout-files.js';
import { invalid } from '../../core/errors.js';
import { whyUnread } from '../../core/files.js';
import { toMicros } from '../../core/money.js';
import { fitsPattern } from '../../core/patterns.js';
import { describe } from '../../core/problems.js';
import { readRegex, regexFinds } from '../../core/safe-regex.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { emulatorFacts } from '../../world/given.js';
import type { World } from '../../world/world.js';
import { chargeCaller, type Price } from '../credits/ledger.js';
import { premadeId, type Speaker, speakerOf } from './access.js';
import { type AudioFormat, formatOf } from './audio/inspect.js';
import { speak } from './mp3/speak.js';
import type { speechBody } from './schema.js';
import { countUse } from './store.js';

export type SpeechCall = Pick<
  HandlerContext<unknown, unknown, typeof speechBody._output>,
  'world' | 'caller' | 'now' | 'requestId' | 'operation' | 'body' | 'warn'
>;

/** The model of a request. */
export function modelOf({ world, body }: Pick<SpeechCall, 'world' | 'body'>): VoiceModel {
  return body.modelId ?? world.config.voice.defaultModel;
}

/**
 * Makes the audio, before anything is charged.
 *
 * @throws ApiError VALIDATION_ERROR for a voice that cannot speak
 */
export async function makeSpeech(call: SpeechCall): Promise<CannedFile> {
  const { text } = call.body;
  const speaker = speakerIn(call);
  const model = modelOf(call);
  const canned = await cannedSpeech(call.world, { text, speaker, model });
  if (canned !== undefined && 'content' in canned) return canned;
  if (canned !== undefined) call.warn(canned.problem);
  const content = await speak({ text, voice: speaker.name, model, pitch: speaker.pitch });
  return { content, type: 'audio/mpeg' };
}

/**
 * Charges for the speech, and counts it.
 *
 * @throws ApiError INSUFFICIENT_CREDITS; VALIDATION_ERROR when the voice was deleted meanwhile
 */
export function settleSpeech(call: SpeechCall): void {
  const { world, now, body } = call;
  const { cloned } = speakerIn(call).voice;
  const price = speechPrice(world.config, body.text, modelOf(call));
  chargeCaller(call, price, `Text to speech of ${[...body.text].length} characters`, cloned?.id);
  if (cloned !== undefined) countUse(world.db, cloned.seq, now);
}

function speakerIn(call: SpeechCall): Speaker {
  const id = call.body.voiceId ?? call.world.config.voice.defaultVoice;
  if (id === null) throw invalid({ path: 'voiceId', message: 'is required', received: describe(undefined) });
  return speakerOf(call, id);
}

const charactersPerUnit = 1_000;

/** The price of speech: each started thousand characters counts. */
export function speechPrice({ prices }: Config, text: string, model: VoiceModel): Price {
  const each = prices.textToSpeechByModel[model] ?? prices.textToSpeech;
  const units = Math.ceil([...text].length / charactersPerUnit);
  return { amount: units * toMicros(each), rule: `text to speech ${each} per 1,000 characters x ${units}` };
}

const types: Record<AudioFormat, string> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  webm: 'audio/webm',
  m4a: 'audio/mp4',
  flac: 'audio/flac',
};

interface Asked {
  text: string;
  speaker: Speaker;
  model: VoiceModel;
}

export interface CannedFile {
  content: Buffer;
  type: string;
}

/** The settings' file for a text; a problem where it cannot be read. */
async function cannedSpeech(world: World, asked: Asked): Promise<CannedFile | { problem: string } | undefined> {
  const entry = world.config.voice.speech.find(({ match }) => fitsSpeech(world, match, asked));
  if (entry === undefined) return undefined;
  try {
    if (!mayRead(world, entry.file))
      return { problem: `voice.speech: ${entry.file} lies outside of the checkout: let a flag or a variable name it` };
    const content = readFound(resolve(entry.file), mostAudio);
    const format = await formatOf({
      size: content.length,
      bytes: async (at, length) => content.subarray(at, at + length),
    });
    return { content, type: types[format ?? 'mp3'] };
  } catch (error) {
    return { problem: `voice.speech: ${entry.file}: ${whyUnread(error)}` };
  }
}

const mostAudio = 32 * 1_024 * 1_024;

// Settings of a world may come from a scenario or a database that a checkout brings. Those of the process were looked at; in
// the shared emulator each directory names its own files.
function mayRead(world: World, file: string): boolean {
  const path = resolve(file);
  const isOfProcess = world.base.voice.speech.some((one) => resolve(one.file) === path);
  return isOfProcess || emulatorFacts.of(world).identity.shared || checkoutOf(path) !== undefined;
}

type SpeechMatch = Config['voice']['speech'][number]['match'];

function fitsSpeech(world: World, { text, voice, model }: SpeechMatch, asked: Asked): boolean {
  if (model !== undefined && model !== asked.model) return false;
  if (voice !== undefined && !namesOf(world, asked.speaker).some((name) => fitsPattern(voice, name))) return false;
  return text === undefined || fitsText(text, asked.text);
}

function namesOf(world: World, { voice, name, providerId }: Speaker): string[] {
  const id = voice.cloned === undefined ? premadeId(world, voice.premade) : voice.cloned.id;
  return [name, providerId, id];
}

function fitsText(wanted: string, text: string): boolean {
  const regex = readRegex(wanted);
  return regex === undefined ? fitsPattern(wanted, text) : regexFinds(regex, text);
}
