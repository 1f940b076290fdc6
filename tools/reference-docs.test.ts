import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { target as errors, errorsPage } from './errors-docs.ts';
import { target as metrics, metricsPage } from './metrics-docs.ts';

test('behavior: docs/errors.md is what the codes say (made by node tools/errors-docs.ts)', () => {
  expect(readFileSync(errors, 'utf8')).toBe(errorsPage());
});

test('behavior: docs/metrics.md is what the processes register (made by node tools/metrics-docs.ts), each with a sentence', async () => {
  const page = await metricsPage();
  expect(readFileSync(metrics, 'utf8')).toBe(page);
  expect(page.split('\n').filter((row) => /^\| `.*\|\s*\|$/.test(row))).toEqual([]);
  for (const name of ['action_duration_seconds', 'http_request_duration_seconds', 'keeper_', 'ocr2_up'])
    expect(page).toContain(`| \`${name}`);
});
