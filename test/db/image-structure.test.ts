// A world of this program is known to be its own by what it holds, whatever the schema comes to have.

import { expect, it } from 'vitest';
import { openConnection } from '../../src/db/connection.js';
import { imageProblem } from '../../src/db/image-structure.js';

it('the check of an image knows every table and index of the schema', () => {
  const db = openConnection(':memory:');
  // Content comes after structure: an empty world is refused only for having no seed and no clock.
  expect(imageProblem(db.serialize())).toBe('it holds no world that this cloudemu can read');
  db.exec("INSERT INTO meta (key, value) VALUES ('seed', '1'), ('clock', '{}')");
  expect(imageProblem(db.serialize())).toBeUndefined();
  db.exec('CREATE INDEX other ON meta (value)');
  expect(imageProblem(db.serialize())).toContain('index "other"');
  db.close();
});
