// Transcripts of uploaded audio: the spoken text, the settings' text, or words generated to its length.

import * as z from 'zod';
import { fixturePath, readText } from '../../core/files.js';
import type { UploadedFile } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import type { Audio } from './audio/inspect.js';
import { cannedTranscript, hashOf } from './canned.js';
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

// As many words as are spoken in that time; the same for the same bytes.
function madeUp(world: World, sha256: string, { durationMs }: Audio): string {
  const sentences = readSentences();
  const length = Math.min(longest, Math.max(1, (durationMs / 1_000) * charactersPerSecond));
  const first = Math.floor(world.random.fraction('transcript', sha256) * sentences.length);
  const words: string[] = [];
  for (let i = 0, size = 0; size < length; i++) {
    for (const word of (sentences[(first + i) % sentences.length] ?? '').split(' ')) {
      if (words.length > 0 && size + word.length > length) return closed(words.join(' '));
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

function closed(text: string): string {
  return text.replace(/[.,;:!?]*$/, '.');
}
