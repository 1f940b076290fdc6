import type { Address } from 'viem';
import type { StoredDefinition } from '../../strategies/domain/strategy.ts';
import { Refusal } from './refusal.ts';

/** One call of a hook: assets into a yield source, or shares of a source back into assets. */
export type Leg = {
  readonly action: 'DEPOSIT' | 'WITHDRAWAL';
  readonly source: Address;
  /** The hook that the strategy names; null for any of the registry that does this. */
  readonly hook: Address | null;
};

/**
 * What an action is made of, in the order of its one transaction: each leg after the first moves what came out of the leg before it.
 * A rebalance names the hook that deposits; what it takes out goes through any hook of the registry that the root in force allows.
 * @throws Refusal ACTION_UNSUPPORTED
 */
export function legsOf(config: StoredDefinition['action_config']): readonly [Leg, ...Leg[]] {
  const { action } = config;
  const [target, hook] = [config.target_address as Address, config.execution_address as Address | null];
  if (action === 'DEPOSIT' || action === 'WITHDRAWAL') return [{ action, source: target, hook }];
  if (action !== 'REBALANCE') throw new Refusal('ACTION_UNSUPPORTED', `The keeper does not carry out ${action}.`);
  const from = config.from_address as Address | null;
  if (from === null || from.toLowerCase() === target.toLowerCase())
    throw new Refusal('ACTION_UNSUPPORTED', 'A rebalance takes from one source and gives to another.');
  return [
    { action: 'WITHDRAWAL', source: from, hook: null },
    { action: 'DEPOSIT', source: target, hook },
  ];
}
