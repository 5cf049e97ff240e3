// Stories that a reader reviews as a text: requests of a client, commands and what comes of them, each story in an emulator of its
// own, whose settings stand behind its title.
//
// "$ cloudemu clock advance 1m" runs a command. "$ POST /path {json} > field, other.field, header:name" sends a request and shows
// the status and these; without ">" the status alone, and of an error what it says. {id} is what was created last.

import type { Emulator } from '../../src/index.js';
import { runHere } from './command-here.js';
import { call, startEmulator } from './emulator.js';
import { expectRecorded, printed } from './transcript.js';

let emulator: Emulator;
let id = '';

async function begin(title: string): Promise<void> {
  const [settings = '{}'] = /\{.*$/.exec(title) ?? [];
  emulator = await startEmulator(JSON.parse(settings));
}

/** Printed commands mean the emulator of --url, too (typed-target.test.ts): left out here, where the rest of the text counts. */
async function told(line: string): Promise<string> {
  const words = line.match(/'[^']*'|\S+/g)?.map((word) => word.replace(/^'|'$/g, '')) ?? [];
  const whole = printed(await runHere([...words, '--url', emulator.url]));
  const text = whole.replaceAll(` --url=${emulator.url}`, '').replaceAll(emulator.url, 'URL');
  if (/^(requests list|requests --|await)/.test(line))
    return text.replaceAll(/\b\d+(?:m|s|ms)(?:\d+(?:s|ms))*\b( {2,})?/g, (_, gap) =>
      gap === undefined ? 'some time' : 'some time  ',
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

const at = (body: any, path: string): unknown => path.split('.').reduce((part, name) => part?.[name], body);

async function answered(line: string): Promise<string> {
  const [request = '', shown] = line.split(' > ');
  const [, method = '', path = '', content] = /^(\S+) (\S+)(?: (.*))?$/.exec(request.replaceAll('{id}', id)) ?? [];
  const { status, body, text, headers } = await call(emulator, method, path, content);
  if (method === 'POST' && status < 300) id = body.data?.id ?? body.apiKey?.id ?? body.id ?? id;
  if (shown === undefined) return status < 400 ? String(status) : `${status} ${text}`;
  const values = shown.split(', ').map((name) => {
    const value = name.startsWith('header:') ? headers.get(name.slice('header:'.length)) : at(body, name);
    return `${name} ${JSON.stringify(value) ?? '-'}`;
  });
  return [status, ...values].join(', ');
}

/** Expects of each story of a file what stands in it. */
export const expectStories = (file: string): Promise<void> =>
  expectRecorded(
    file,
    (line) => (line.startsWith('cloudemu ') ? told(line.slice('cloudemu '.length)) : answered(line)),
    begin,
  );
