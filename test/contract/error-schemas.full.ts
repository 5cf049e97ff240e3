// Errors as the document shows them are errors as they are sent: those of models, of facilitators, and pages.

import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { configSchema } from '../../src/config/schema.js';
import { surfaceOf } from '../../src/platform/surface.js';
import { call } from '../support/contract-call.js';
import { startEmulator, startWorld } from '../support/emulator.js';
import { browse } from '../support/sessions.js';
import { surface } from '../support/surface.js';

const special = surface.filter(({ besideError }) => besideError !== undefined);

/** The schema of an answer in a document, with what it refers to. */
function schemaIn(document: any, path: string, method: string, status: number, type = 'application/json'): z.ZodType {
  const schema = document.paths[path][method.toLowerCase()].responses[status].content[type].schema;
  return z.fromJSONSchema({
    ...JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/')),
    $defs: JSON.parse(JSON.stringify(document.components.schemas).replaceAll('#/components/schemas/', '#/$defs/')),
  });
}

describe.each(['coded', 'flat'] as const)('in the style %s', (style) => {
  it.each(special.map(({ id, method, path }) => [id, method, path.replace(/\{\w+\}/, 'none'), path] as const))(
    'errors of %s are as documented, and no others would be',
    async (id, method, at, path) => {
      const emulator = await startWorld({ errors: { style } });
      const document = (await call(emulator, 'GET', '/openapi.json')).body;
      const unknown = await call(emulator, method, at, undefined, { authorization: 'Bearer ek_test_nonsense' });
      const hasBody = method === 'POST';
      const wrong = await call(emulator, method, at, hasBody ? '{"a":1}' : undefined);
      const broken = await call(emulator, method, at, hasBody ? '{"a' : undefined);
      const forced = await call(emulator, method, at, hasBody ? '{}' : undefined, {
        'x-emulator-fault': '{"effect":{"error":"RATE_LIMITED"}}',
      });
      const answers = [unknown, wrong, broken, forced].filter(({ status }) => status >= 400);
      expect(answers.length).toBeGreaterThan(0);
      for (const { status, body } of answers) {
        const schema = schemaIn(document, path, method, status);
        expect(schema.safeParse(body).error?.issues, `${id} ${status} ${JSON.stringify(body)}`).toBeUndefined();
        const plain = { success: false, error: { code: 'X', message: 'x', requestId: 'r' }, code: 'X', message: 'x' };
        expect(schema.safeParse({ ...plain, requestId: 'r' }).success).toBe(false);
      }
    },
  );

  it('plain errors are, too', async () => {
    const emulator = await startWorld({ errors: { style } });
    const document = (await call(emulator, 'GET', '/openapi.json')).body;
    const { status, body } = await call(emulator, 'POST', '/api/v1/api-keys', { name: '' });
    expect(status).toBe(400);
    expect(schemaIn(document, '/api/v1/api-keys', 'POST', 400).safeParse(body).error).toBeUndefined();
  });
});

it('the document shows pages of errors where people get them', async () => {
  const emulator = await startEmulator();
  const document = (await call(emulator, 'GET', '/openapi.json')).body;
  const listed: string[] = [];
  for (const { method, path } of surfaceOf(configSchema.parse({}))) {
    const { responses } = document.paths[path][method.toLowerCase()];
    if (responses[429].content['text/html'] !== undefined) listed.push(`${method} ${path}`);
  }
  expect(listed).toContain('POST /auth/login');
  expect(listed).not.toContain('GET /api/v1/api-keys');
  const sent = await browse(emulator, 'POST', '/auth/login', {
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
    body: 'email=nobody',
  });
  expect([sent.status, sent.headers['content-type']]).toEqual([400, expect.stringContaining('text/html')]);
});
