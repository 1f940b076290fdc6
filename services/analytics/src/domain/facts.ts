import type { LogEntry } from '@castellan/contracts';
import { z } from 'zod';
import { secondsOf } from './timeline.ts';

/**
 * An entry of the canonical log as a projection keeps it. `time` is the block's, in seconds; `contract` is null for
 * observations. Amounts in `args` are decimal strings.
 */
export type Fact = {
  readonly seq: number;
  readonly block: number;
  readonly time: number;
  readonly tx: string | null;
  readonly index: number | null;
  readonly contract: string | null;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
};

/** The name of facts that hold the state of a vault, read by the indexer. */
export const STATE_OBSERVED = 'state_observed';
/** The name of facts that hold the gas of a transaction. */
export const TRANSACTION_OBSERVED = 'transaction_observed';
const ANSWER_UPDATED = 'AnswerUpdated';

/** The native coin, as the log names it among priced assets. */
export const NATIVE = '0x0000000000000000000000000000000000000000';

const VAULT = 'vault:';

/** Whose history a fact belongs to: a vault, or an asset that has a price. Lower case. */
export const vaultSubject = (address: string): string => `${VAULT}${address.toLowerCase()}`;
/** The vault of a subject; undefined for one of something else. */
export const vaultOf = (subject: string): string | undefined =>
  subject.startsWith(VAULT) ? subject.slice(VAULT.length) : undefined;
/** Subject of what feeds say of an asset: its price, and the benchmark of its vaults. Lower case. */
export const assetSubject = (address: string): string => `asset:${address.toLowerCase()}`;

/** Which blocks the log knows, with their times. */
export const blocksSubject = 'blocks';

const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

const WrittenBenchmarks = z.array(
  z.object({
    asset_address: z.string(),
    name: z.string(),
    version: z.string(),
    measure: z.enum(['yearly_rate', 'level']),
  }),
);

/** The benchmarks that an answer of a feed is, by the configuration when it was read. @throws when the log is not as we write it. */
export const factBenchmarks = ({ args }: Pick<Fact, 'args'>): z.infer<typeof WrittenBenchmarks> =>
  WrittenBenchmarks.parse(args.benchmarks ?? []);

function subjectsOf(entry: LogEntry): string[] {
  if (entry.name === ANSWER_UPDATED && entry.contract === 'price_feed')
    return [
      ...strings(entry.args.asset_addresses).map(assetSubject),
      ...factBenchmarks(entry).map(({ asset_address }) => assetSubject(asset_address)),
    ];
  if (entry.kind === 'observation' && entry.name === TRANSACTION_OBSERVED)
    return strings(entry.args.vault_addresses).map(vaultSubject);
  return entry.vault_address === null ? [] : [vaultSubject(entry.vault_address)];
}

/** The fact of an entry and its subjects. A rollback has none: it removes facts. */
export function factOf(entry: LogEntry): { subjects: string[]; fact: Fact } | undefined {
  if (entry.kind === 'rollback') return undefined;
  const subjects = subjectsOf(entry);
  if (subjects.length === 0) return undefined;
  const { vault_addresses: _vaults, asset_addresses: _assets, ...args } = entry.args;
  return {
    subjects,
    fact: {
      seq: entry.seq,
      block: entry.block_number,
      time: secondsOf(entry.block_time),
      tx: entry.tx_hash,
      index: entry.log_index,
      contract: entry.kind === 'log' ? entry.contract : null,
      name: entry.name,
      args,
    },
  };
}

/** An amount of a fact. @throws when it is not a whole number: the log is ours and must not be guessed at. */
export function amountOf(fact: Fact, name: string): bigint {
  const value = fact.args[name];
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new Error(`Entry ${fact.seq} (${fact.name}) has no ${name}.`);
  return BigInt(value);
}

/** A wallet or contract a fact names, lower case. */
export const addressOf = (fact: Fact, name: string): string => String(fact.args[name]).toLowerCase();
