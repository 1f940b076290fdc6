import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { alertRuleIds } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { runbookOf } from './runbook.ts';

const root = fileURLToPath(new URL('../../../../../../', import.meta.url));

test('behavior: every rule has its place in the runbook, and no place is without a rule', () => {
  const [page = ''] = runbookOf('vault_paused').split('#');
  const titles = [...readFileSync(join(root, page), 'utf8').matchAll(/^## (.*)$/gm)].map(([, title]) => title);
  expect(titles.sort()).toEqual([...alertRuleIds, 'own_rule'].sort());
  expect(runbookOf('own_0123456789abcdef01234567')).toBe(`${page}#own_rule`);
});

test('behavior: every rule is in the page about alerts', () => {
  const page = readFileSync(join(root, 'docs/alerts.md'), 'utf8');
  expect(alertRuleIds.filter((id) => !page.includes(`\`${id}\``))).toEqual([]);
});
