import {
  AppError,
  type Caller,
  type CreateHook,
  type DeleteHook,
  isUnbound,
  type ListHooks,
  type ParamsOf,
  type RegistryHook,
  type ResultOf,
  type UpdateHook,
} from '@castellan/contracts';
import { requireWallet } from '../../vault/use-cases/caller.ts';
import type { HookStore } from '../adapters/hook-store.mongo.ts';
import { writtenBy } from '../audit.ts';

export type RegistryPorts = {
  hooks: HookStore;
  /** Wallets that write the registry, lower case. */
  maintainers: ReadonlySet<string>;
  now: () => number;
  newId: () => string;
};

/** @throws AppError TOKEN_MISSING; ROLE_REQUIRED. */
function requireMaintainer({ maintainers }: RegistryPorts, caller: Caller | undefined): string {
  const wallet = requireWallet(caller);
  // What a token bound to one vault, or a contract of one chain, could change here would concern all of them.
  if (maintainers.has(wallet) && isUnbound(caller)) return wallet;
  throw new AppError('ROLE_REQUIRED', 'Only maintainers of the registry can write it.', {
    data: { required_role: 'registry_maintainer', role: null },
  });
}

const missing = () => new AppError('HOOK_NOT_FOUND', 'There is no hook of this id in the registry.');

export const registryUseCases = (ports: RegistryPorts) => {
  const { hooks } = ports;
  const change = (action: string, actor: string, details: Record<string, unknown>) => {
    const at = new Date(ports.now());
    return { at, row: writtenBy({ action, actor, at, details }) };
  };
  return {
    list: async (
      { chain_id: chainId, is_active: isActive, limit, cursor }: ParamsOf<typeof ListHooks>,
      caller: Caller | undefined,
    ): Promise<ResultOf<typeof ListHooks>> => {
      requireWallet(caller);
      return hooks.page({ chainId, isActive }, limit, cursor);
    },
    create: async (draft: ParamsOf<typeof CreateHook>, caller: Caller | undefined): Promise<RegistryHook> => {
      const wallet = requireMaintainer(ports, caller);
      const id = ports.newId();
      return hooks.insert(id, draft, change('registry_hook_created', wallet, { hook_id: id, ...draft }));
    },
    update: async (
      { id, version, ...draft }: ParamsOf<typeof UpdateHook>,
      caller: Caller | undefined,
    ): Promise<RegistryHook> => {
      const wallet = requireMaintainer(ports, caller);
      if (!(await hooks.get(id))) throw missing();
      const changed = change('registry_hook_updated', wallet, { hook_id: id, ...draft });
      const updated = await hooks.update(id, version, draft, changed);
      if (!updated)
        throw new AppError(
          'VERSION_CONFLICT',
          'The hook has changed since you read it. Read it again and repeat the change.',
        );
      return updated;
    },
    remove: async ({ id }: ParamsOf<typeof DeleteHook>, caller: Caller | undefined): Promise<null> => {
      const wallet = requireMaintainer(ports, caller);
      const hook = await hooks.get(id);
      const removed = change('registry_hook_deleted', wallet, { hook_id: id, name: hook?.name ?? null });
      if (!hook || !(await hooks.remove(id, removed))) throw missing();
      return null;
    },
  };
};
