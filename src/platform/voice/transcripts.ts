// Transcripts of uploaded audio: the spoken text, the settings' text, or words generated to its length.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import type { Config } from '../../config/schema.js';
import { fixturePath, readText } from '../../core/files.js';
import { toMicros } from '../../core/money.js';
import { fitsPattern } from '../../core/patterns.js';
import type { UploadedFile } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import type { Price } from '../credits/ledger.js';
import type { Audio } from './audio/inspect.js';
import { charactersPerSecond } from './mp3/speak.js';

const longest = 100_000;

export interface Transcript {
  text: string;
  /** A hint for the client about the source of the text. */
  hint: string | undefined;
}

/** The words of an audio file. */
export async function transcribe(world: World, file: UploadedFile, audio: Audio): Promise<Transcript> {
  const text = audio.spoken ?? (await cannedTranscript(world, file));
  if (text !== undefined) return { text, hint: undefined };
  return {
    text: madeUp(world, await hashOf(file.path), audio),
    hint: 'the transcript is made up: say what is heard with the setting voice.transcripts, or send audio made by text to speech',
  };
}

// Makes up as many words as are spoken in that time; they are the same for the same bytes.
function madeUp(world: World, sha256: string, { durationMs }: Audio): string {
  const sentences = readSentences();
  const length = Math.min(longest, Math.max(1, (durationMs / 1_000) * charactersPerSecond));
  const first = Math.floor(world.random.fraction('transcript', sha256) * sentences.length);
  const words: string[] = [];
  for (let i = 0, size = 0; size < length; i++) {
    for (const word of (sentences[(first + i) % sentences.length] ?? '').split(' ')) {
      if (words.length > 0 && size + word.length > length) return words.join(' ').replace(/[.,;:!?]*$/, '.');
      words.push(word);
      size += word.length + 1;
    }
  }
  return words.join(' ');
}

const fixture = z.object({ sentences: z.array(z.string().min(1)).min(1) });

// The file may be edited while the emulator runs: an invalid list counts as silence.
function readSentences(): string[] {
  try {
    return fixture.parse(JSON.parse(readText(fixturePath('replies', 'transcripts.json')))).sentences;
  } catch {
    return ['…'];
  }
}

const minuteMs = 60_000;

/** The price of a transcript: each started minute counts. */
export function transcriptPrice({ prices: { speechToText: each } }: Config, durationMs: number): Price {
  const minutes = Math.ceil(durationMs / minuteMs);
  return { amount: minutes * toMicros(each), rule: `speech to text ${each} per minute x ${minutes}` };
}

/** The settings' text for an uploaded file. */
async function cannedTranscript({ config }: World, file: UploadedFile): Promise<string | undefined> {
  const { transcripts } = config.voice;
  if (transcripts.length === 0) return undefined;
  const needsHash = transcripts.some(({ match }) => match.sha256 !== undefined);
  const sha256 = needsHash ? await hashOf(file.path) : undefined;
  const fits = ({ match }: (typeof transcripts)[number]): boolean =>
    (match.sha256 === undefined || match.sha256 === sha256) &&
    (match.name === undefined || fitsPattern(match.name, file.name));
  return transcripts.find(fits)?.text;
}

/** The SHA-256 of a file. */
async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
