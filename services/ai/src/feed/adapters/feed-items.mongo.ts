import { feedSeverities } from '@castellan/contracts';
import { isDuplicateKey } from '@castellan/service-kit';
import type { Notable } from '../domain/notable.ts';
import type { FeedCollections, StoredItem, StoredPart } from '../models/feed-collections.ts';

/** Several facts of one kind by one actor within this time are one item. */
const mergedWithinMs = 600_000;
/** Facts of one item, at most. */
const mostParts = 100;

/** A fact of the log, with its place. */
export type Fact = Notable & {
  chainId: number;
  vault: string;
  seq: number;
  block: number;
  t: Date;
  txHash: string | null;
};

const mergesOf = ({ chainId, vault, kind, topic, actor }: Fact): string =>
  [chainId, vault, kind, topic, actor?.toLowerCase() ?? ''].join(':');

const partOf = ({ seq, block, t, txHash, name, severity, actor, figures }: Fact): StoredPart => ({
  ...{ seq, block, t, tx_hash: txHash, name, severity, actor, figures },
  voided_by: null,
});

const worst = (parts: readonly StoredPart[]): StoredItem['severity'] =>
  feedSeverities.findLast((severity) => parts.some((part) => part.severity === severity)) ?? 'info';

/** What of an item follows from its parts: those that are void do not count. */
function summary(
  parts: readonly StoredPart[],
): Pick<StoredItem, 'severity' | 't' | 'order' | 'is_visible'> | undefined {
  const live = parts.filter(({ voided_by }) => voided_by === null);
  const [first] = live;
  return first && { severity: worst(live), t: first.t, order: first.seq, is_visible: true };
}

/** Facts of the log as items. Every write may be repeated, by another process at the same time, too, and changes nothing. */
export class FeedItems {
  readonly #items: FeedCollections['items'];

  constructor({ items }: Pick<FeedCollections, 'items'>) {
    this.#items = items;
  }

  /** Records a fact in the item it belongs to, or in one of its own. */
  async record(fact: Fact): Promise<void> {
    while (!(await this.#tryToRecord(fact)));
  }

  /** @returns false when another process wrote in between. */
  async #tryToRecord(fact: Fact): Promise<boolean> {
    const { chainId, vault, kind, seq } = fact;
    if (await this.#items.findOne({ chain_id: chainId, 'parts.seq': seq })) return true;
    const merges = mergesOf(fact);
    const part = partOf(fact);
    const since = new Date(fact.t.getTime() - mergedWithinMs);
    const open = await this.#items.findOne(
      {
        ...{ merges, is_visible: true, t: { $gte: since, $lte: fact.t }, order: { $lt: seq } },
        [`parts.${mostParts - 1}`]: { $exists: false },
      },
      { sort: { t: -1, order: -1 } },
    );
    try {
      if (!open) {
        await this.#items.insertOne({
          ...{ _id: `${chainId}-${seq}`, chain_id: chainId, vault, kind, severity: fact.severity, t: fact.t },
          ...{ order: seq, is_visible: true, rev: 1, merges, parts: [part], post: null },
        });
        return true;
      }
      const parts = [...open.parts, part];
      const written = await this.#items.updateOne(
        { _id: open._id, rev: open.rev },
        { $set: { parts, ...summary(parts) }, $inc: { rev: 1 } },
      );
      return written.matchedCount === 1;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return false;
    }
  }

  /** The rollback `by` takes every fact away that is of its blocks and stands before it in the log. */
  async void(chainId: number, { fromBlock, by }: { fromBlock: number; by: number }): Promise<void> {
    const concerned = { parts: { $elemMatch: { block: { $gte: fromBlock }, seq: { $lt: by }, voided_by: null } } };
    for (;;) {
      const items = await this.#items.find({ chain_id: chainId, ...concerned }).toArray();
      if (items.length === 0) return;
      for (const { _id, rev, parts: before } of items) {
        const parts = before.map((part) =>
          part.voided_by === null && part.block >= fromBlock && part.seq < by ? { ...part, voided_by: by } : part,
        );
        const $set = { parts, ...(summary(parts) ?? { is_visible: false }) };
        await this.#items.updateOne({ _id, rev }, { $set, $inc: { rev: 1 } });
      }
    }
  }
}
