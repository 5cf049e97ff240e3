// Prices of speech, transcripts and clones.

import type { Config } from '../../config/schema.js';
import type { VoiceModel } from '../../config/voice.js';
import { type Micros, toMicros } from '../../core/money.js';
import type { CloneType } from './store.js';

export interface Price {
  amount: Micros;
  /** The rule with its numbers, for the ledger. */
  rule: string;
}

const charactersPerUnit = 1_000;
const minuteMs = 60_000;

/** The price of speech: each started thousand characters counts. */
export function speechPrice({ prices }: Config, text: string, model: VoiceModel): Price {
  const each = prices.textToSpeechByModel[model] ?? prices.textToSpeech;
  const units = Math.ceil([...text].length / charactersPerUnit);
  return { amount: units * toMicros(each), rule: `text to speech ${each} per 1,000 characters x ${units}` };
}

/** The price of a transcript: each started minute counts. */
export function transcriptPrice({ prices: { speechToText: each } }: Config, durationMs: number): Price {
  const minutes = Math.ceil(durationMs / minuteMs);
  return { amount: minutes * toMicros(each), rule: `speech to text ${each} per minute x ${minutes}` };
}

/** The price of a cloned voice. */
export function clonePrice({ prices }: Config, type: CloneType): Price {
  const each = type === 'professional' ? (prices.professionalVoiceClone ?? prices.voiceClone) : prices.voiceClone;
  return { amount: toMicros(each), rule: `${type} voice clone ${each}` };
}
