// What `explore` and `run` add to a command's environment, so that `node --test` prints the causes of errors.

import { expect, it } from 'vitest';
import { showingCauses } from '../../src/cli/tested-command.js';

it('node --test prints causes, whatever starts it, unless the command or NODE_OPTIONS choose a reporter', () => {
  const before = process.env.NODE_OPTIONS;
  try {
    delete process.env.NODE_OPTIONS;
    expect(showingCauses(['npm', 'test'])).toEqual({ NODE_OPTIONS: '--test-reporter=spec' });
    expect(showingCauses(['node', '--test', '--test-reporter=dot'])).toEqual({});
    process.env.NODE_OPTIONS = '--enable-source-maps';
    expect(showingCauses(['node', '--test'])).toEqual({ NODE_OPTIONS: '--enable-source-maps --test-reporter=spec' });
    process.env.NODE_OPTIONS = '--test-reporter=tap';
    expect(showingCauses(['npm', 'test'])).toEqual({});
  } finally {
    if (before === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = before;
  }
});
