import { parseArgs } from 'node:util';
import { ApiError, hasCode } from '@castellan/sdk';
import { CallRefused } from '@castellan/sdk/calls';
import { type Command, command, type Option, UsageError, type World } from './command.ts';
import { completionsFor, shells } from './completions.ts';
import { DeploymentAway } from './session-file.ts';
import { usageOf, usageOfAll } from './usage.ts';

/** The commands with `completion`, which knows them all. */
export function withCompletion(commands: readonly Command[]): Command[] {
  const all: Command[] = [...commands];
  all.push(
    command({
      path: 'completion',
      summary: 'Prints completions for a shell: source <(castellan completion bash)',
      operands: [{ name: 'SHELL', summary: shells.join(', '), choices: shells }],
      run: async ({ operands: [shell] }, { out }) => {
        const known = shells.find((each) => each === shell);
        if (known === undefined) throw new UsageError(`There are completions for ${shells.join(', ')}.`);
        out(completionsFor(known, all));
        return 0;
      },
    }),
  );
  return all;
}

/** The command whose words the arguments begin with; of two, the longer one. */
const commandOf = (commands: readonly Command[], args: readonly string[]): Command | undefined =>
  commands
    .filter(({ path }) => path.split(' ').every((word, index) => args[index] === word))
    .sort((left, right) => right.path.length - left.path.length)[0];

/** The commands that begin with these words, such as all of `castellan vault`; all commands when none does. */
function groupOf(commands: readonly Command[], args: readonly string[]): readonly Command[] {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const group = commands.filter(({ path }) => words.every((word, index) => path.split(' ')[index] === word));
  return group.length === 0 ? commands : group;
}

const parsedAs = ({ value, multiple, default: usual }: Option) => ({
  type: value === undefined ? ('boolean' as const) : ('string' as const),
  ...(multiple === undefined ? {} : { multiple }),
  ...(value === undefined ? { default: false } : {}),
  ...(multiple === true ? { default: [] } : {}),
  ...(usual === undefined ? {} : { default: usual }),
});

function parse(found: Command, args: string[]) {
  const options = { ...found.options, help: { summary: '' } };
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: Object.fromEntries(Object.entries(options).map(([name, option]) => [name, parsedAs(option)])),
  });
  return { values: values as Record<string, never>, operands: positionals };
}

function assertOperands({ operands: declared = [] }: Command, given: readonly string[]): void {
  const missing = declared.find(({ isOptional }, index) => isOptional === undefined && given[index] === undefined);
  if (missing) throw new UsageError(`${missing.name} is missing: ${missing.summary}.`);
  const isOpen = declared.at(-1)?.isRepeated === true;
  if (!isOpen && given.length > declared.length) throw new UsageError(`"${given[declared.length]}" is one too many.`);
}

const codesOfStatuses: Readonly<Record<number, number>> = { 401: 3, 403: 3, 422: 4, 429: 5, 502: 5, 503: 5, 504: 5 };

/** What is of the program or its machine says nothing of what was checked; any other error says what failed. */
const isBroken = (error: unknown): boolean =>
  [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind) ||
  (error as NodeJS.ErrnoException).syscall !== undefined;

function codeOf(error: unknown): number {
  if (error instanceof CallRefused || hasCode(error, 'MANDATE_REFUSES')) return 4;
  if (error instanceof DeploymentAway) return 5;
  if (error instanceof ApiError) return codesOfStatuses[error.status] ?? 2;
  return isBroken(error) ? 2 : 1;
}

const isUsage = (error: unknown): boolean =>
  error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') === true;

/** Runs one command. @returns the exit code: those of `exitCodes`. */
export async function runCommand(
  commands: readonly Command[],
  version: string,
  args: string[],
  world: World,
): Promise<number> {
  const found = commandOf(commands, args);
  try {
    if (found === undefined) {
      if (args[0] === '--version') world.out(`${version}\n`);
      else if (args.at(-1) === '--help') world.out(usageOfAll(groupOf(commands, args)));
      else throw new UsageError(args[0] ? `There is no command "${args.join(' ')}".` : 'Which command?');
      return 0;
    }
    const rest = args.slice(found.path.split(' ').length);
    if (found.hasOwnArguments) return await found.run({ values: {}, operands: rest }, world);
    const given = parse(found, rest);
    if (given.values.help) {
      world.out(usageOf(found));
      return 0;
    }
    assertOperands(found, given.operands);
    return await found.run(given, world);
  } catch (error) {
    const next = error instanceof ApiError ? `${error.next_step}\n` : '';
    world.err(`${(error as Error).message}\n${next}`);
    if (!isUsage(error)) return codeOf(error);
    const own = error instanceof UsageError ? error.usage : undefined;
    if (own !== '') world.err(`\n${own ?? (found ? usageOf(found) : usageOfAll(groupOf(commands, args)))}`);
    return 2;
  }
}
