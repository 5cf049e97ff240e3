// The settings file as JSON: where a broken one breaks, and the schema that editors are given.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configJsonSchema } from '../../src/config/json-schema.js';
import { configSchema } from '../../src/config/schema.js';
import { jsonFault } from '../../src/core/json.js';
import { leafPaths, readPath, type Tree } from '../../src/core/tree.js';

describe('where a text stops being JSON', () => {
  it.each([
    ['', 'it is empty; write {} or delete it'],
    [' \n', 'it is empty; write {} or delete it'],
    ['{', 'it ends too early: a bracket or a quote is not closed'],
    ['{"a": 1', 'it ends too early: a bracket or a quote is not closed'],
    ['{"a": "b', 'it ends too early: a bracket or a quote is not closed'],
    ['{"a": [1, 2', 'it ends too early: a bracket or a quote is not closed'],
    ['{"a": nope}', 'unexpected "n" at line 1, column 7'],
    ['{"a": }', 'unexpected "}" at line 1, column 7'],
    ['{\n  "a": 1,\n}', 'unexpected "}" at line 3, column 1'],
    ['{\n  "a": 1\n  "b": 2\n}', 'unexpected "\\"" at line 3, column 3'],
    ["{'a': 1}", 'unexpected "\'" at line 1, column 2'],
    ['{a: 1}', 'unexpected "a" at line 1, column 2'],
    ['{"a" 1}', 'unexpected "1" at line 1, column 6'],
    ['{"a": 1]', 'unexpected "]" at line 1, column 8'],
    ['[1,, 2]', 'unexpected "," at line 1, column 4'],
    ['{} {}', 'unexpected "{" at line 1, column 4'],
    ['{"a": 01}', 'unexpected "1" at line 1, column 8'],
    ['{"a": "\t"}', 'unexpected "\\"" at line 1, column 7'],
    ['{\n  // why\n  "a": 1}', 'a comment at line 2, column 3, which JSON does not have'],
    ['{"a": 1 /* why */}', 'a comment at line 1, column 9, which JSON does not have'],
    ['{"ü": 😀}', 'unexpected "😀" at line 1, column 7'],
  ])('%j: %s', (text, fault) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(jsonFault(text)).toBe(fault);
  });

  it('finds something in every broken text', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', '"', 'x', '[', ':'), (json, at, insert) => {
        const place = at % (json.length + 1);
        const text = json.slice(0, place) + insert + json.slice(place + 1);
        try {
          JSON.parse(text);
        } catch {
          expect(jsonFault(text)).toMatch(/^(it is empty|it ends too early|unexpected |a comment)/);
        }
      }),
    );
  });
});

describe('the schema for editors', () => {
  const schema = configJsonSchema() as Tree;
  const text = JSON.stringify(schema);

  it('is of draft 7 and knows every setting', () => {
    expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#');
    for (const path of leafPaths(configSchema.parse({}) as Tree)) {
      const at = `properties.${path.replaceAll('.', '.properties.')}`;
      expect(readPath(schema, at) ?? readPath(schema, at.replace(/\.properties\.[^.]+$/, '')), path).toBeDefined();
    }
  });

  it('lets a file name its schema, and nothing unknown', () => {
    expect(readPath(schema, 'properties.$schema')).toMatchObject({ type: 'string' });
    expect(schema.additionalProperties).toBe(false);
    expect(readPath(schema, 'properties.server.additionalProperties')).toBe(false);
  });

  it('demands nothing: every setting has a default', () => {
    expect(schema.required).toBeUndefined();
    expect(readPath(schema, 'properties.rateLimits.properties.presets.properties.STANDARD.required')).toBeUndefined();
  });

  it('keeps descriptions and bounds, without those that tell nothing', () => {
    expect(readPath(schema, 'properties.server.properties.port')).toEqual({
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
      default: 4_747,
      description: 'Port to listen on; 0 picks a free port',
    });
    expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });
});
