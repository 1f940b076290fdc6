import { defineCollection } from '@castellan/service-kit';
import type { StrategyRun, TickOutcome } from '@castellan/strategy';
import type { Connection } from 'mongoose';
import { z } from 'zod';

/** What became of the last look at a strategy: what the language says, or why it was not asked. */
export type RunOutcome = TickOutcome | 'blocked';

/** What a strategy remembers from block to block, and what was last made of it. */
export type RunDocument = {
  /** The strategy's id. */
  _id: string;
  chain_id: number;
  /** Lower case. */
  vault: string;
  /** Of the strategy; another one has not held for a single tick yet. */
  version: number;
  run: StrategyRun;
  /** When it had fired before the last time: what holds again if that intent was never sent. */
  fired_before_ms: number | null;
  /** How often in a row the rule had held before it fired; the same. Absent in former documents. */
  held_before?: number;
  /** Of the last tick; null before the first. */
  block_number: number | null;
  block_hash: string | null;
  outcome: RunOutcome;
  /** Set when it is blocked. */
  code: string | null;
  because: string;
  at: string;
  /** Transactions in a row that the chain took and reverted. */
  reverted: number;
  /** The first block at which the vault lacked what the strategy needs; null while it has all. Absent in former documents. */
  lacking_since?: number | null;
};

export const strategyRuns = defineCollection({
  name: 'strategy_runs',
  kept: 'truth',
  about: 'What a strategy remembers from block to block.',
  shape: z.custom<RunDocument>(),
  indexes: [{ keys: { chain_id: 1, vault: 1 } }],
});

export type RunStore = {
  get(id: string): Promise<RunDocument | null>;
  ofVault(chainId: number, vault: string): Promise<RunDocument[]>;
  save(run: RunDocument): Promise<void>;
  /** The intent of a block was interrupted and never sent: its cooldown is not spent. */
  unfire(id: string, block: number): Promise<void>;
  /** @returns how many in a row it is now. */
  countReverted(id: string): Promise<number>;
  clearReverted(id: string): Promise<void>;
};

export function mongoRuns(connection: Connection): RunStore {
  const runs = strategyRuns.open(connection);
  return {
    get: (id) => runs.findOne({ _id: id }),
    ofVault: (chainId, vault) => runs.find({ chain_id: chainId, vault: vault.toLowerCase() }).toArray(),
    async save({ _id, reverted: _reverted, ...fields }) {
      await runs.updateOne({ _id }, { $set: fields, $setOnInsert: { reverted: 0 } }, { upsert: true });
    },
    async unfire(id, block) {
      const fired = { _id: id, block_number: block, outcome: 'fired' } as const;
      const found = await runs.findOne(fired);
      if (!found) return;
      await runs.updateOne(fired, {
        $set: {
          'run.fired_at_ms': found.fired_before_ms,
          'run.held_ticks': found.held_before ?? 0,
          block_hash: null,
        },
      });
    },
    async countReverted(id) {
      const found = await runs.findOneAndUpdate({ _id: id }, { $inc: { reverted: 1 } }, { returnDocument: 'after' });
      return found?.reverted ?? 1;
    },
    async clearReverted(id) {
      await runs.updateOne({ _id: id }, { $set: { reverted: 0 } });
    },
  };
}
