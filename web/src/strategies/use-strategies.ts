import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApp } from '../client/services.ts';
import type { Vault } from '../data/queries.ts';
import { announceDone } from '../design/announce.tsx';
import { explain } from '../design/explain.ts';
import { toast } from '../design/toast.tsx';
import { useKeptAfterSession, useSession, useViewer } from '../session/use-session.ts';
import type { Reward } from './rewards.ts';
import type { Engine, Lane, Shard, Strategy } from './types.ts';

const REST_MS = 15_000;

/** How a vault is named to the engine, and under which key its answers are kept. */
export function useEngineVault({ chain_id, vault_address }: Pick<Vault, 'chain_id' | 'vault_address'>) {
  const viewer = useViewer();
  const session = useSession();
  return {
    vault_id: `${chain_id}:${vault_address}`,
    root: ['strategies', viewer, chain_id, vault_address.toLowerCase()] as const,
    isSignedIn: session.status === 'signed_in',
  };
}

/** The strategies of a vault, as much of them as the reader may see. */
export function useStrategyList(vault: Pick<Vault, 'chain_id' | 'vault_address'>) {
  const { api } = useApp();
  const { vault_id, root } = useEngineVault(vault);
  return useQuery({
    queryKey: [...root, 'list'],
    queryFn: () => api.listStrategies({ query: { vault_id, limit: '500' } }),
    enabled: useKeptAfterSession(),
    refetchInterval: REST_MS,
  });
}

const idle = (error: unknown): null => {
  if (explain(error).code === 'ENGINE_IDLE') return null;
  throw error;
};

/** What runs and what is locked. Null: nothing runs. */
export function useShard(vault: Pick<Vault, 'chain_id' | 'vault_address'>, isAsked = true) {
  const { api } = useApp();
  const { vault_id, root, isSignedIn } = useEngineVault(vault);
  return useQuery({
    queryKey: [...root, 'shard'],
    queryFn: (): Promise<Shard | null> => api.engineShard({ params: { vault_id } }).catch(idle),
    enabled: isSignedIn && isAsked,
    refetchInterval: REST_MS,
  });
}

/** Every variable of the strategy language with its value. */
export function useFields(vault: Pick<Vault, 'chain_id' | 'vault_address'>) {
  const { api } = useApp();
  const { vault_id, root, isSignedIn } = useEngineVault(vault);
  return useQuery({
    queryKey: [...root, 'fields'],
    queryFn: () => api.engineFields({ params: { vault_id } }),
    enabled: isSignedIn,
    refetchInterval: REST_MS,
  });
}

const noRewards: readonly Reward[] = [];

/** The rewards of the vault's sources, for names and decimals: they hardly change. None while they are not known. */
export function useRewards(vault: Pick<Vault, 'chain_id' | 'vault_address'>, isAsked: boolean): readonly Reward[] {
  const { api } = useApp();
  const { vault_id, root, isSignedIn } = useEngineVault(vault);
  const { data } = useQuery({
    queryKey: [...root, 'fields'],
    queryFn: () => api.engineFields({ params: { vault_id } }),
    enabled: isSignedIn && isAsked,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.rewards ?? noRewards;
}

export function useEngine(vault: Pick<Vault, 'chain_id' | 'vault_address'>) {
  const { api } = useApp();
  const { vault_id, root, isSignedIn } = useEngineVault(vault);
  const queries = useQueryClient();
  const queryKey = [...root, 'engine'];
  const engine = useQuery({
    queryKey,
    queryFn: () => api.engineVault({ params: { vault_id } }),
    enabled: isSignedIn,
    refetchInterval: REST_MS,
  });
  const change = useMutation({
    mutationFn: (body: { kill_switch: boolean }) =>
      api.updateEngineVault({
        params: { vault_id },
        // Stopping never waits for what somebody else changed meanwhile.
        body: body.kill_switch || engine.data === undefined ? body : { ...body, version: engine.data.version },
      }),
    // The answer to a change says nothing of the keeper.
    onSuccess: (fresh) => queries.setQueryData<Engine>(queryKey, (old) => old && { ...old, ...fresh }),
    onError: (error) => {
      toast({ tone: 'critical', title: 'The switch was not set', detail: explain(error).detail, key: 'engine' });
      void queries.invalidateQueries({ queryKey });
    },
  });
  return { engine, change };
}

type StateChange = Parameters<ReturnType<typeof useApp>['api']['setStrategyState']>[0]['body'];

/** What a manager does to strategies from outside of the editor. */
export function useStrategyActions(vault: Pick<Vault, 'chain_id' | 'vault_address'>) {
  const { api } = useApp();
  const { vault_id, root } = useEngineVault(vault);
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: root });
  const reorder = useMutation({
    mutationFn: ({ lane, ids }: { lane: Lane; ids: readonly string[]; said: string }) =>
      api.reorderStrategies({ body: { vault_id, lane, ordered_strategy_ids: [...ids] } }),
    onSuccess: (_, { said }) => announceDone(said),
    onError: (error) =>
      toast({ tone: 'critical', title: 'The order was not kept', detail: explain(error).detail, key: 'reorder' }),
    onSettled: refresh,
  });
  const setState = useMutation({
    mutationFn: ({ strategy, ...body }: { strategy: Strategy } & Omit<StateChange, 'version'>) =>
      api.setStrategyState({ params: { id: strategy.id }, body: { ...body, version: strategy.version } }),
    onSettled: refresh,
  });
  return { reorder, setState, refresh };
}
