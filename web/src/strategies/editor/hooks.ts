import { useRead } from '@castellan/react';
import { useMemo } from 'react';
import { sameAddress } from '../../format/address.ts';
import type { Action } from '../types.ts';
import type { Draft } from './draft.ts';

/** A hook of the registry as it is on the chain of the vault. */
export type Hook = { readonly name: string; readonly hook_type: string; readonly address: string };

/** The hooks of the registry that are on a chain, and how the read of them goes. */
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
  return { read, hooks };
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

/** The hook after the action has changed: what still fits stays, and so does an address that somebody wrote; a hook of another kind goes. */
export function hookAfter(hooks: readonly Hook[], before: Executed, next: Action): Executed {
  const fitting = fittingHooks(hooks, next);
  const isIn = (some: readonly Hook[]) => some.some(({ address }) => sameAddress(address, before.execution_address));
  const { execution_address, execution_name } = before;
  if (isIn(fitting) || (execution_address !== '' && !isIn(hooks))) return { execution_address, execution_name };
  return executedBy(fitting.length === 1 ? fitting[0] : undefined);
}
