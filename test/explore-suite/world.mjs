// A world for each test of node:test, labelled with the test's file and name.

import { basename } from 'node:path';
import nodeTest, { describe } from 'node:test';
import { connect } from 'cloudemu/client';

const file = basename(process.argv[1]);

/** Tests run beside each other, and take no longer than a few seconds. */
export const suite = (name, body) => describe(name, { concurrency: true }, body);

export function test(name, body, timeout = 10_000) {
  nodeTest(name, { timeout }, async () => {
    const world = await connect().createWorld({ label: `${file} > ${name}` });
    try {
      await body({ url: `${world.url}/api`, key: world.apiKey, world });
    } finally {
      await world.close();
    }
  });
}
