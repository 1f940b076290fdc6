import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** What the jest environment of the whole-system tests leaves for each failed test: `<file>/<test>/`. */
const foldersUnder = 'tests/e2e/failures';
const MOST_FOLDERS = 20;
const MOST_LINE_CHARACTERS = 400;

/** Removes what earlier runs left, so that a report is about this run. */
export const forgetFailures = (root: string): void =>
  rmSync(join(root, foldersUnder), { recursive: true, force: true });

const tailOf = (file: string, lines: number): string[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(-lines)
    .map((line) => (line.length > MOST_LINE_CHARACTERS ? `${line.slice(0, MOST_LINE_CHARACTERS)}...` : line));

/**
 * The folders of failed tests, each with its message and the last lines of each of its logs.
 * @param root - Of the repository.
 * @param lines - Of each log.
 * @returns the text to print, empty when nothing failed.
 */
export function failureReport(root: string, lines = 10): string {
  const under = join(root, foldersUnder);
  if (!existsSync(under)) return '';
  const messages = globSync('*/*/message.txt', { cwd: under }).sort();
  const shown = messages.slice(0, MOST_FOLDERS).flatMap((message) => {
    const folder = dirname(join(under, message));
    const logs = globSync(['*.log', 'services/*.log'], { cwd: folder }).sort();
    return [
      `\n# ${relative(root, folder)}`,
      readFileSync(join(folder, 'message.txt'), 'utf8').trimEnd(),
      ...logs.flatMap((log) => [`--- the end of ${log}`, ...tailOf(join(folder, log), lines)]),
    ];
  });
  const left = messages.length - MOST_FOLDERS;
  if (left > 0) shown.push(`\nand ${left} more folders in ${foldersUnder}`);
  return shown.length === 0 ? '' : `${shown.join('\n')}\n`;
}
