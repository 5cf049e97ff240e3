// Every error that an endpoint declares beyond its gates can be had, and comes with its status and code.

import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorTable } from '../../src/core/errors.js';
import type { Emulator } from '../../src/index.js';
import { endpoints } from '../../src/modules/platform/surface.js';
import { type Answer, call, deploy, image, startEmulator } from '../support/emulator.js';
import { mint } from '../support/keys.js';
import { pay } from '../support/payments.js';
import { credentialsFor } from '../support/sessions.js';
import { clone, formOf, sample, sarah } from '../support/voice.js';

const nobody = '00000000-0000-4000-8000-000000000000';
const agents = '/api/v1/app/agents';
const create = { name: 'new', project_name: 'new', ecr_image_uri: image };

async function agent(emulator: Emulator, fields: object = {}): Promise<string> {
  return (await call(emulator, 'POST', agents, { name: 'one', ...fields })).body.agent.id;
}

/** Uses an agents quota up; the balance decides that it is five. */
async function fillAgents(emulator: Emulator): Promise<string> {
  emulator.controls.organizations.credits(emulator.organizationId, { set: 0.5 });
  for (let i = 0; i < 4; i++) await agent(emulator);
  return agent(emulator);
}

/** The operations that a model answers, and a request of each. */
const models: [id: string, path: string, body: (text: string) => object][] = [
  ['chat.completions', '/api/v1/chat/completions', (content) => ({ messages: [{ role: 'user', content }] })],
  ['responses.create', '/api/v1/responses', (input) => ({ input })],
];

/** Those that make something else of a text. */
const makers: [id: string, path: string, body: object][] = [
  ['embeddings.create', '/api/v1/embeddings', { input: 'x' }],
  ['images.generate', '/api/v1/images/generations', { prompt: 'x' }],
  ['videos.generate', '/api/v1/generate-video', { prompt: 'x' }],
  ['audio.speech', '/api/v1/audio/speech', { input: 'x' }],
];

type Provocation = (emulator: Emulator) => Promise<Answer>;

/** How to have each declared error that is not "there is no such thing in the path". */
const provocations: Record<string, Provocation> = {
  'containers.create NOT_FOUND': async () => {
    const strict = await startEmulator({ registry: { require: 'always' } });
    return call(strict, 'POST', '/api/v1/containers', create);
  },
  'containers.create CONFLICT': async (emulator) => {
    await deploy(emulator, { name: 'new', project_name: 'other' });
    return call(emulator, 'POST', '/api/v1/containers', create);
  },
  'containers.create QUOTA_EXCEEDED': async (emulator) => {
    emulator.controls.organizations.credits(emulator.organizationId, { set: 0.9 });
    await deploy(emulator);
    return call(emulator, 'POST', '/api/v1/containers', create);
  },
  'containers.create INSUFFICIENT_CREDITS': (emulator) => {
    emulator.controls.organizations.credits(emulator.organizationId, { set: 0.1 });
    return call(emulator, 'POST', '/api/v1/containers', create);
  },
  ...Object.fromEntries(
    ['tts', 'stt', 'clone'].map((verb): [string, Provocation] => [
      `voice.${verb} INSUFFICIENT_CREDITS`,
      (emulator) => {
        emulator.controls.organizations.credits(emulator.organizationId, { set: 0.1 });
        const form = formOf({ name: 'Ada', cloneType: 'instant', [verb === 'stt' ? 'audio' : 'file0']: sample() });
        return call(emulator, 'POST', `/api/v1/voice/${verb}`, verb === 'tts' ? { text: 'x', voiceId: sarah } : form);
      },
    ]),
  ),
  'agents.create CONFLICT': async (emulator) => {
    const token = { tokenAddress: '0x1', tokenChain: 'base' };
    await agent(emulator, token);
    return call(emulator, 'POST', agents, { name: 'two', ...token });
  },
  'agents.create QUOTA_EXCEEDED': async (emulator) => {
    await fillAgents(emulator);
    return call(emulator, 'POST', agents, { name: 'six' });
  },
  'agents.clone CONFLICT': async (emulator) => {
    const id = await agent(emulator, { name: 'taken name' });
    return call(emulator, 'POST', `/api/my-agents/characters/${id}/clone`, { username: 'taken-name' });
  },
  'agents.clone QUOTA_EXCEEDED': async (emulator) => {
    const id = await fillAgents(emulator);
    return call(emulator, 'POST', `/api/my-agents/characters/${id}/clone`);
  },
  'auth.cliSessionStart CONFLICT': async (emulator) => {
    await call(emulator, 'POST', '/api/auth/cli-session', { sessionId: 'one' });
    return call(emulator, 'POST', '/api/auth/cli-session', { sessionId: 'one' });
  },
  'auth.siweVerify UNAUTHORIZED': (emulator) =>
    call(emulator, 'POST', '/api/auth/siwe/verify', { message: 'Let me in', signature: '0x00' }),
  'topup.create UNAUTHORIZED': async (emulator) =>
    pay(emulator, { headers: { 'x-wallet-address': '1', 'x-timestamp': '2', 'x-wallet-signature': '3' } }),
  ...Object.fromEntries(
    models.flatMap(([id, path, body]): [string, Provocation][] => [
      [
        `${id} INSUFFICIENT_CREDITS`,
        (emulator) => {
          emulator.controls.organizations.credits(emulator.organizationId, { set: 0 });
          return call(emulator, 'POST', path, { model: 'gpt-4o', ...body('x') });
        },
      ],
      [`${id} NOT_FOUND`, (emulator) => call(emulator, 'POST', path, { model: nobody, ...body('x') })],
      [
        `${id} CONTEXT_LENGTH`,
        (emulator) => call(emulator, 'POST', path, { model: 'gpt-3.5-turbo', ...body('word '.repeat(17_000)) }),
      ],
      ...(['CONTENT_POLICY', 'MODEL_UNAVAILABLE', 'GENERATION_FAILED'] as const).map((error): [string, Provocation] => [
        `${id} ${error}`,
        (emulator) => {
          emulator.controls.replies.add({ error });
          return call(emulator, 'POST', path, { model: 'gpt-4o', ...body('x') });
        },
      ]),
    ]),
  ),
  ...Object.fromEntries(
    makers.flatMap(([id, path, body]): [string, Provocation][] => [
      [
        `${id} INSUFFICIENT_CREDITS`,
        (emulator) => {
          emulator.controls.organizations.credits(emulator.organizationId, { set: 0 });
          return call(emulator, 'POST', path, body);
        },
      ],
      [
        `${id} NOT_FOUND`,
        async () => {
          const strict = await startEmulator({ models: { unknown: 'refuse' } });
          return call(strict, 'POST', path, { model: 'nothing', ...body });
        },
      ],
    ]),
  ),
  ...Object.fromEntries(
    makers
      .filter(([id]) => id === 'images.generate' || id === 'videos.generate')
      .flatMap(([id, path, body]) =>
        (['CONTENT_POLICY', 'MODEL_UNAVAILABLE', 'GENERATION_FAILED'] as const).map((error): [string, Provocation] => [
          `${id} ${error}`,
          (emulator) => {
            emulator.controls.replies.add({ error });
            return call(emulator, 'POST', path, body);
          },
        ]),
      ),
  ),
  'embeddings.create CONTEXT_LENGTH': (emulator) =>
    call(emulator, 'POST', '/api/v1/embeddings', { input: 'word '.repeat(8_192) }),
  'containers.update INSUFFICIENT_CREDITS': async (emulator) => {
    const { id } = await deploy(emulator, { ecr_image_uri: 'x/y:fail-stack-rollback' });
    await emulator.controls.clock.advance('10m');
    emulator.controls.organizations.credits(emulator.organizationId, { set: 0.1 });
    return call(emulator, 'PATCH', `/api/v1/containers/${id}`, { desired_count: 2 });
  },
  'keys.regenerate CONFLICT': async (emulator) => {
    const { id } = await mint(emulator);
    await call(emulator, 'PATCH', `/api/v1/api-keys/${id}`, { is_active: false });
    return call(emulator, 'POST', `/api/v1/api-keys/${id}/regenerate`);
  },
  'voice.update CONFLICT': async (emulator) => {
    const { id } = (await clone(emulator)).body;
    return call(emulator, 'PATCH', `/api/v1/voice/${id}`, { isActive: true });
  },
  'files.get RANGE_NOT_SATISFIABLE': async (emulator) => {
    const { video } = (await call(emulator, 'POST', '/api/v1/generate-video', { prompt: 'x' })).body;
    return call(emulator, 'GET', new URL(video.url).pathname, undefined, { range: 'bytes=99999999-' });
  },
  'containers.update CONFLICT': async () => {
    const emulator = await startEmulator({ containers: { deletion: '1m' } });
    const { id } = await deploy(emulator);
    await call(emulator, 'DELETE', `/api/v1/containers/${id}`);
    return call(emulator, 'PATCH', `/api/v1/containers/${id}`, { desired_count: 2 });
  },
};

describe.each(endpoints.flatMap((endpoint) => (endpoint.errors ?? []).map((code) => [endpoint, code] as const)))(
  '',
  (endpoint, code: ErrorCode) => {
    it(`${endpoint.id} answers ${code}`, async () => {
      const emulator = await startEmulator();
      const inPath = code === 'NOT_FOUND' && endpoint.path.includes('{');
      const provoke: Provocation | undefined = inPath
        ? (of) => {
            const path = endpoint.path.replace(/\{\w+\}/, nobody);
            return call(of, endpoint.method, path, endpoint.example, credentialsFor(of, endpoint));
          }
        : provocations[`${endpoint.id} ${code}`];
      expect(provoke, `say in this file how to provoke ${endpoint.id} ${code}`).toBeDefined();
      const answer = await provoke?.(emulator);
      expect([answer?.status, answer?.body.error.code]).toEqual([errorTable[code].status, code]);
    });
  },
);

it('provokes nothing that is not declared', () => {
  const declared = endpoints.flatMap((endpoint) => (endpoint.errors ?? []).map((code) => `${endpoint.id} ${code}`));
  expect(Object.keys(provocations).filter((name) => !declared.includes(name))).toEqual([]);
});
