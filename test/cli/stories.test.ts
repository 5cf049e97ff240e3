// What a person is shown by the commands that are control operations.

import { join } from 'node:path';
import { it } from 'vitest';
import { expectStories } from '../support/stories.js';

it(
  'the commands tell what they do, and what there is',
  () => expectStories(join(import.meta.dirname, 'stories.txt')),
  300_000,
);
