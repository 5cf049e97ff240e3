// The report of the last exploration, as the data directory keeps it.

import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepReport, lastReport } from '../../../src/tools/explore/report.js';
import { tempDir } from '../../support/command.js';
import { explored } from '../../support/explored.js';

const at = '2026-01-01T00:00:00.000Z';

it('the report of an exploration is kept for its owner alone, and is the last one', () => {
  const directory = join(tempDir(), 'data');
  expect(lastReport(directory)).toBeUndefined();
  keepReport(directory, { at, report: { ...explored, runs: 1 } });
  keepReport(directory, { at, report: explored });
  expect(lastReport(directory)).toEqual({ at, report: explored });
  expect(statSync(join(directory, 'explore-report.json')).mode & 0o777).toBe(0o600);
});

it('the report of an exploration counts as none where another version wrote it', () => {
  const directory = tempDir();
  writeFileSync(join(directory, 'explore-report.json'), JSON.stringify({ at, report: { ...explored, finds: [{}] } }));
  expect(lastReport(directory)).toBeUndefined();
});
