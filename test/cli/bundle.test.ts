// Heavy parts that are seldom needed stand beside the command's bundle, not in it.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { endCommands, startCommand, tempDir } from '../support/command.js';

const require = createRequire(import.meta.url);

afterAll(endCommands);

const dist = (name: string): string => readFileSync(new URL(`../../dist/${name}.cjs`, import.meta.url), 'latin1');

// Words of viem, of siwe's grammar and of ethers.
const words = ['Ethereum Signed Message', 'sign-in-with-ethereum', 'secp256k1'];

it.each(['main', 'emulator'])('viem and siwe are kept out of the bundle %s', (name) => {
  const bundle = dist(name);
  for (const word of words) expect(bundle.includes(word), word).toBe(false);
  for (const part of ['curve', 'siwe-message', 'recover', 'regex-engine'])
    expect(bundle).toContain(`require("./${part}.cjs")`);
});

it('viem and siwe are in the bundles that are loaded on first use', () => {
  expect(dist('curve')).toContain('Ethereum Signed Message');
  expect(dist('siwe-message')).toContain('sign-in-with-ethereum');
  expect(dist('curve').length).toBeLessThan(150_000);
});

it('the bundle parses sign-in messages strictly, without the ethers that siwe brings', () => {
  const { parseMessage } =
    require('../../dist/siwe-message.cjs') as typeof import('../../src/platform/wallets/siwe-message.js');
  const address = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
  const message = (signer: string): string =>
    `localhost wants you to sign in with your Ethereum account:\n${signer}\n\n\nURI: http://localhost\nVersion: 1\nChain ID: 1\nNonce: 0123456789abcdef\nIssued At: 2026-01-01T00:00:00.000Z`;
  expect(parseMessage(message(address))).toMatchObject({ domain: 'localhost', address, chainId: 1 });
  expect(parseMessage(message(address.replace('F7', 'f7')))).toBeUndefined();
  expect(parseMessage(message(address).replace('Version: 1', 'Version: 2'))).toBeUndefined();
  expect(dist('siwe-message').length).toBeLessThan(300_000);
});

it('the bundles are of ASCII only, as they are read a byte a letter', () => {
  const folder = new URL('../../dist/', import.meta.url);
  const bundles = readdirSync(folder).filter((file) => file.endsWith('.cjs'));
  expect(bundles).toContain('main.cjs');
  for (const file of bundles) expect(readFileSync(new URL(file, folder), 'latin1'), file).not.toMatch(/[^\0-\x7f]/);
});

it('a start loads no part of Node that it does not use', async () => {
  const folder = tempDir();
  const list = join(folder, 'list.txt');
  const tells = join(folder, 'tells.cjs');
  writeFileSync(
    tells,
    `const { writeFileSync } = require('node:fs');
     const { write } = process.stdout;
     process.stdout.write = function (...args) {
       writeFileSync(${JSON.stringify(list)}, process.moduleLoadList.join('\\n'));
       return write.apply(this, args);
     };`,
  );
  await startCommand(['--ephemeral'], { env: { NODE_OPTIONS: `--require=${tells}` } });
  const loaded = readFileSync(list, 'utf8').split('\n');
  expect(loaded).toContain('NativeModule _http_server');
  for (const name of ['internal/fs/streams', 'worker_threads', 'zlib', 'tls'])
    expect(loaded, name).not.toContain(`NativeModule ${name}`);
});
