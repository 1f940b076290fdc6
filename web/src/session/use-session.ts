import { useSyncExternalStore } from 'react';
import { useApp } from '../client/services.ts';
import type { SessionState } from '../client/session.ts';

export function useSession(): SessionState {
  const { session } = useApp();
  return useSyncExternalStore(session.subscribe, session.get);
}

/** Whose eyes the data is read with: the part of a query key that keeps one wallet's answers from another's. */
export function useViewer(): string {
  const session = useSession();
  return session.status === 'anonymous' ? 'public' : session.address.toLowerCase();
}

/**
 * `enabled` of a read of which a session sees more than the public: what was read in one stays when it ends, until somebody signs in
 * again.
 */
export function useKeptAfterSession(): (query: { state: { data: unknown } }) => boolean {
  const hasEnded = useSession().status === 'ended';
  return ({ state }) => !hasEnded || state.data === undefined;
}
