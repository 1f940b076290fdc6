import { useQuery } from '@tanstack/react-query';
import { useApp } from '../client/services.ts';
import { keys, type Vault } from '../data/queries.ts';
import { usePollMs, useUnstreamedPollMs } from '../data/use-live.ts';
import type { Tone } from '../design/pill.tsx';
import { useSession, useViewer } from '../session/use-session.ts';
import type { Sync } from './types.ts';

/** How a vault is named in queries and bodies, and under which keys its answers are kept. */
export function useMerkleVault({ vault }: { vault: Pick<Vault, 'chain_id' | 'vault_address'> }) {
  const viewer = useViewer();
  const session = useSession();
  const { chain_id, vault_address } = vault;
  return {
    query: { chain_id: String(chain_id), vault_address },
    body: { chain_id, vault_address },
    root: keys.hooks(viewer, chain_id, vault_address),
    isSignedIn: session.status === 'signed_in',
  };
}

/**
 * What is to be done so that the active configuration is in force; `null` when nothing is. For people with a role. The stream tells what
 * people write and what the chain does; that a timelock is over comes with time alone.
 */
export function useMerkleSync({ vault }: { vault: Pick<Vault, 'chain_id' | 'vault_address'> }, isEnabled = true) {
  const { api } = useApp();
  const viewer = useViewer();
  const { query, isSignedIn } = useMerkleVault({ vault });
  const pollMs = usePollMs();
  const waitingMs = useUnstreamedPollMs();
  return useQuery({
    queryKey: keys.hooksSync(viewer, vault.chain_id, vault.vault_address),
    queryFn: () => api.merkleSync({ query }),
    enabled: isSignedIn && isEnabled,
    refetchInterval: ({ state }) => (state.data?.reason === 'timelock_running' ? waitingMs : pollMs),
  });
}

const states = {
  vetoed_for_all: { word: 'Vetoed for all vaults', tone: 'critical' },
  vetoed: { word: 'Vetoed', tone: 'critical' },
  no_configuration: { word: 'No configuration', tone: 'warn' },
  no_tree: { word: 'No tree yet', tone: 'warn' },
  not_proposed: { word: 'Not proposed', tone: 'warn' },
  foreign_proposal: { word: 'Another root proposed', tone: 'warn' },
  waiting: { word: 'Waits for its timelock', tone: 'info' },
  due: { word: 'Ready to execute', tone: 'info' },
  in_sync: { word: 'In sync', tone: 'ok' },
  no_root: { word: 'No root', tone: 'plain' },
  root_in_force: { word: 'Root in force', tone: 'ok' },
} as const satisfies Record<string, { word: string; tone: Tone }>;

const ofReason = {
  root_in_force: 'in_sync',
  no_active_config: 'no_configuration',
  not_generated: 'no_tree',
  not_proposed: 'not_proposed',
  foreign_proposal: 'foreign_proposal',
  timelock_running: 'waiting',
  timelock_over: 'due',
} as const satisfies Record<Sync['reason'], keyof typeof states>;

/** What anybody can see of the chain: which root is in force, and whether another waits. */
function ofChain({ merkle, chain_time }: Pick<Vault, 'merkle' | 'chain_time'>): keyof typeof states {
  if (merkle.proposed_root !== null) {
    const isDue = merkle.effective_at !== null && Date.parse(merkle.effective_at) <= Date.parse(chain_time);
    return isDue ? 'due' : 'waiting';
  }
  return merkle.strategy_root === null && merkle.global_root === null ? 'no_root' : 'root_in_force';
}

/**
 * The state of what a vault may execute, the same on every page. With `sync` it says how the active configuration and the
 * chain stand to each other; without it, for those who may not read the configuration, it says what the chain shows and
 * nothing about the configuration.
 */
export function hooksState(vault: Pick<Vault, 'merkle' | 'chain_time'>, sync: Sync | null | undefined) {
  const { global, strategy } = sync?.veto ?? vault.merkle.veto;
  if (global) return states.vetoed_for_all;
  if (strategy) return states.vetoed;
  if (sync === undefined) return states[ofChain(vault)];
  return states[sync === null ? 'in_sync' : ofReason[sync.reason]];
}
