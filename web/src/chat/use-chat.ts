import { createContext, use, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useApp } from '../client/services.ts';
import { useSession } from '../session/use-session.ts';
import { type ChatClient, createChat, openSocket } from './connection.ts';
import type { Chat } from './protocol.ts';

/** Where connections come from; tests script their own. */
export const SocketContext = createContext(openSocket);

/** The chat about one vault, for as long as its pages are open; it follows the session to a new token. */
export function useChat(vault: Chat['vault']): { chat: Chat; client: ChatClient } {
  const { api, session } = useApp();
  const state = useSession();
  const open = use(SocketContext);
  const [client] = useState(() =>
    createChat(vault, {
      api,
      open,
      token: () => {
        const now = session.get();
        return now.status === 'signed_in' ? now.token : undefined;
      },
      onSignedOut: () => session.end('unauthorized'),
    }),
  );
  const isSignedIn = state.status === 'signed_in';
  const token = isSignedIn ? state.token : undefined;
  const wasConnected = useRef(false);
  useEffect(() => {
    if (token === undefined) {
      client.signedOut();
      return;
    }
    // A token that a step-up renewed is used by the next connection; the one that stands stays.
    if (!wasConnected.current || client.get().link === 'sign_in') client.connect();
    wasConnected.current = true;
  }, [client, token]);
  useEffect(
    () => () => {
      wasConnected.current = false;
      client.close();
    },
    [client],
  );
  return { chat: useSyncExternalStore(client.subscribe, client.get), client };
}
