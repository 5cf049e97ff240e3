// What a person is shown by the commands that are control operations: each story of stories.txt has an emulator of its own, whose
// settings stand behind its title. A line is a command, or a request of a client.

import { join } from 'node:path';
import { it } from 'vitest';
import type { Emulator } from '../../src/index.js';
import { runHere } from '../support/command-here.js';
import { call, startEmulator } from '../support/emulator.js';
import { expectRecorded, printed } from '../support/transcript.js';

let emulator: Emulator;

async function begin(title: string): Promise<void> {
  const [settings = '{}'] = /\{.*$/.exec(title) ?? [];
  emulator = await startEmulator(JSON.parse(settings));
}

/** Printed commands mean the emulator of --url, too (typed-target.test.ts): left out here, where the rest of the text counts. */
async function told(line: string): Promise<string> {
  const words = line.match(/'[^']*'|\S+/g)?.map((word) => word.replace(/^'|'$/g, '')) ?? [];
  let text = printed(await runHere([...words, '--url', emulator.url]));
  text = text.replaceAll(` --url=${emulator.url}`, '').replaceAll(emulator.url, 'URL');
  if (/^(requests|await)/.test(line))
    return text.replaceAll(
      /\b\d+(?:m|s|ms)(?:\d+(?:s|ms))*\b( {2,})?/g,
      (_, gap) => `some time${gap === undefined ? '' : '  '}`,
    );
  if (line.startsWith('verdicts')) return text.replaceAll(/ of \d+ (operations|error codes)/g, ' of all $1');
  // How well layers are compressed differs from one version of Node to another.
  if (line.startsWith('image'))
    return text
      .replaceAll(`127.0.0.1:${emulator.port}`, 'HOST')
      .replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:…')
      .replaceAll(/\b\d{4}\b(?!-)/g, 'size');
  return text;
}

async function answered(request: string): Promise<string> {
  const [, method = '', path = '', body] = /^(\S+) (\S+)(?: (.*))?$/.exec(request) ?? [];
  const { status, text } = await call(emulator, method, path, body);
  return status < 400 ? String(status) : `${status} ${text}`;
}

it('the commands tell what they do, and what there is', () =>
  expectRecorded(
    join(import.meta.dirname, 'stories.txt'),
    (line) => (line.startsWith('cloudemu ') ? told(line.slice('cloudemu '.length)) : answered(line)),
    begin,
  ));
