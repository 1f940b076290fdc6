import { defineCollection, isDuplicateKey, LeaseLost, recorder } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { Address, Hash, Hex } from 'viem';
import { z } from 'zod';
import { pendingOf } from '../../strategies/change-events.ts';
import type { KeeperRun } from '../../strategies/domain/keeper-record.ts';
import type { AlertSignal } from '../../strategies/domain/strategy.ts';
import type { Hour } from '../domain/hour.ts';
import { type Outcome, signalOf } from '../domain/outcome.ts';
import type { Pace, RedemptionKind, Turn } from '../domain/pace.ts';
import { keeperRuns } from '../models.ts';

/** Why a transaction that a node may have is given up. */
export type GivenUp = 'EXPIRED' | 'KILL_SWITCH';

/** One signed form of a transaction; those of one transaction share its nonce, so that one of them at most is mined. */
export type Attempt = {
  readonly hash: Hash;
  readonly raw: Hex;
  readonly max_fee: string;
  readonly tip: string;
  /** `cancel` uses the nonce up and does nothing else. */
  readonly kind: 'deliver' | 'cancel';
  /** Why it is given up; only of a `cancel`. */
  readonly code?: GivenUp;
  /** The head when it was signed. */
  readonly block: number;
};

/** A transaction of the keeper on its way, stored before it is sent. */
export type Open = {
  /** The intent's id, or what a redemption run is called. */
  readonly key: string;
  readonly kind: Turn;
  readonly account: Address;
  readonly nonce: number;
  readonly to: Address;
  readonly data: Hex;
  readonly gas: string;
  readonly attempts: readonly Attempt[];
  /** When it was first signed; absent of a keeper that did not note it yet. */
  readonly begun_at?: string;
  /** Whether any node may have seen it; stored before the first is asked. */
  readonly offered: boolean;
  /** After this it is worth no more than its nonce. */
  readonly expires_at: string;
};

export type Paying = { readonly [kind in RedemptionKind]?: Pace | null };

/** What the keeper keeps of a vault: the one transaction on its way, and up to which block it has acted. */
export type Kept = {
  readonly _id: string;
  readonly chain_id: number;
  readonly vault: string;
  /** Of the lease under which it was last written: who holds an older one is refused. */
  readonly token: number;
  readonly revision: number;
  readonly open: Open | null;
  /** Nothing is decided on a snapshot below this block: it would not know what the keeper did. */
  readonly settled_block: number;
  /** Transactions for those who hold shares in the hour that began then; null before the first. */
  readonly hour: Hour | null;
  /** What its last transaction was for. */
  readonly last_turn: Turn | null;
  /** Kinds of requests of which a transaction has failed. */
  readonly paying: Paying;
  /** What failed when it was last done: of these the alerts know. */
  readonly failing: readonly string[];
};

type Document = Kept & {
  /** Chain, account and nonce of the open transaction; absent without one. Unique. */
  slot?: string;
};

export const keeperVaults = defineCollection({
  name: 'keeper_vaults',
  kept: 'truth',
  about: 'The open transaction of a vault, and up to which block the keeper has acted.',
  shape: z.custom<Document>(),
  indexes: [{ keys: { slot: 1 }, unique: true, only: { slot: { $exists: true } } }, { keys: { chain_id: 1 } }],
});

const slotOf = (chainId: number, { account, nonce }: Open): string => `${chainId}:${account.toLowerCase()}:${nonce}`;
const keptOf = ({ slot: _slot, ...kept }: Document): Kept => ({
  ...kept,
  hour: kept.hour ?? null,
  last_turn: kept.last_turn ?? null,
  paying: kept.paying ?? {},
  failing: kept.failing ?? [],
  // One of a keeper that did not note it yet may have been seen.
  open: kept.open && { ...kept.open, offered: kept.open.offered ?? true },
});

/** What an outcome changes of a vault, and the signal that is stored in the same transaction. */
function newsOf(kept: Kept, outcome: Outcome) {
  const signal = signalOf(kept, outcome);
  if (!signal) return undefined;
  const others = kept.failing.filter((subject) => subject !== outcome.subject);
  const failing = signal.state === 'failing' ? [...others, outcome.subject] : others;
  return { $set: { failing }, signal };
}

/** How a transaction ended: the block that it acted in, what the alerts hear of it, how requests are paid from now on. */
export type Over = {
  readonly block?: number;
  readonly outcome?: Outcome | undefined;
  readonly paying?: Paying | undefined;
  readonly run?: KeeperRun;
};

export type Journal = {
  /** From now on every write under an older lease is refused. */
  claim(chainId: number, token: number): Promise<void>;
  /** Transactions on their way, by nonce. */
  open(chainId: number): Promise<(Kept & { open: Open })[]>;
  /** Vaults of which something failed when it was last done. */
  failing(chainId: number): Promise<Pick<Kept, 'chain_id' | 'vault'>[]>;
  /** @throws LeaseLost */
  vault(key: { chainId: number; vault: string }, token: number): Promise<Kept>;
  /** @returns null when the nonce is taken by another vault's transaction. @throws LeaseLost */
  begin(kept: Kept, open: Open, changes?: { hour: Hour; paying: Paying }): Promise<Kept | null>;
  /** Notes that a node is about to see the open transaction. @throws LeaseLost */
  offer(kept: Kept & { open: Open }): Promise<Kept & { open: Open }>;
  /** Adds a replacement of the same nonce. @throws LeaseLost */
  replace(kept: Kept & { open: Open }, attempt: Attempt): Promise<Kept & { open: Open }>;
  /** The transaction is over, and so ended what it was for; what is kept of it is stored in the same step. @throws LeaseLost */
  close(kept: Kept, over?: Over): Promise<Kept>;
  /** Notes how requests are to be paid from now on. @throws LeaseLost */
  pace(kept: Kept, paying: Paying): Promise<Kept>;
  /** How something ended that came to no transaction. Writes only what is news. @throws LeaseLost */
  note(kept: Kept, outcome: Outcome): Promise<Kept>;
};

export function mongoJournal(connection: Connection): Journal {
  const vaults = keeperVaults.open(connection);
  // The keeper has no outbox of its own: what it records here is published by the vaults service, whose store this is.
  const recordWith = recorder(connection);
  const runs = keeperRuns.open(connection);
  const change = async (
    kept: Kept,
    update: Record<string, unknown>,
    { signal, run }: { signal?: AlertSignal | undefined; run?: KeeperRun | undefined } = {},
  ): Promise<Kept> => {
    const filter = { _id: kept._id, token: kept.token, revision: kept.revision };
    const next = { ...update, $inc: { revision: 1 } } as never;
    const after =
      signal || run
        ? await recordWith(signal ? [pendingOf(signal)] : [], async (session) => {
            const written = await vaults.findOneAndUpdate(filter, next, { session, returnDocument: 'after' });
            if (written && run) await runs.replaceOne({ _id: run._id }, run, { session, upsert: true });
            return written;
          })
        : await vaults.findOneAndUpdate(filter, next, { returnDocument: 'after' });
    if (!after) throw new LeaseLost(`keeper:${kept.chain_id}`, `Another keeper has written ${kept._id}.`);
    return keptOf(after);
  };
  return {
    async claim(chainId, token) {
      await vaults.updateMany({ chain_id: chainId, token: { $lt: token } }, { $set: { token }, $inc: { revision: 1 } });
    },
    async open(chainId) {
      const found = await vaults.find({ chain_id: chainId, slot: { $exists: true } }).toArray();
      const open = found.map(keptOf).filter((kept): kept is Kept & { open: Open } => kept.open !== null);
      return open.sort((a, b) => a.open.nonce - b.open.nonce);
    },
    failing: (chainId) =>
      vaults
        .find({ chain_id: chainId, failing: { $exists: true, $ne: [] } }, { projection: { chain_id: 1, vault: 1 } })
        .toArray(),
    async vault({ chainId, vault }, token) {
      const _id = `${chainId}:${vault.toLowerCase()}`;
      const fresh = { chain_id: chainId, vault: vault.toLowerCase(), revision: 0, open: null, settled_block: 0 };
      try {
        const found = await vaults.findOneAndUpdate(
          { _id, token: { $lte: token } },
          { $set: { token }, $setOnInsert: fresh },
          { upsert: true, returnDocument: 'after' },
        );
        if (found) return keptOf(found);
      } catch (error) {
        // The upsert met the document of a newer lease.
        if (!isDuplicateKey(error)) throw error;
      }
      throw new LeaseLost(`keeper:${chainId}`, `Another keeper works on ${_id}.`);
    },
    async begin(kept, open, changes) {
      try {
        const slot = slotOf(kept.chain_id, open);
        return await change(kept, { $set: { open, slot, last_turn: open.kind, ...changes } });
      } catch (error) {
        if (isDuplicateKey(error)) return null;
        throw error;
      }
    },
    async offer(kept) {
      const open: Open = { ...kept.open, offered: true };
      return { ...(await change(kept, { $set: { open } })), open };
    },
    async replace(kept, attempt) {
      const open: Open = { ...kept.open, attempts: [...kept.open.attempts, attempt] };
      return { ...(await change(kept, { $set: { open } })), open };
    },
    close(kept, { block, outcome, paying, run } = {}) {
      const news = outcome && newsOf(kept, outcome);
      const closed = {
        open: null,
        ...(block === undefined ? {} : { settled_block: block }),
        ...(paying && { paying }),
        ...news?.$set,
      };
      return change(kept, { $set: closed, $unset: { slot: '' } }, { signal: news?.signal, run });
    },
    pace: (kept, paying) => change(kept, { $set: { paying } }),
    async note(kept, outcome) {
      const news = newsOf(kept, outcome);
      return news ? change(kept, { $set: news.$set }, { signal: news.signal }) : kept;
    },
  };
}
