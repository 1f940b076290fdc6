import { readdirSync, readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { expect, test } from '@jest/globals';

const root = new URL('../', import.meta.url).pathname;

/** Forms that only this folder may make, so that a kind of figure looks the same on every screen. */
const byHand =
  /toFixed\(|toPrecision\(|toLocale\w*String\(|Intl\.(?:Number|DateTime)Format|\} bps`|replace\('-', ?'(?:−|\\u2212)'/;

/** Not for reading: each with what it is. */
const arithmetic: Readonly<Record<string, string>> = {
  'alerts/own-rules/metric-unit.ts': 'a threshold as a person types it',
  'alerts/quiet-hours-inputs.tsx': 'names of time zones',
  'charts/scale.ts': 'multiples of a step without the noise of doubles',
  'charts/sparkline.tsx': 'coordinates of a path',
  'charts/still-chart.tsx': 'coordinates of a path',
  'strategies/editor/draft.ts': 'a limit as a person types it',
  'vault/risk/run-query.ts': 'a parameter of a read',
  'vault/risk/shock-words.ts': 'a part of a shock as a person types it',
};

const sources = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
  .map(({ parentPath, name }) => relative(root, `${parentPath}/${name}`).split(sep).join('/'))
  .filter((path) => !path.startsWith('format/'));

test('default: nothing outside this folder writes a figure or a date by hand', () => {
  expect(sources.length).toBeGreaterThan(200);
  const found = sources.filter((path) => byHand.test(readFileSync(`${root}${path}`, 'utf8')));
  expect(found.sort()).toEqual(Object.keys(arithmetic).sort());
});
