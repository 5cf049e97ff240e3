// Speaking, listening and cloning in tests.

import { readFileSync } from 'node:fs';
import { type Answer, call, type Platform } from './emulator.js';

export const sarah = 'EXAVITQu4vr4xnSDxMaL';
export const adam = 'pNInz6obpgDQGcFmaJgB';
export const base = '/api/v1/voice';

/** A file of fixtures/audio. */
export function sample(name = 'voice.wav'): Buffer {
  return readFileSync(new URL(`../../fixtures/audio/${name}`, import.meta.url));
}

/** A form of texts and files; a file is its bytes, or its bytes and its name. */
export function formOf(fields: Record<string, string | Buffer | [content: Buffer, name: string]>): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(field, value);
    else {
      const [content, name] = Array.isArray(value) ? value : [value, 'voice.wav'];
      form.append(field, new Blob([new Uint8Array(content)]), name);
    }
  }
  return form;
}

/** Lets a voice speak, and answers with the audio. */
export async function say(
  emulator: Platform,
  text: string,
  fields: Record<string, unknown> = {},
): Promise<{ audio: Buffer; headers: Headers }> {
  const response = await emulator.fetch(`${base}/tts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.apiKey}` },
    body: JSON.stringify({ text, voiceId: sarah, ...fields }),
  });
  if (response.status !== 200) throw new Error(`tts answered ${response.status}: ${await response.text()}`);
  return { audio: Buffer.from(await response.arrayBuffer()), headers: response.headers };
}

/** Sends a recording to be heard. */
export function hear(emulator: Platform, content: Buffer, name = 'voice.wav'): Promise<Answer> {
  return call(emulator, 'POST', `${base}/stt`, formOf({ audio: [content, name] }));
}

/** Begins to clone a voice. */
export function clone(
  emulator: Platform,
  fields: Record<string, string | Buffer | [Buffer, string]> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const form = formOf({ name: 'Ada', cloneType: 'instant', file0: sample(), ...fields });
  return call(emulator, 'POST', `${base}/clone`, form, headers);
}
