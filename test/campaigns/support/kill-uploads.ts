// A writer that uploads while its process is killed.

import { formOf, sample } from '../../support/voice.js';
import { Things } from './kill-values.js';
import { type Desk, fresh, ownWorld, read, type Writer } from './kill-writers.js';

const wav = sample();
// Most of an upload is under way when the process dies.
const long = Buffer.concat([wav, Buffer.alloc(1_000_000)]);

/** Uploads documents, and samples of voices. */
export async function uploadsWriter(desk: Desk): Promise<Writer> {
  const { send } = await ownWorld(desk, 'uploads');
  const [documents, voices] = [new Things('document'), new Things('voice')];
  return {
    async step() {
      const name = `u${fresh()}`;
      const kind = desk.draw(4);
      if (kind === 0) {
        await send('POST', '/api/v1/voice/stt', formOf({ audio: [long, 'long.wav'] }));
      } else if (kind === 1) {
        const form = formOf({ name, cloneType: 'instant', file0: wav, file1: [long, 'long.wav'] });
        await voices.make(name, 'there', () => send('POST', '/api/v1/voice/clone', form));
      } else {
        const text = `${name} says what stands in a document. `.repeat(1 + desk.draw(kind === 2 ? 3 : 3_000));
        const form = formOf({ file: [Buffer.from(text), `${name}.txt`] });
        await documents.make(`${name}.txt`, `${text.length}`, () =>
          send('POST', '/api/v1/knowledge/upload-file', form),
        );
      }
    },
    async check() {
      const listed = (await send('GET', '/api/v1/knowledge')).documents as any[];
      const cloned = (await send('GET', '/_emulator/voices')).voices as any[];
      const own = cloned.filter(({ name }) => /^u\d/.test(name));
      // A document is whole: its parts are found.
      const some = listed[desk.draw(Math.max(1, listed.length))];
      const found =
        some === undefined
          ? []
          : (await send('POST', '/api/v1/knowledge/query', { query: some.filename.replace('.txt', ''), limit: 20 }))
              .results;
      return [
        ...documents.seen(
          read(
            listed,
            ({ filename }) => filename,
            ({ size }) => `${size}`,
          ),
        ),
        ...voices.seen(
          read(
            own,
            ({ name }) => name,
            () => 'there',
          ),
        ),
        ...(some === undefined || found.length > 0 ? [] : [`nothing is found in ${some.filename}`]),
      ];
    },
  };
}
