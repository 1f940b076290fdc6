import { type ActionSchema, type Context, Strategies } from 'moleculer';

/** What moleculer's strategy has and its types leave out. */
type Sharding = { getKeyFromContext(ctx: Context): unknown; getHash(key: string): number };

/**
 * moleculer's shard strategy, which has nothing to say while the node of a key cannot be asked (its circuit is open, or the ring was
 * made without the others) and would fail the call: then the others take the key over, each caller choosing the same one.
 */
class ShardStrategy extends Strategies.Shard {
  override select(list: Parameters<InstanceType<typeof Strategies.Shard>['select']>[0], ctx: Context) {
    const chosen: (typeof list)[number] | undefined = super.select(list, ctx);
    if (chosen) return chosen;
    const { getKeyFromContext, getHash } = this as unknown as Sharding;
    const hash = getHash.call(this, String(getKeyFromContext.call(this, ctx)));
    const others = list.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    return others[hash % others.length] as (typeof list)[number];
  }
}

// By moleculer's own name: a caller of an earlier version finds the built-in one.
Strategies.register('Shard', ShardStrategy as never);

/** Shares an action's calls out among instances by one param: those with the same value go to the same instance while it is there. */
export const sharedOutBy = (shardKey: string): Pick<ActionSchema, 'strategy' | 'strategyOptions'> => ({
  strategy: 'Shard',
  strategyOptions: { shardKey },
});
