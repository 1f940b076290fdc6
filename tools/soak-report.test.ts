import { expect, test } from '@jest/globals';
import { failuresIn, type JestReport, summaryOf } from './soak-report.ts';

const report: JestReport = {
  numTotalTests: 2,
  testResults: [
    { name: '/repo/tests/a.e2e.test.ts', status: 'passed', message: '', assertionResults: [] },
    {
      name: '/repo/tests/b.e2e.test.ts',
      status: 'failed',
      message: 'two of them',
      assertionResults: [
        { fullName: 'default: works', status: 'passed', failureMessages: [] },
        {
          fullName: 'behavior: heals',
          status: 'failed',
          failureMessages: ['\n\u001b[31mNot within 5 ms\u001b[39m: x\n  at y'],
        },
      ],
    },
    { name: '/repo/tests/c.e2e.test.ts', status: 'failed', message: 'Cannot find module', assertionResults: [] },
  ],
};

test('default: a failed test has its file, its name and its first line; a file that does not load counts once', () => {
  expect(failuresIn(report, '/repo')).toEqual([
    { name: 'tests/b.e2e.test.ts: behavior: heals', message: 'Not within 5 ms: x' },
    { name: 'tests/c.e2e.test.ts', message: 'Cannot find module' },
  ]);
});

test('behavior: the summary counts each failed test over the runs, the most frequent first', () => {
  const often = { name: 'often', message: 'first' };
  expect(summaryOf([61.2, 60], [{ name: 'once', message: 'm' }, often, { ...often, message: 'second' }])).toBe(
    '\n2 runs, seconds each: 61, 60\n3 failures\n  2 x often\n      first\n  1 x once\n      m\n',
  );
  expect(summaryOf([60], [])).toBe('\n1 runs, seconds each: 60\n0 failures\n');
});
