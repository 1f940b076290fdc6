import { clearSession, readSession, type StoredSession, sessionKeys, writeSession } from './session-storage.ts';

/**
 * `ended`: the server no longer accepts the session; the address stays in memory so that the page and what was typed
 * can stay, and the same wallet can sign again.
 */
export type SessionState =
  | { status: 'anonymous' }
  | ({ status: 'signed_in' } & StoredSession)
  | { status: 'ended'; address: string };

export type EndReason = 'logout' | 'unauthorized' | 'account_changed';

export type Session = {
  get: () => SessionState;
  subscribe: (listener: () => void) => () => void;
  /** Called with the reason and the address each time a signed-in session ends. */
  onEnd: (listener: (reason: EndReason, address: string) => void) => () => void;
  begin: (session: StoredSession) => void;
  end: (reason: EndReason) => void;
  /** What another tab did to the stored keys. */
  reload: () => void;
};

const stateOf = (stored: StoredSession | undefined): SessionState =>
  stored === undefined ? { status: 'anonymous' } : { status: 'signed_in', ...stored };

export function createSession(storage: Storage): Session {
  let state = stateOf(readSession(storage));
  const listeners = new Set<() => void>();
  const endListeners = new Set<(reason: EndReason, address: string) => void>();
  const change = (next: SessionState) => {
    state = next;
    for (const listener of listeners) listener();
  };
  const add =
    <T>(set: Set<T>) =>
    (listener: T) => {
      set.add(listener);
      return () => {
        set.delete(listener);
      };
    };

  return {
    get: () => state,
    subscribe: add(listeners),
    onEnd: add(endListeners),
    begin: (session) => {
      writeSession(storage, session);
      change({ status: 'signed_in', ...session });
    },
    end: (reason) => {
      clearSession(storage);
      if (state.status === 'anonymous') return;
      const { status, address } = state;
      if (reason === 'unauthorized') change({ status: 'ended', address });
      else change({ status: 'anonymous' });
      if (status === 'signed_in') for (const listener of endListeners) listener(reason, address);
    },
    reload: () => change(stateOf(readSession(storage))),
  };
}

/** Follows a sign-in or logout made in another tab. @returns what stops following. */
export function followOtherTabs(session: Session): () => void {
  const listener = (event: StorageEvent) => {
    if (event.key === null || event.key === sessionKeys.token) session.reload();
  };
  window.addEventListener('storage', listener);
  return () => window.removeEventListener('storage', listener);
}
