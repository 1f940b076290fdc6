import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { failureReport, forgetFailures } from './failure-report.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'castellan-failures-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function aFailure(test: string, files: Record<string, string>): void {
  const folder = join(root, 'tests/e2e/failures/automation', test);
  mkdirSync(join(folder, 'services'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

test('default: nothing is printed when no test failed', () => {
  expect(failureReport(root)).toBe('');
});

test('behavior: names the folder, and shows the message and the end of each log', () => {
  const long = Array.from({ length: 50 }, (_line, index) => `line ${index}`).join('\n');
  aFailure('a-rule-is-changed', {
    'message.txt': 'the button was not visible\n',
    'page-1-console.log': 'an error on the page',
    'services/vaults.log': `${long}\n`,
    'page-1.png': 'not text',
  });
  const report = failureReport(root, 3);
  expect(report).toContain('# tests/e2e/failures/automation/a-rule-is-changed\nthe button was not visible');
  expect(report).toContain('--- the end of page-1-console.log\nan error on the page');
  expect(report).toContain('--- the end of services/vaults.log\nline 47\nline 48\nline 49\n');
  expect(report).not.toContain('line 46');
  expect(report).not.toContain('not text');
});

test('behavior: long lines are cut, and of many folders the first are shown and the others counted', () => {
  for (let index = 0; index < 22; index += 1)
    aFailure(`test-${index}`, { 'message.txt': 'failed', 'services/ai.log': 'x'.repeat(1_000) });
  const report = failureReport(root);
  expect(report).toContain('and 2 more folders in tests/e2e/failures');
  expect(Math.max(...report.split('\n').map((line) => line.length))).toBeLessThan(410);
});

test('behavior: what an earlier run left is forgotten', () => {
  aFailure('a-test', { 'message.txt': 'failed' });
  forgetFailures(root);
  expect(existsSync(join(root, 'tests/e2e/failures'))).toBe(false);
  expect(failureReport(root)).toBe('');
});
