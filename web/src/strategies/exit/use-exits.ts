import type { Vault } from '../../data/queries.ts';
import { isOwn, type Lock, type Strategy, sourcesOf } from '../types.ts';
import { useShard, useStrategyList } from '../use-strategies.ts';

const addressOf = ({ action_config }: Strategy): string => action_config.target_address.toLowerCase();

/** What the list calls armed and what the engine has locked must be the same. */
export const agree = (exits: readonly Strategy[], locks: readonly Lock[]): boolean => {
  const armed = exits.filter(({ state }) => state === 'RUNNING').map(addressOf);
  const locked = locks.map(({ target_address }) => target_address.toLowerCase());
  return armed.toSorted().join() === locked.toSorted().join();
};

/**
 * Emergency exits with the locks they hold. Closed unless both were read and say the same: who arms an exit has to see what
 * is locked already. `known` is what was read last, also then.
 */
export function useExits(vault: Vault) {
  const list = useStrategyList(vault);
  const shard = useShard(vault);
  const error = list.error ?? shard.error;
  const retry = () => {
    void list.refetch();
    void shard.refetch();
  };
  const known =
    list.data === undefined || shard.data === undefined
      ? undefined
      : exitsOf(vault, list.data.strategies, shard.data?.emergency_locks ?? []);
  // A failed update leaves old locks behind, which may not be the ones there are.
  if (error !== null) return { status: 'closed', error, retry, known } as const;
  if (known === undefined) return { status: 'reading', known } as const;
  if (!agree(known.exits, known.locks)) return { status: 'unclear', retry, known } as const;
  return { status: 'open', known } as const;
}

function exitsOf(vault: Vault, strategies: readonly Strategy[], locks: readonly Lock[]) {
  // Armed ones first, then as the vault lists its sources.
  const place = (exit: Strategy) =>
    (exit.state === 'RUNNING' ? 0 : 1_000) +
    sourcesOf(vault).findIndex(({ source_address }) => source_address.toLowerCase() === addressOf(exit));
  return {
    exits: strategies.filter((strategy) => !isOwn(strategy)).toSorted((a, b) => place(a) - place(b)),
    locks,
    // Strategies of managers, which a lock stops.
    own: strategies.filter((strategy) => isOwn(strategy) && strategy.state !== 'ARCHIVED'),
  };
}
