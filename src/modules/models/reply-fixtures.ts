// The replies that a world knows: those of its settings, then the user's own files, then those that are shipped.

import { type ReplySource, readReplyFile, replySources } from '../../config/reply-file.js';
import { memoizeMany } from '../../core/memoize-last.js';
import { hashSecret } from '../../core/random.js';
import type { World } from '../../world/world.js';
import type { KnownFixture } from './replies.js';

interface Known {
  fixtures: KnownFixture[];
  /** What cannot be used, a line a file. */
  problems: string[];
}

/** All fixtures in the order in which they count. Files that were edited are read anew. */
export function knownFixtures({ config }: World): Known {
  const { fixtures, problems } = inFiles(JSON.stringify(replySources(config.replies)));
  return { fixtures: [...config.replies.fixtures.map(keyed), ...fixtures], problems };
}

// Worlds may have folders of their own.
const inFiles = memoizeMany(20, (sources: string): Known => {
  const files = (JSON.parse(sources) as ReplySource[]).map(({ file }) => ({ file, ...readReplyFile(file) }));
  return {
    fixtures: files.flatMap(({ fixtures }) => fixtures.map(keyed)),
    problems: files.flatMap(({ file, problems }) => problems.slice(0, 1).map((problem) => `${file}: ${problem}`)),
  };
});

// An edited fixture begins to count anew.
function keyed(fixture: KnownFixture['fixture']): KnownFixture {
  return { fixture, key: fixture.sequence === undefined ? '' : hashSecret(JSON.stringify(fixture)).slice(0, 32) };
}
