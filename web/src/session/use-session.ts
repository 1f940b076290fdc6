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
