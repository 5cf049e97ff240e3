// No private key, signature or key value in the data directory, the journal or an answer; the reason is in the journal.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { headerMistakes, signHeaders, signSiwe, siweMistakes } from '../../../src/testing.js';
import { tempDir } from '../../support/command.js';
import { call, startEmulator } from '../../support/emulator.js';
import { getNonce, verify, wallet } from '../../support/wallets.js';

const path = '/api/v1/user';

it('the emulator keeps signatures and keys of wallets to itself, and says why it refused', async () => {
  const dataDir = tempDir();
  const emulator = await startEmulator({ dataDir, rateLimits: { enabled: false } });
  const secrets = new Set<string>();
  const answers: string[] = [];

  const wallets = [...(await emulator.controls.wallets.list()), await emulator.controls.wallets.create()];
  for (const { privateKey } of wallets) secrets.add(privateKey.slice(2));
  for (const wrong of [undefined, ...siweMistakes]) {
    const body = await signSiwe({ ...(await getNonce(emulator)), wallet: wallet(), ...(wrong && { wrong }) });
    secrets.add(body.signature.slice(2, 60));
    const answer = await verify(emulator, body);
    if (answer.status === 200) secrets.add(answer.body.apiKey.slice(13));
    else answers.push(answer.text);
  }
  for (const [n, wrong] of [undefined, ...headerMistakes].entries()) {
    const headers = await signHeaders({ wallet: wallet(), path, timestamp: Date.now() + n, ...(wrong && { wrong }) });
    secrets.add(headers['X-Wallet-Signature'].slice(2, 60));
    answers.push((await call(emulator, 'GET', path, undefined, { authorization: '', ...headers })).text);
  }
  // A client's mistake: the signature in the wrong place.
  const stray = (await signHeaders({ wallet: wallet(), path }))['X-Wallet-Signature'];
  secrets.add(stray.slice(2, 60));
  answers.push((await call(emulator, 'GET', `${path}?signature=${stray}`)).text);
  answers.push((await verify(emulator, { message: stray, signature: stray })).text);

  const { requests } = emulator.controls.requests.list({ limit: 1_000 });
  const journal = JSON.stringify(requests);
  for (const reason of [...siweMistakes, ...headerMistakes]) expect(journal).toContain(`\\"reason\\":\\"${reason}\\"`);
  await emulator.close();
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  expect(files.join('')).toContain(wallet(10).address.toLowerCase());
  for (const secret of secrets) {
    for (const [place, texts] of Object.entries({ journal: [journal], answers, files }))
      expect(
        texts.some((text) => text.toLowerCase().includes(secret.toLowerCase())),
        `${secret} in ${place}`,
      ).toBe(false);
  }
});
