import { expect, test } from '@jest/globals';
import { staleSince } from './validator-network.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
const reports = {
  a: { seq: 1, is_stale: true, since: at(5) },
  b: { seq: 1, is_stale: true, since: at(3) },
  c: { seq: 1, is_stale: false, since: at(1) },
};

test('default: stale since the first member that says so', () => {
  expect(staleSince({ reports }, new Set(['a', 'b', 'c']))).toEqual(at(3));
  expect(staleSince({ reports }, new Set(['c']))).toBeNull();
});

test('behavior: a node that left the network keeps no strategy stale', () => {
  expect(staleSince({ reports }, new Set(['a', 'c']))).toEqual(at(5));
  expect(staleSince({ reports: { gone: reports.a } }, new Set(['a']))).toBeNull();
});
