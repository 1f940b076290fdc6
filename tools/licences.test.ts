import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { licenceFaults } from './licences.ts';

test('default: every package that is shipped has a licence that was agreed to', () => {
  const lockfile = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
  expect(licenceFaults(lockfile)).toEqual([]);
});

test('behavior: another licence and none are named; of several one is enough, and all that belong together', () => {
  const faultsOf = (license: string | undefined, dev = false) =>
    licenceFaults({ packages: { 'node_modules/a': { ...(license && { license }), dev } } });
  expect(faultsOf('GPL-3.0')).toEqual(['a is under GPL-3.0']);
  expect(faultsOf(undefined)).toEqual(['a names no licence']);
  expect(faultsOf('(GPL-3.0 OR MIT)')).toEqual([]);
  expect(faultsOf('(MIT AND GPL-3.0)')).toEqual(['a is under (MIT AND GPL-3.0)']);
  expect(faultsOf('LGPL-3.0', true)).toEqual([]);
});
