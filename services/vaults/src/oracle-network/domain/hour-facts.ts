import type { MarkDocument, RoundDocument, TransactionDocument } from './validator-network.ts';

/** An hour in milliseconds; hours are those of UTC. */
export const HOUR_MS = 3_600_000;

/** A node of a configuration. `key` is its signer in lower case: that stays when its place changes. */
export type Member = {
  key: string;
  index: number;
  node_id: string | null;
  signer: string;
  transmitter: string;
};

/** A price that was sent; times in milliseconds. */
export type SentPrice = { key: string; status: string; at: number; reportedFor: number };

/** What an hour is added up of. */
export type HourFacts = {
  /** Of the hour, in milliseconds: what began before it is of another. */
  from: number;
  rounds: readonly RoundDocument[];
  /** Rounds that began within the hour, or soon before it. */
  marks: readonly MarkDocument[];
  /** Ids of rounds that ended, within the hour or soon after it. */
  finished: ReadonlySet<string>;
  /** That ended within the hour. */
  transactions: readonly TransactionDocument[];
  prices: readonly SentPrice[];
  membersOf: (digest: string) => readonly Member[];
  /** Milliseconds between two stored prices of a strategy that are no delay; null while its rules are not known. */
  paceOf: (key: string) => number | null;
};
