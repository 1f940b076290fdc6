import type { EventData, RoundFinished } from '@castellan/contracts';

type Finished = EventData<typeof RoundFinished>;

/** One finished round as the nodes reported it; `observers` and `signers` are what any of them named. */
export type RoundDocument = Pick<Finished, 'epoch' | 'round' | 'leader' | 'outcome' | 'observers' | 'signers'> & {
  /** Rounds of a former version say nothing of what was observed. */
  prices: (Omit<Finished['prices'][number], 'pps' | 'observed'> & Partial<Finished['prices'][number]>)[];
  /** `<digest>:<epoch>:<round>`. */
  _id: string;
  digest: string;
  /** `<chain_id>:<strategy>`, lower case. */
  strategies: string[];
  finished_at: Date;
  /** When each node, by its place, said that it ended; absent in rounds of a former version. */
  reports?: Record<string, Date>;
  /** How many of `observers` there are: what rounds that lack a node are found by. */
  observed?: number;
};

/** What a leader said of a round as it ran: when it began, and whose observations it did not use. */
export type MarkDocument = {
  /** `<digest>:<epoch>:<round>`. */
  _id: string;
  started_at: Date;
  dropped?: { observer: number; reason: string }[];
  /** Absent, with `open`, in marks of a former version. */
  digest?: string;
  leader?: number | null;
  /** Until any node says that the round ended. */
  open?: true;
};

/** A round that began this long ago and has not ended never will. */
export const LOST_AFTER_MS = 60_000;

/** A transaction with prices, as its sender reported it, with its receipt; wei as decimal strings. */
export type TransactionDocument = {
  /** `<chain_id>:<tx_hash>`; without a hash, by node and round. */
  _id: string;
  chain_id: number;
  digest: string;
  epoch: number;
  round: number;
  node_id: string;
  node_index: number | null;
  transmitter: string;
  strategies: string[];
  tx_hash: string | null;
  /** Absent in those of a former version, and in what was never sent. */
  nonce?: number;
  /** The form of the same transmission that the chain took instead; null when it took none. Absent in what the sender said the end of. */
  replaced_by?: string | null;
  state: 'sent' | 'mined' | 'stored' | 'failed' | 'not_needed';
  reason: string | null;
  block_number: number | null;
  sent_at?: Date;
  mined_at?: Date;
  ended_at?: Date;
  /** The last that was heard of it; what the store forgets it by. */
  at: Date;
  gas_used?: string;
  gas_price?: string;
  fee?: string;
  balance_after?: string | null;
};

/** The members of a configuration that any node ran, and its pace. */
export type MembershipDocument = Pick<ConfigDocument, 'oracles' | 'round_seconds' | 'heartbeat_seconds'> & {
  /** The digest. */
  _id: string;
  since: Date;
};

/** A node, by its id, as it last reported itself. */
export type NodeDocument = { _id: string; digest: string | null; node_index: number | null; last_seen: Date };

/** The configuration of the network as it is stored. */
export type ConfigDocument = {
  /** The newest configuration any node runs. */
  _id: 'current';
  chain_id: number;
  version: number;
  digest: string;
  quorum: number;
  f: number;
  round_seconds: number;
  heartbeat_seconds: number;
  oracles: { index: number; signer: string; transmitter: string }[];
  since: Date;
};

/** What each node last said of a strategy. */
export type StrategyDocument = {
  /** `<chain_id>:<strategy>`, lower case. */
  _id: string;
  chain_id: number;
  strategy: string;
  reports: Record<string, { seq: number; is_stale: boolean; since: Date }>;
};

/**
 * Since when a strategy is stale: when any member of the network says so, for each watches the chain itself. What a node said
 * before it left the network does not count: nobody would ever take it back.
 * @param members - Node ids that run the newest configuration.
 */
export function staleSince({ reports }: Pick<StrategyDocument, 'reports'>, members: ReadonlySet<string>): Date | null {
  const stale = Object.entries(reports).filter(([nodeId, { is_stale }]) => is_stale && members.has(nodeId));
  return stale.length === 0 ? null : new Date(Math.min(...stale.map(([, { since }]) => since.getTime())));
}
