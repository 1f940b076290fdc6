import { expect, test } from '@jest/globals';
import { type BusService, busServices, deadLetterDiskPercent } from './index.ts';

test('behavior: the streams and the dead letters share out the storage of the bus', () => {
  const defined = Object.values(busServices).flatMap(({ defines }: BusService) => defines);
  const percents = new Map(defined.map(({ name, diskPercent }) => [name, diskPercent]));
  expect([...percents.values()].reduce((sum, percent) => sum + percent, deadLetterDiskPercent)).toBe(100);
});
