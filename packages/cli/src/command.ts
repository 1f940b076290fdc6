import { resolve } from 'node:path';

/** Where commands run. */
export type World = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Asks the person at the terminal; absent where nobody is. `isSecret`: what is typed is not shown. */
  readonly ask?: (question: string, isSecret?: boolean) => Promise<string>;
  /** Shows that something takes long, until what it returns is called; absent where nobody looks. */
  readonly busy?: (what: string) => () => void;
  /** Opens an address in the person's browser; absent where nobody is. */
  readonly browse?: (url: string) => void;
  readonly fetch?: typeof fetch;
  /** Ends what goes on until it is interrupted. */
  readonly signal?: AbortSignal;
};

/** npm runs scripts in the folder of the repository; what is named is relative to where it was called. */
export const pathOf = (path: string, { INIT_CWD }: World['env']): string => resolve(INIT_CWD ?? '.', path);

/** An option; without `value` it is a switch. */
export type Option = {
  readonly summary: string;
  /** The name of its value in the usage, such as FILE. */
  readonly value?: string;
  readonly default?: string;
  readonly multiple?: true;
};

/** What is given without a name; the last may be repeated. */
export type Operand = {
  readonly name: string;
  readonly summary: string;
  readonly isOptional?: true;
  readonly isRepeated?: true;
  /** All that it can be, for completions. */
  readonly choices?: readonly string[];
};

type Options = Readonly<Record<string, Option>>;
type ValueOf<O> = O extends { readonly value: string }
  ? O extends { readonly multiple: true }
    ? string[]
    : O extends { readonly default: string }
      ? string
      : string | undefined
  : boolean;

/** The options of a command, as they were given. */
export type ValuesOf<O> = { readonly [K in keyof O]: ValueOf<O[K]> };
/** What a command was given. */
export type Given<O> = { readonly values: ValuesOf<O>; readonly operands: readonly string[] };

type Declared<O extends Options> = {
  /** Its words, such as `vault show`. */
  readonly path: string;
  readonly summary: string;
  readonly operands?: readonly Operand[];
  readonly options?: O;
  /** @returns the exit code. */
  readonly run: (given: Given<O>, world: World) => Promise<number>;
  /** Its arguments are its own: all of them are operands, and it says itself how it is used. */
  readonly hasOwnArguments?: true;
};

/** One command of the tree. */
export type Command = Omit<Declared<Options>, 'run'> & {
  readonly run: (given: Given<Options>, world: World) => Promise<number>;
};

/** Declares a command; what it is given has the types of its options. */
export const command = <const O extends Options>(declared: Declared<O>): Command => declared as unknown as Command;

/** The command line was not understood, or names a file that cannot be read. */
export class UsageError extends Error {
  /** How the command is used; undefined for the usage of the command that was called, empty where that would not help. */
  readonly usage: string | undefined;

  constructor(message: string, usage?: string) {
    super(message);
    this.name = 'UsageError';
    this.usage = usage;
  }
}

/** Exit codes, as docs/cli.md has them. */
export const exitCodes = {
  0: 'done; of a check, nothing is wrong',
  1: 'a check found a fault, or what was begun failed',
  2: 'not done and not checked: the command line was not understood, a file cannot be read, the API knows no such thing, or the program broke',
  3: 'sign in first, or again, or with a token that may do more',
  4: 'refused: the call is not what was asked for, or the chain or the mandate of the vault would not take it',
  5: 'nobody answers at the address of the deployment, or it cannot answer now: try again later',
} as const;
