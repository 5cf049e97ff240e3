// A merge that fails leaves no trace in memory, also where nothing can be stored any more.

import { expect, it } from 'vitest';
import { configSchema } from '../../../src/config/schema.js';
import { mergeScenario } from '../../../src/tools/scenarios/fill.js';
import { seedWorld } from '../../../src/tools/scenarios/seed-world.js';
import { openWorld } from '../../../src/world/world.js';

it.each(['settings', 'clock'])(
  'a merge that fails takes the settings back though the row "%s" cannot be written',
  (row) => {
    const config = configSchema.parse({ seed: 'merge', clock: { frozen: true } });
    const world = openWorld({ id: 'default', config, file: ':memory:', effects: {} });
    seedWorld(world);
    const merge = () => {
      const faults = [{ match: { key: 'nobody' }, effect: { delay: 1 } }];
      mergeScenario(world, { name: null, scenario: { settings: { prices: { deploy: 7 } }, faults } });
    };
    // The disk has become full meanwhile, it seems: what the merge writes comes first.
    const later = row === 'clock' ? '1' : "NEW.value = '{}'";
    world.db.exclusive((connection) =>
      connection.exec(`CREATE TEMP TRIGGER full BEFORE INSERT ON meta WHEN NEW.key = '${row}' AND ${later}
      BEGIN SELECT RAISE(FAIL, 'no space'); END`),
    );
    expect(merge).toThrow();
    expect([world.config.prices.deploy, world.overlay]).toEqual([config.prices.deploy, {}]);
    world.close();
  },
);
