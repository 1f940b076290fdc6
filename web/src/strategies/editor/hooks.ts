import { useRead } from '@castellan/react';
import { useMemo } from 'react';
import { useLastingError } from '../../data/lasting-error.ts';
import { sameAddress } from '../../format/address.ts';
import type { Action } from '../types.ts';
import type { Draft } from './draft.ts';

/** A hook of the registry as it is on the chain of the vault. */
export type Hook = { readonly name: string; readonly hook_type: string; readonly address: string };

/** The hooks of the registry that are on a chain, and how the read of them goes: `isAsked` before the first answer or failure. */
export function useHooks(chainId: number) {
  const read = useRead('registryHooks', { query: { chain_id: String(chainId), is_active: 'true', limit: '500' } });
  const { data } = read;
  const hooks = useMemo(
    () =>
      (data?.hooks ?? []).flatMap(({ name, hook_type, addresses }): Hook[] => {
        const address = addresses.find(({ chain_id }) => chain_id === chainId)?.address;
        return address === undefined ? [] : [{ name, hook_type, address }];
      }),
    [data, chainId],
  );
  const isAsked = useLastingError(read) === null && data === undefined;
  return { read, hooks, isAsked };
}

/** What the hook does that a strategy names: a rebalance leaves its source by whichever hook the tree in force allows. */
const hookTypeOf = (action: Action): string => (action === 'REBALANCE' ? 'DEPOSIT' : action);

export const fittingHooks = (hooks: readonly Hook[], action: Action): Hook[] =>
  hooks.filter(({ hook_type }) => hook_type === hookTypeOf(action));

type Executed = Pick<Draft['action'], 'execution_address' | 'execution_name'>;

export const executedBy = (hook: Hook | undefined): Executed => ({
  execution_address: hook?.address ?? '',
  execution_name: hook?.name ?? '',
});

/** A draft without a hook has the one that fits, where there is no other to choose. */
export function withOnlyHook(draft: Draft, hooks: readonly Hook[]): Draft {
  const [only, ...others] = fittingHooks(hooks, draft.action.action);
  if (only === undefined || others.length > 0 || draft.action.execution_address !== '') return draft;
  return { ...draft, action: { ...draft.action, ...executedBy(only) } };
}

/**
 * The hook after the action has changed: what still fits stays, and so does an address that somebody wrote; a hook of another kind
 * goes. `hooks` is undefined while the registry is not read: nobody knows then whether an address is one of them, and it would be
 * executed for what it does not do.
 */
export function hookAfter(hooks: readonly Hook[] | undefined, before: Draft['action'], next: Action): Executed {
  const { execution_address, execution_name } = before;
  if (hooks === undefined)
    return hookTypeOf(before.action) === hookTypeOf(next)
      ? { execution_address, execution_name }
      : executedBy(undefined);
  const fitting = fittingHooks(hooks, next);
  const isIn = (some: readonly Hook[]) => some.some(({ address }) => sameAddress(address, execution_address));
  if (isIn(fitting) || (execution_address !== '' && !isIn(hooks))) return { execution_address, execution_name };
  return executedBy(fitting.length === 1 ? fitting[0] : undefined);
}
