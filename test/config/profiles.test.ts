// What the profiles elizacloud-v1 and spec answer where they differ: the story of each difference.

import { join } from 'node:path';
import { it } from 'vitest';
import { expectStories } from '../support/stories.js';

it('the profiles answer as their servers do', () => expectStories(join(import.meta.dirname, 'profiles.txt')), 300_000);
