import type { Member } from './hour-facts.ts';
import { joined } from './joined.ts';
import type { TransactionDocument } from './validator-network.ts';

/** What was sent on one chain; `fee` and `gas` as decimal strings, of those whose receipt is known. */
export type SentHour = {
  chain_id: number;
  transactions: number;
  stored: number;
  failed: number;
  not_needed: number;
  with_receipt: number;
  gas: string;
  fee: string;
};

/** Sums by chain. */
export const addSent = (all: readonly SentHour[]): SentHour[] =>
  joined(
    all.map((sent) => ({ ...sent, key: String(sent.chain_id) })),
    (left, right) => ({
      ...left,
      transactions: left.transactions + right.transactions,
      stored: left.stored + right.stored,
      failed: left.failed + right.failed,
      not_needed: left.not_needed + right.not_needed,
      with_receipt: left.with_receipt + right.with_receipt,
      gas: String(BigInt(left.gas) + BigInt(right.gas)),
      fee: String(BigInt(left.fee) + BigInt(right.fee)),
    }),
  ).map(({ key: _key, ...sent }) => sent);

/** One transaction as what was sent. */
export const sentOf = ({ chain_id, state, gas_used, fee }: TransactionDocument): SentHour => ({
  chain_id,
  transactions: 1,
  stored: state === 'stored' ? 1 : 0,
  failed: state === 'failed' ? 1 : 0,
  not_needed: state === 'not_needed' ? 1 : 0,
  with_receipt: fee === undefined ? 0 : 1,
  gas: gas_used ?? '0',
  fee: fee ?? '0',
});

/** Whether the account of this node sent it. */
export const isSentBy = (member: Member, { transmitter }: TransactionDocument): boolean =>
  transmitter.toLowerCase() === member.transmitter.toLowerCase();

/** Wei of an account on one chain after the newest block that is known of. */
export type BalanceHour = { chain_id: number; block: number; balance: string };

/** The newest of each chain. */
export const addBalances = (all: readonly BalanceHour[]): BalanceHour[] =>
  joined(
    all.map((one) => ({ ...one, key: String(one.chain_id) })),
    (left, right) => (right.block >= left.block ? right : left),
  ).map(({ key: _key, ...one }) => one);

/** What the sender had after the block of a transaction; nothing where that was not recorded. */
export const balanceOf = ({ chain_id, block_number, balance_after }: TransactionDocument): BalanceHour[] =>
  block_number === null || balance_after == null ? [] : [{ chain_id, block: block_number, balance: balance_after }];
