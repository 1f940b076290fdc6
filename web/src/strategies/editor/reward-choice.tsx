import type { Vault } from '../../data/queries.ts';
import { Choice } from '../../design/choice.tsx';
import { shortHex } from '../../format/address.ts';
import { type Reward, rewardName, rewardOf } from '../rewards.ts';
import type { Draft } from './draft.ts';

type Props = {
  vault: Vault;
  draft: Draft;
  rewards: readonly Reward[];
  onChange: (part: Partial<Draft['action']>) => void;
};

/** What is claimed or swapped: a reward that the operator named for a source of the vault, and one that was saved before. */
export function RewardChoice({ vault, draft: { action }, rewards, onChange }: Props) {
  const { target_address: target, from_address: from } = action;
  const isSwap = action.action === 'SWAP';
  const named = rewards.filter(({ pool }) => !isSwap || pool !== null);
  const chosen = rewardOf(named, { action: action.action, target, from });
  const kept = chosen === undefined && target !== '' ? [{ value: target, label: `Unknown: ${shortHex(target)}` }] : [];
  const choose = (distributor: string) => {
    const reward = named.find((each) => each.distributor === distributor);
    onChange(
      isSwap
        ? { target_address: reward?.pool ?? '', from_address: reward?.token ?? null }
        : { target_address: reward?.distributor ?? '', from_address: null },
    );
  };
  return (
    <Choice
      label="Reward"
      value={chosen?.distributor ?? target}
      options={[
        ...(target === '' ? [{ value: '', label: 'Choose a reward' }] : kept),
        ...named.map((reward) => ({ value: reward.distributor, label: rewardName(vault, reward) })),
      ]}
      onChange={choose}
    />
  );
}
