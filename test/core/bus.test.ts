// The bus of a world.

import { expect, it } from 'vitest';
import { Bus } from '../../src/core/bus.js';

it('a bus reports to late listeners what ends all, and nothing else', async () => {
  const bus = new Bus();
  const heard: string[] = [];
  const listen = (who: string): void => {
    for (const topic of ['change', 'end']) bus.on(topic, () => heard.push(`${who}: ${topic}`));
    bus.onAny((topic) => heard.push(`${who}: any, ${topic}`));
  };
  listen('early');
  bus.emit('change');
  await Promise.resolve();
  bus.emitLast('end');
  await Promise.resolve();
  expect(heard.splice(0)).toEqual(['early: change', 'early: any, change', 'early: end', 'early: any, end']);
  listen('late');
  bus.on('end', () => heard.push('no longer there'))();
  await Promise.resolve();
  expect(heard).toEqual(['late: end', 'late: any, end']);
});
