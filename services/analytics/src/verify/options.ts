import { parseArgs } from 'node:util';
import { Address } from '@castellan/contracts';
import { readPaths } from './reads.ts';
import { receiptOptions } from './receipt-options.ts';
import { Refusal } from './refusal.ts';

export type Options = {
  readonly chainId: number | undefined;
  readonly vault: string | undefined;
  readonly block: number | undefined;
  /** A time instead of a block, ISO 8601. */
  readonly at: string | undefined;
  /** Undefined: every read. */
  readonly read: string | undefined;
  /** Undefined: every figure. */
  readonly figure: string | undefined;
  /** Further query of the read, as it was asked: `period=90d&points=10`. */
  readonly query: string;
  readonly api: string;
  readonly file: string | undefined;
  readonly rpc: string | undefined;
  readonly deployment: string | undefined;
  readonly chains: string | undefined;
  readonly benchmarks: string | undefined;
  /** Prints what came of each figure as JSON; the words go beside it. */
  readonly json: boolean;
};

type Declared = { readonly summary: string; readonly value?: string };

const declared: Readonly<Record<string, Declared>> = {
  ...receiptOptions,
  api: {
    value: 'URL',
    summary: 'where the answers are; else CASTELLAN_URL, else CASTELLAN_API, else that of npm start',
  },
};

const usageRows = Object.entries(declared).map(
  ([name, { value, summary }]) => `  ${`--${name}${value === undefined ? '' : ` ${value}`}`.padEnd(20)}  ${summary}\n`,
);

export const usage = `castellan verify receipt [options], in the repository npm run verify:receipt -- [options]
Evaluates the printed formula of a receipt over its inputs; with --rpc computes figure and inputs from the chain, without the database.

${usageRows.join('')}
Exit code 0: equal. 1: not equal. 2: it could not be checked.`;

type Env = Readonly<Record<string, string | undefined>>;

function whole(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^(0|[1-9][0-9]{0,14})$/.test(text)) throw new Refusal(`${flag} must be a whole number, not "${text}".`);
  return Number(text);
}

function vaultOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const parsed = Address.safeParse(text);
  if (!parsed.success) throw new Refusal(`--vault ${parsed.error.issues[0]?.message}.`);
  return parsed.data;
}

function parsed(args: string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args,
      options: {
        chain: text,
        vault: text,
        block: text,
        at: text,
        read: text,
        figure: text,
        query: text,
        api: text,
        file: text,
        rpc: text,
        deployment: text,
        chains: text,
        benchmarks: text,
        all: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new Refusal(`${(error as Error).message}\n\n${usage}`);
  }
}

function requireTarget({ file, chainId, vault, figure, read, block, at }: Options, all: boolean): void {
  if (block !== undefined && at !== undefined) throw new Refusal('--block and --at exclude each other.');
  if (read !== undefined && !readPaths.includes(read))
    throw new Refusal(`There is no read ${read}. Reads: ${readPaths.join(', ')}.`);
  if (file === undefined && (chainId === undefined || vault === undefined))
    throw new Refusal(`--chain and --vault say whose figure to check (or --file a saved answer).\n\n${usage}`);
  if (all || file !== undefined) return;
  if (read === undefined || figure === undefined)
    throw new Refusal('Name the --read and the --figure to check, or ask for --all of them.');
}

/** Reads the command line. @throws Refusal that names the flag and what is allowed. */
export function readOptions(args: string[], env: Env): Options | 'help' {
  const { all, help, json, ...values } = parsed(args);
  if (help) return 'help';
  const options: Options = {
    chainId: whole(values.chain, '--chain'),
    vault: vaultOf(values.vault),
    block: whole(values.block, '--block'),
    at: values.at,
    read: values.read?.replace(/^\/+|\/+$/g, ''),
    figure: all ? undefined : values.figure,
    query: (values.query ?? '').replace(/^\?/, ''),
    api: (values.api ?? (env.CASTELLAN_URL || env.CASTELLAN_API || 'http://127.0.0.1:8080')).replace(/\/+$/, ''),
    file: values.file,
    rpc: values.rpc,
    deployment: values.deployment ?? (env.DEVNET_DEPLOYMENT_FILE || undefined),
    benchmarks: values.benchmarks ?? (env.BENCHMARKS || undefined),
    chains: values.chains ?? (env.CHAINS || undefined),
    json,
  };
  requireTarget(options, all);
  return options;
}
