import type { Vault } from '../data/queries.ts';
import { ReasonedButton } from '../design/reasoned-button.tsx';
import { formatCounted } from '../format/figures.ts';
import { rewardName } from '../strategies/rewards.ts';
import { useRewards } from '../strategies/use-strategies.ts';
import { actsOnReward, missingRewardRows } from './reward-presets.ts';
import type { Hook, HookRow } from './types.ts';

type Props = {
  vault: Vault;
  hooks: readonly Hook[];
  rows: readonly HookRow[];
  onAdd: (rows: readonly HookRow[]) => void;
};

/** Rows by which rewards of the vault's sources are claimed and swapped; nothing where there are none. */
export function RewardRows({ vault, hooks, rows, onAdd }: Props) {
  const rewards = useRewards(vault, hooks.some(actsOnReward));
  if (rewards.length === 0) return null;
  const missing = missingRewardRows({ vault, hooks, rows, rewards });
  return (
    <div className="flex flex-col gap-2 rounded-control border p-3">
      <ReasonedButton
        reason={'reason' in missing ? missing.reason : null}
        onPress={() => 'rows' in missing && onAdd(missing.rows)}
      >
        Claim and swap all my rewards
      </ReasonedButton>
      <p className="text-12 text-muted">
        {'rows' in missing ? `Fills in ${formatCounted(missing.rows.length, 'missing row')}. ` : ''}
        {`Rewards: ${rewards.map((reward) => rewardName(vault, reward)).join(', ')}.`}
      </p>
    </div>
  );
}
