import { expect, test } from '@jest/globals';
import { faultsOf, raised, tableOf } from './floors.ts';

const figures = new Map([
  ['packages/chain', { lines: 1000, covered: 899 }],
  ['web', { lines: 300, covered: 200 }],
]);

test('default: nothing is wrong at the floor or above it', () => {
  expect(faultsOf(figures, { 'packages/chain': 89, web: 66 })).toEqual([]);
  expect(faultsOf(new Map([['web', { lines: 4, covered: 3 }]]), { web: 75 })).toEqual([]);
});

test('error: names package, floor and figure of what is below', () => {
  expect(faultsOf(figures, { 'packages/chain': 90, web: 66 })).toEqual([
    'packages/chain is below its floor of 90 %: 89.90 %. Test what was added or changed.',
  ]);
});

test('error: says how a package gets its floor, and where one is left over', () => {
  expect(faultsOf(figures, { web: 66, 'services/old': 50 })).toEqual([
    'packages/chain has no floor: `npm run check -- --raise-floors` adds it to tools/coverage-floors.json.',
    'services/old has a floor and no code: remove it from tools/coverage-floors.json.',
  ]);
});

test('behavior: floors rise to whole percent points, and never fall', () => {
  expect(raised(figures, { web: 70 })).toEqual({ 'packages/chain': 89, web: 70 });
  expect(raised(figures, { web: 12, 'services/old': 50 })).toEqual({
    'packages/chain': 89,
    'services/old': 50,
    web: 66,
  });
});

test('behavior: a package without code is covered', () => {
  const empty = new Map([['packages/types', { lines: 0, covered: 0 }]]);
  expect(faultsOf(empty, { 'packages/types': 100 })).toEqual([]);
});

test('default: the table has the figure, the floor and the lines of each package', () => {
  expect(tableOf(figures, { web: 66 }).split('\n').slice(2)).toEqual([
    ' 89.90 %  none  packages/chain (899 of 1000 lines)',
    ' 66.67 %    66  web (200 of 300 lines)',
    '',
  ]);
});
