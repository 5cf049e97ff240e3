// Canned speech and transcripts from the settings, in place of generated ones.

import { createHash } from 'node:crypto';
import { createReadStream, promises } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../../config/schema.js';
import type { VoiceModel } from '../../config/voice.js';
import { fitsPattern } from '../../core/patterns.js';
import { readRegex, regexFinds } from '../../core/safe-regex.js';
import type { UploadedFile } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { premadeId, type Speaker } from './access.js';
import { type AudioFormat, formatOf } from './audio/inspect.js';
import { withSource } from './audio/source.js';

const types: Record<AudioFormat, string> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  webm: 'audio/webm',
  m4a: 'audio/mp4',
  flac: 'audio/flac',
};

export interface Asked {
  text: string;
  speaker: Speaker;
  model: VoiceModel;
}

export interface CannedFile {
  content: Buffer;
  type: string;
}

/** The settings' file for a text; a problem where it cannot be read. */
export async function cannedSpeech(world: World, asked: Asked): Promise<CannedFile | { problem: string } | undefined> {
  const entry = world.config.voice.speech.find(({ match }) => fitsSpeech(world, match, asked));
  if (entry === undefined) return undefined;
  const path = resolve(entry.file);
  try {
    const format = await withSource(path, formatOf);
    return { content: await promises.readFile(path), type: types[format ?? 'mp3'] };
  } catch (error) {
    return {
      problem: `voice.speech: ${entry.file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    };
  }
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

/** The settings' text for an uploaded file. */
export async function cannedTranscript({ config }: World, file: UploadedFile): Promise<string | undefined> {
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
export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
