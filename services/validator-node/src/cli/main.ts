import { parseArgs } from 'node:util';
import { ConfigError, LeaseLost, maskSecrets } from '@castellan/service-kit';
import { loadNodeConfig } from '../config/load.ts';
import { KeyFileError } from '../keys/files.ts';
import { KeystoreError } from '../keys/keystore.ts';
import { StoreError } from '../store/documents.ts';
import { KeyInUseError } from '../store/key-lease.ts';
import { abouts } from './abouts.ts';
import { busPermissions } from './bus.ts';
import { checkCommand } from './check.ts';
import { evidenceCommand } from './evidence.ts';
import { guardCommands } from './guard.ts';
import { keyCommands } from './keys.ts';
import { refusalOf } from './refused.ts';
import { UnreachableError } from './scrape.ts';
import { statusCommand } from './status.ts';
import { validateCommand } from './validate.ts';
import { type Command, configOptions, configSources, type Options, UsageError, type World } from './world.ts';

const runCommand: Command = {
  name: 'run',
  options: {
    ...configOptions,
    config: {
      ...configOptions.config,
      about:
        'config.toml of the node (default: ./config.toml); given again, another node in this process, for a local network',
      multiple: true,
    },
  },
  async run(world, options) {
    if (!world.run) throw new UsageError('castellan-validator run runs a node; this program only looks after one.');
    return world.run(configSources(world, options).map(loadNodeConfig));
  },
};

const commands: readonly Command[] = [
  runCommand,
  validateCommand,
  statusCommand,
  checkCommand,
  ...keyCommands,
  ...guardCommands,
  evidenceCommand,
  busPermissions,
];

const exitCodes = 'Exit codes: 0 done, 1 failed, 2 wrong usage or configuration.';

const programOf = ({ program = 'castellan-validator' }: World): string => program;

const overview = (program: string): string => {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name }) => `  ${name.padEnd(width)}  ${abouts[name]}`);
  return `Usage: ${program} COMMAND [OPTIONS]\n\n${lines.join('\n')}\n\n${program} COMMAND --help lists its options.\n${exitCodes}\n`;
};

function helpOf({ name, options }: Command, program: string): string {
  const rows = Object.entries(options).map(([option, { value, about: what, short }]): [string, string] => [
    `${short ? `-${short}, ` : '    '}--${option}${value ? ` ${value}` : ''}`,
    what,
  ]);
  const width = Math.max(...rows.map(([left]) => left.length));
  const lines = rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
  return `Usage: ${program} ${name} [OPTIONS]\n\n${abouts[name]}\n\n${lines.join('\n')}\n\n${exitCodes}\n`;
}

/** The command whose words the arguments begin with. */
function find(argv: readonly string[]): { command: Command; rest: string[] } | undefined {
  for (const command of commands) {
    const words = command.name.split(' ');
    if (words.every((word, i) => argv[i] === word)) return { command, rest: argv.slice(words.length) };
  }
  return undefined;
}

function parsed(command: Command, rest: string[]): Options {
  const specs = Object.entries(command.options).map(([name, { type, multiple, short }]) => [
    name,
    { type, ...(multiple && { multiple }), ...(short && { short }) },
  ]);
  const options = { ...Object.fromEntries(specs), help: { type: 'boolean', short: 'h' } };
  try {
    return parseArgs({ args: rest, options, strict: true, allowPositionals: false }).values as Options;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Runs one command. @returns the exit code. */
export async function main(world: World): Promise<number> {
  const [first] = world.argv;
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    world.out(overview(programOf(world)));
    return first === undefined ? 2 : 0;
  }
  const found = find(world.argv);
  if (!found) {
    world.err(`Unknown command: ${world.argv.slice(0, 2).join(' ')}\n\n${overview(programOf(world))}`);
    return 2;
  }
  try {
    const options = parsed(found.command, found.rest);
    if (options.help) {
      world.out(helpOf(found.command, programOf(world)));
      return 0;
    }
    return await found.command.run(world, options);
  } catch (error) {
    return failed(world, found.command, error);
  }
}

function failed(world: World, command: Command, error: unknown): number {
  if (error instanceof UsageError) {
    world.err(`${error.message}\n\n${helpOf(command, programOf(world))}`);
    return 2;
  }
  const isExpected = [
    ConfigError,
    KeyFileError,
    KeystoreError,
    KeyInUseError,
    LeaseLost,
    StoreError,
    UnreachableError,
  ].some((kind) => error instanceof kind);
  const { message, stack } = error as Error;
  world.err(`${maskSecrets(refusalOf(error) ?? (isExpected ? message : (stack ?? message)))}\n`);
  return error instanceof ConfigError ? 2 : 1;
}
