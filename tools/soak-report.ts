import { relative } from 'node:path';

/** What is read of the report that jest writes with `--json`. */
export type JestReport = {
  numTotalTests: number;
  testResults: readonly {
    name: string;
    status: string;
    message: string;
    assertionResults: readonly { fullName: string; status: string; failureMessages: readonly string[] | null }[];
  }[];
};
/** One test that failed in one run. */
export type Failure = { name: string; message: string };

/** Without the colours that jest writes for a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what starts a colour
const plain = (text: string): string => text.replace(/\u001b\[[0-9;]*m/g, '');
const firstLine = (text: string): string =>
  plain(text)
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim() ?? '';

/** The failed tests of a run; a file that could not be loaded counts as one. @param root - Names are shortened by it. */
export function failuresIn({ testResults }: JestReport, root: string): Failure[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const failed = assertionResults.filter((result) => result.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [{ name: file, message: firstLine(message) }] : [];
    return failed.map(({ fullName, failureMessages }) => ({
      name: `${file}: ${fullName}`,
      message: firstLine(failureMessages?.[0] ?? ''),
    }));
  });
}

/** Wall time of the runs, and each test that failed: how often, and the first message; the most frequent first. */
export function summaryOf(seconds: readonly number[], failures: readonly Failure[]): string {
  const byName = new Map<string, { count: number; message: string }>();
  for (const { name, message } of failures) {
    const known = byName.get(name);
    byName.set(name, { count: (known?.count ?? 0) + 1, message: known?.message ?? message });
  }
  const rows = [...byName]
    .sort(([, left], [, right]) => right.count - left.count)
    .map(([name, { count, message }]) => `  ${count} x ${name}\n      ${message}\n`);
  const times = seconds.map((each) => each.toFixed(0)).join(', ');
  return `\n${seconds.length} runs, seconds each: ${times}\n${failures.length} failures\n${rows.join('')}`;
}
