import { readFileSync } from 'node:fs';
import { preparedKinds } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { target as changes, changesPage } from './changes-docs.ts';
import { target as errors, errorsPage } from './errors-docs.ts';
import { target as metrics, metricsPage } from './metrics-docs.ts';

test('behavior: docs/errors.md is what the codes say (made by node tools/errors-docs.ts)', () => {
  expect(readFileSync(errors, 'utf8')).toBe(errorsPage());
});

test('behavior: docs/changes.md is what can be prepared (made by node tools/changes-docs.ts), with every kind', () => {
  const page = changesPage();
  expect(readFileSync(changes, 'utf8')).toBe(page);
  for (const kind of preparedKinds) expect(page).toContain(`| \`${kind}\` |`);
  expect(page).toContain('`management_fee_bps`: whole number, 0 to 65535. The entry fee, taken of each deposit');
});

test('behavior: docs/metrics.md is what the processes register (made by node tools/metrics-docs.ts), each with a sentence', async () => {
  const page = await metricsPage();
  expect(readFileSync(metrics, 'utf8')).toBe(page);
  expect(page.split('\n').filter((row) => /^\| `.*\|\s*\|$/.test(row))).toEqual([]);
  for (const name of ['action_duration_seconds', 'http_request_duration_seconds', 'keeper_', 'ocr2_up'])
    expect(page).toContain(`| \`${name}`);
});
