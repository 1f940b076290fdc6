import { useSyncExternalStore } from 'react';

/** Opens the chat; alone, where nobody types. */
export const CHAT_KEY = 'a';
export const chatWords = 'Ask about this vault';

type Pane = {
  /** Pages with a chat are on screen. */
  isOffered: boolean;
  isOpen: boolean;
};

let pane: Pane = { isOffered: false, isOpen: false };
const listeners = new Set<() => void>();

function change(next: Partial<Pane>) {
  pane = { ...pane, ...next };
  for (const listener of listeners) listener();
}

export const openChat = () => change({ isOpen: true });
export const closeChat = () => change({ isOpen: false });
/** Says that this page has a chat. @returns takes it back. */
export function offerChat(): () => void {
  change({ isOffered: true });
  return () => change({ isOffered: false, isOpen: false });
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

export const useChatPane = (): Pane => useSyncExternalStore(subscribe, () => pane);
