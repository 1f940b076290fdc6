import { type Command, exitCodes, type Operand, type Option } from './command.ts';

const operandText = ({ name, isOptional, isRepeated }: Operand): string => {
  const text = `${name}${isRepeated ? '...' : ''}`;
  return isOptional ? `[${text}]` : text;
};
const optionText = ([name, { value }]: [string, Option]): string =>
  `--${name}${value === undefined ? '' : ` ${value}`}`;

/** `castellan vault show VAULT`, with its options in brackets. */
const lineOf = ({ path, operands = [], options = {}, hasOwnArguments }: Command): string =>
  [
    `castellan ${path}`,
    ...operands.map(operandText),
    ...Object.entries(options).map((option) => `[${optionText(option)}]`),
    ...(hasOwnArguments ? ['...'] : []),
  ].join(' ');

/** Without what moves the cursor, is not seen or turns the direction of a text: names of vaults are written by strangers. */
export const visible = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}');

/** Rows with their columns below each other; the last column is as long as it is. */
export function columns(given: readonly (readonly string[])[], gap = '  '): string {
  const rows = given.map((row) => row.map(visible));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join(gap);
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
}

/** How one command is used. */
export function usageOf(command: Command): string {
  const operands = (command.operands ?? []).map((operand) => [`  ${operandText(operand)}`, operand.summary]);
  const options = Object.entries(command.options ?? {}).map((option) => [`  ${optionText(option)}`, option[1].summary]);
  const rows = [...operands, ...options];
  return `${lineOf(command)}\n\n${command.summary}.\n${rows.length === 0 ? '' : `\n${columns(rows)}`}`;
}

/** All commands, a line each. */
export function usageOfAll(commands: readonly Command[]): string {
  const rows = commands.map((each) => [
    `  castellan ${[each.path, ...(each.operands ?? []).map(operandText)].join(' ')}`,
    each.summary,
  ]);
  return `${columns(rows)}  castellan --version\n\ncastellan COMMAND --help says what a command takes. In the repository castellan is npm run -s castellan --\n`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** The exit codes as a table of docs/cli.md. */
export const exitCodeTable = (): string => {
  const rows = Object.entries(exitCodes).map(([code, meaning]) => `| ${code} | ${meaning} |\n`);
  return `| Code | Meaning |\n| --- | --- |\n${rows.join('')}`;
};

/** The reference of docs/cli.md: every command with its operands and options. */
export function referenceOf(commands: readonly Command[]): string {
  const sections = commands.map((each) => {
    const rows = [
      ...(each.operands ?? []).map((operand) => [operandText(operand), operand.summary]),
      ...Object.entries(each.options ?? {}).map((option) => {
        const [, { summary, default: usual }] = option;
        return [optionText(option), usual === undefined ? summary : `${summary} (${usual})`];
      }),
    ];
    const table = rows.map(([name = '', summary = '']) => `| \`${cell(name)}\` | ${cell(summary)} |\n`).join('');
    const head = `### castellan ${each.path}\n\n${each.summary}.\n`;
    return rows.length === 0 ? head : `${head}\n| | |\n| --- | --- |\n${table}`;
  });
  return sections.join('\n');
}
