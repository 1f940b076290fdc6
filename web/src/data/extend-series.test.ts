import { expect, test } from '@jest/globals';
import { aVault } from '../../test/builders.ts';
import { extendTvl } from './extend-series.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const series = {
  as_of: at(10),
  interval_seconds: 3_600,
  points: [{ t: at(9), tvl_usd: 9, tvl_asset: '9' }],
} as Parameters<typeof extendTvl>[0];
const read = (minute: number) => aVault({ chain_time: at(minute), tvl_usd: minute, total_assets: `${minute}` });
const values = (given: typeof series) => given.points.map(({ tvl_usd }) => tvl_usd);

test('default: a pushed reading is the end of the series; of one interval the last stays, and all that was answered', () => {
  const once = extendTvl(series, read(20));
  expect(values(once)).toEqual([9, 20]);
  const twice = extendTvl(once, read(30));
  expect(values(twice)).toEqual([9, 30]);
  expect(values(extendTvl(twice, read(70)))).toEqual([9, 30, 70]);
  expect(twice.as_of).toBe(series.as_of);
});

test('behavior: a reading that came late, or that the answer has seen, changes nothing', () => {
  expect(extendTvl(series, read(10))).toBe(series);
  expect(values(extendTvl(extendTvl(series, read(30)), read(20)))).toEqual([9, 30]);
});
