import type { Vault } from '../data/queries.ts';
import { isOfRewards, type Reward } from '../strategies/rewards.ts';
import { hasRow } from './presets.ts';
import type { Hook, HookRow } from './types.ts';

type Filling = {
  vault: Pick<Vault, 'asset' | 'strategy_address'>;
  hooks: readonly Hook[];
  rows: readonly HookRow[];
  rewards: readonly Reward[];
};

/** Whether a hook claims or swaps rewards. */
export const actsOnReward = ({ hook_type }: Hook): boolean => isOfRewards(hook_type);

/** What the parameters of hooks for rewards are, by their names; undefined for what nobody here knows. */
function answerOf({ vault }: Filling, hook: Hook, reward: Reward, name: string): string | null | undefined {
  if (name === 'owner') return vault.strategy_address;
  if (hook.hook_type === 'CLAIM') return { distributor: reward.distributor, token: reward.token }[name];
  return { pool: reward.pool, token_in: reward.token, token_out: vault.asset.address }[name];
}

function rowOf(of: Filling, hook: Hook, reward: Reward): HookRow | undefined {
  const params: Record<string, string> = {};
  for (const { name } of hook.inspect_params) {
    const value = answerOf(of, hook, reward, name);
    if (value === undefined || value === null) return undefined;
    params[name] = value;
  }
  return { hook_id: hook.id, params };
}

/** The rows that are missing so that each reward can be claimed and swapped, by the first hook of the registry that fits; or why none is. */
export function missingRewardRows(of: Filling): { rows: HookRow[] } | { reason: string } {
  const wanted = of.rewards.flatMap((reward) =>
    (['CLAIM', 'SWAP'] as const).flatMap((type) => {
      const possible = of.hooks
        .filter(({ hook_type }) => hook_type === type)
        .flatMap((hook) => rowOf(of, hook, reward) ?? []);
      return possible.some((row) => hasRow(of.rows, row)) ? [] : possible.slice(0, 1);
    }),
  );
  return wanted.length === 0 ? { reason: 'Each reward that a hook fits has its rows here.' } : { rows: wanted };
}
