// The acts that a program must be able to do wherever it was put: deploy, fail, remember, speak, sign in.

import { expect } from 'vitest';
import { notWaitedMs, type RunningCommand, type RunOptions, run, startCommand } from './command.js';

/** Goes through the whole of it with a program that keeps its data in `dataDir`, and ends it. */
export async function smoke(options: RunOptions, dataDir: string): Promise<void> {
  const start = () => startCommand(['--data-dir', dataDir, '--seed', 'smoke', '--frozen', '--quiet'], options);
  const command = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(args, options);
    expect([code, stderr], args.join(' ')).toEqual([0, '']);
    return stdout;
  };
  let emulator = await start();
  const at = (...args: string[]): Promise<string> => command(...args, '--url', emulator.url);

  const shop = await deploy(emulator, 'shop', 'v1');
  const wrong = await deploy(emulator, 'wrong', 'fail-exec-format');
  await at('clock', 'advance', '10m');
  expect((await ask(emulator, 'GET', shop)).data.status).toBe('running');
  const failed = (await ask(emulator, 'GET', wrong)).data;
  expect([failed.status, failed.error_message]).toEqual(['failed', expect.stringContaining('exec format error')]);

  await at('snapshot', 'take', 'before');
  await ask(emulator, 'DELETE', shop);
  await at('clock', 'advance', '10m');
  expect((await ask(emulator, 'GET', shop)).error.code).toBe('NOT_FOUND');
  await at('snapshot', 'restore', 'before');

  const { ms, code, stderr } = await emulator.end();
  expect([code, stderr]).toEqual([0, '']);
  expect(ms).toBeLessThan(notWaitedMs);
  const { apiKey } = emulator;
  emulator = await start();
  expect(emulator.apiKey).toBe(apiKey);
  expect((await ask(emulator, 'GET', shop)).data.status).toBe('running');

  await converse(emulator);
  await speakAndListen(emulator);

  const signed = JSON.parse(await at('wallet', 'sign', 'siwe', '--json'));
  const signIn = await ask(emulator, 'POST', '/api/auth/siwe/verify', signed);
  expect(signIn).toMatchObject({ success: true, isNewAccount: true, apiKey: expect.any(String) });
  expect((await ask({ ...emulator, apiKey: signIn.apiKey }, 'GET', '/api/v1/user')).success).toBe(true);

  expect((await emulator.end()).code).toBe(0);
}

type Place = Pick<RunningCommand, 'url' | 'apiKey'>;

async function ask({ url, apiKey }: Place, method: string, path: string, body?: object): Promise<any> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const text = body === undefined ? undefined : JSON.stringify(body);
  const answer = await fetch(url + path, { method, headers, ...(text !== undefined && { body: text }) });
  return answer.json();
}

async function deploy(emulator: Place, name: string, tag: string): Promise<string> {
  const body = { name, project_name: name, ecr_image_uri: `registry.local/${name}:${tag}` };
  const { data } = await ask(emulator, 'POST', '/api/v1/containers', body);
  return `/api/v1/containers/${data.id}`;
}

async function converse(emulator: Place): Promise<void> {
  const body = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'ping' }] };
  const { choices } = await ask(emulator, 'POST', '/api/v1/chat/completions', body);
  // One of the replies that are shipped.
  expect(choices[0].message).toMatchObject({ role: 'assistant', content: 'pong' });
}

async function speakAndListen({ url, apiKey }: Place): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const text = 'Grüße aus dem Container';
  const body = JSON.stringify({ text, voiceId: 'EXAVITQu4vr4xnSDxMaL' });
  const speech = await fetch(`${url}/api/v1/voice/tts`, { method: 'POST', headers, body });
  expect([speech.status, speech.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
  const form = new FormData();
  form.append('audio', await speech.blob(), 'speech.mp3');
  const heard = await fetch(`${url}/api/v1/voice/stt`, { method: 'POST', headers, body: form });
  expect((await heard.json()).transcript).toBe(text);
}
