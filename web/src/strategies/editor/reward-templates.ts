import type { Vault } from '../../data/queries.ts';
import { type Reward, rewardName } from '../rewards.ts';
import type { Lane } from '../types.ts';
import { condition, type Draft, newDraft, suggestedId } from './draft.ts';
import type { Template } from './template.ts';

type Written = {
  lane: Lane;
  name: string;
  about: string;
  rule: string;
  cooldown: string;
  action: Partial<Draft['action']> & Pick<Draft['action'], 'action'>;
};

function draftOf(vault: Vault, { lane, name, rule, cooldown, action }: Written): Draft {
  const base = newDraft(lane);
  return {
    ...base,
    name,
    id: suggestedId(name, vault.vault_address),
    rule: { ...base.rule, children: [condition(rule)] },
    action: { ...base.action, ...action },
    cooldown,
  };
}

/** What one can begin with where a source of the vault pays rewards: to claim them, and to swap them where there is a pool. */
export function rewardTemplates(vault: Vault, rewards: readonly Reward[]): Template[] {
  return rewards.flatMap((reward) => {
    const { distributor, token, pool } = reward;
    const name = rewardName(vault, reward);
    const held = `token_${token.toLowerCase()}`;
    const claim: Written = {
      lane: 'WITHDRAWAL',
      name: `Claim ${name}`,
      about: 'Once a day, all of it that can be claimed is claimed, while there is any.',
      rule: `merkl_${distributor.toLowerCase()}_amount > 0`,
      cooldown: '1 d',
      action: { action: 'CLAIM', target_address: distributor },
    };
    const swap: Written = {
      lane: 'REBALANCE',
      name: `Swap ${name}`,
      about: `When what the vault holds of it is worth more than 0.01 % of the vault, all of it is swapped into ${vault.asset.symbol}.`,
      rule: `${held}_worth > vault_tvl * (0.01 %)`,
      cooldown: '1 h',
      action: { action: 'SWAP', target_address: pool ?? '', from_address: token, size_expr: `${held}_amount` },
    };
    return (pool === null ? [claim] : [claim, swap]).map((written) => ({
      id: `${written.action.action.toLowerCase()}-${distributor.toLowerCase()}`,
      name: written.name,
      about: written.about,
      draft: draftOf(vault, written),
    }));
  });
}
