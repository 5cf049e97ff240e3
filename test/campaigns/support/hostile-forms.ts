// Forms with files, from good to absurd.

import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import type { UploadDeclaration } from '../../../src/http/endpoint.js';
import { oddText, prototypeNames } from './hostile-values.js';

const boundary = 'hostile';
export const formHeader = { 'content-type': `multipart/form-data; boundary=${boundary}` };

const recording = readFileSync(new URL('../../../fixtures/audio/voice.mp3', import.meta.url));
const contents = fc.constantFrom<Buffer>(
  recording,
  recording.subarray(0, 4_000),
  readFileSync(new URL('../../../fixtures/audio/recorded.webm', import.meta.url)),
  Buffer.alloc(0),
  Buffer.alloc(3_000, 255),
  Buffer.from('RIFF\xff\xff\xff\xffWAVEfmt \xff\xff\xff\xff', 'latin1'),
  Buffer.from('plain text'),
  Buffer.from('PK\x03\x04'),
);

const part = (headers: string, content: Buffer | string): Buffer =>
  Buffer.concat([Buffer.from(`--${boundary}\r\n${headers}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')]);
const disposition = (name: string, filename?: string): string =>
  `Content-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}`;

const oddHeaders = fc.constantFrom(
  'Content-Disposition: form-data',
  'Content-Disposition: attachment; filename=x',
  'Content-Type: audio/wav',
  ': ',
  'X',
  `${disposition('audio', 'a')}\r\nContent-Transfer-Encoding: base64`,
  `${disposition('audio', 'a')}\r\nContent-Type: audio/wav; charset=nonsense`,
  `X: ${'y'.repeat(20_000)}`,
  disposition('audio', '../../../etc/passwd'),
  disposition('\u0000', '\u0000'),
);

/** Bodies of a form: its texts as they should be or not, its files likewise, whole or cut off. */
export function formsOf({ fields }: UploadDeclaration, texts: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> {
  const name = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...fields) },
    { weight: 2, arbitrary: fc.constantFrom('file9', 'other', ...prototypeNames) },
  );
  const file = fc
    .tuple(name, fc.oneof(fc.constantFrom('a.mp3', ''), oddText), contents)
    .map(([field, filename, content]) => part(disposition(field, filename.replace(/[\r\n"]/g, '_')), content));
  const written = texts.map((values) =>
    Object.entries(values ?? {}).map(([field, value]) =>
      part(disposition(field), typeof value === 'string' ? value : JSON.stringify(value)),
    ),
  );
  const odd = fc.tuple(oddHeaders, oddText).map(([headers, content]) => part(headers, content));
  return fc
    .tuple(written, fc.array(file, { minLength: 1, maxLength: 3 }), fc.array(odd, { maxLength: 1 }), fc.nat(19))
    .map(([first, files, strange, how]) => {
      const whole = Buffer.concat([...first, ...files, ...strange, Buffer.from(`--${boundary}--\r\n`)]);
      return how === 0 ? whole.subarray(0, Math.floor(whole.length / 2)) : whole;
    });
}
