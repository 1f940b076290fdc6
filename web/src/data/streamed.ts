import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useApp } from '../client/services.ts';
import { useViewer } from '../session/use-session.ts';
import { HEAL_MS, myVaultsQuery, POLL_MS } from './queries.ts';

/** The vaults whose streams are open, for the parts of the page that are about all vaults. */
let streamed: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

function change(next: ReadonlySet<string>) {
  streamed = next;
  for (const listener of listeners) listener();
}

const keyOf = (chainId: number, address: string): string => `${chainId}:${address.toLowerCase()}`;

/** Notes that the stream of a vault is open. @returns takes it back. */
export function noteStreamed(chainId: number, address: string): () => void {
  const key = keyOf(chainId, address);
  change(new Set([...streamed, key]));
  return () => change(new Set([...streamed].filter((each) => each !== key)));
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

/**
 * How often the alerts of all own vaults are asked for. A stream brings those of its vault alone: while others are among the own ones, these
 * are asked for as often as on a page without a stream.
 */
export function useAlertsPollMs(): number {
  const { api } = useApp();
  const open = useSyncExternalStore(subscribe, () => streamed);
  // What the switcher of the page has read; nothing is asked for this.
  const { data: mine } = useQuery({ ...myVaultsQuery(api, useViewer()), enabled: false });
  const isWhole = mine !== undefined && mine.total > 0 && mine.total === mine.vaults.length;
  const isCovered =
    isWhole && mine.vaults.every(({ chain_id, vault_address }) => open.has(keyOf(chain_id, vault_address)));
  return isCovered ? HEAL_MS : POLL_MS;
}
