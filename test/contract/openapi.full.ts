// The documents are valid by a public validator.

import { expect, it } from 'vitest';
import { call, startWorld } from '../support/emulator.js';
import { installed, requireFrom } from '../support/installed.js';

const validator = '@seriousme/openapi-schema-validator';

it.each(['/openapi.json', '/api/openapi.json', '/_emulator/openapi.json'])(
  'the document at %s is valid',
  async (path) => {
    const { Validator } = await import(requireFrom(installed(`${validator}@2.11.0`)).resolve(validator));
    const world = await startWorld();
    const { body } = await call(world, 'GET', path);
    expect(body.openapi).toMatch(/^3\.1\./);
    expect((await call(world, 'HEAD', path)).status).toBe(200);
    const result = await new Validator().validate(structuredClone(body));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  },
);
