// The examples in doc comments, which editors show, name scenarios that exist.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('the examples name no scenario that does not exist', () => {
  const shipped = readdirSync('fixtures/scenarios').map((name) => name.replace(/\.json$/, ''));
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const named = sources.flatMap((file) =>
    [...readFileSync(`src/${file}`, 'utf8').matchAll(/^ *\*.*\bscenario: '([\w-]+)'/gm)].map(([, name = '']) => name),
  );
  expect(named).not.toEqual([]);
  expect(named.filter((name) => !shipped.includes(name))).toEqual([]);
});
