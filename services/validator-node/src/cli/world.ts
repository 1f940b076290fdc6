import type { NodeConfig } from '../config/load.ts';
import type { ScryptCost } from '../keys/keystore.ts';
import type { CommandName } from './abouts.ts';

/** What a command may touch; injected so that tests run it in the process. */
export type World = {
  argv: readonly string[];
  /** What the help calls the program; castellan-validator when left out. */
  program?: string;
  env: Readonly<Record<string, string | undefined>>;
  out: (text: string) => void;
  err: (text: string) => void;
  fetch: (url: string) => Promise<Pick<Response, 'status' | 'text'>>;
  sleep: (ms: number) => Promise<void>;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** How dear a password is to guess; the keystore's default when left out. */
  scryptCost?: ScryptCost;
  /** Runs the nodes in this process until a signal stops it. @returns the exit code. Absent where nodes are only looked after. */
  run?: (configs: readonly NodeConfig[]) => Promise<number>;
};

/** A mistake of the caller: printed with the command's help, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export type Options = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export type OptionSpec = Readonly<
  Record<string, { type: 'string' | 'boolean'; about: string; value?: string; multiple?: true; short?: string }>
>;

export type Command = {
  name: CommandName;
  options: OptionSpec;
  run: (world: World, options: Options) => Promise<number>;
};

export const text = (options: Options, name: string): string | undefined => {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
};

export const required = (options: Options, name: string): string => {
  const value = text(options, name);
  if (value === undefined) throw new UsageError(`--${name} is missing.`);
  return value;
};

export const integer = (options: Options, name: string): number | undefined => {
  const value = text(options, name);
  if (value === undefined) return undefined;
  if (!/^\d+$/.test(value)) throw new UsageError(`--${name} must be a whole number.`);
  return Number(value);
};

export const configOptions = {
  config: { type: 'string', value: 'FILE', about: 'config.toml of the node (default: ./config.toml)', short: 'c' },
  set: { type: 'string', value: 'KEY=VALUE', multiple: true, about: 'one key over file and environment; repeatable' },
} as const satisfies OptionSpec;

/** For a program that reads the result. */
export const jsonOption = {
  json: { type: 'boolean', about: 'print JSON instead of text' },
} as const satisfies OptionSpec;

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const defaultFile = './config.toml';

export const configSource = ({ env }: World, options: Options, file = text(options, 'config') ?? defaultFile) => ({
  file,
  env,
  flags: (options.set as readonly string[] | undefined) ?? [],
});

/** One for each file that is named; environment and `--set` are over each of them. */
export const configSources = (world: World, options: Options) => {
  const files = (options.config as readonly string[] | undefined) ?? [defaultFile];
  return files.map((file) => configSource(world, options, file));
};
