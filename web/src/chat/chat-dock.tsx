import { useQuery } from '@tanstack/react-query';
import { MessageCircleQuestion } from 'lucide-react';
import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { createPortal } from 'react-dom';
import { useParams } from 'react-router';
import type { AppChain } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { vaultQuery } from '../data/queries.ts';
import { areSinglesOn, isTyping } from '../navigation/keys.ts';
import { useOverlay } from '../navigation/overlay.ts';
import { useViewer } from '../session/use-session.ts';
import { resolveVault } from '../vault/resolve.ts';
import { CHAT_KEY, chatWords, offerChat, openChat, useChatPane } from './open.ts';

const ConnectedChat = lazy(() => import('./connected-chat.tsx'));

/** The chat on the pages of a vault, for those with a role on it. */
export function ChatDock({ strip = null }: { strip?: HTMLElement | null }) {
  const { config } = useApp();
  const { chainName = '', vaultAddress = '' } = useParams();
  const resolved = resolveVault(config, chainName, vaultAddress);
  if (resolved.kind !== 'vault') return null;
  const { chain, address } = resolved;
  return <Offered key={`${chain.chain_id}:${address}`} chain={chain} address={address} strip={strip} />;
}

type Props = {
  chain: AppChain;
  address: string;
  /** Where on the page the button stands; without one where the dock is. */
  strip: HTMLElement | null;
};

function Offered({ chain, address, strip }: Props) {
  const { api } = useApp();
  const viewer = useViewer();
  // The page reads the vault; here it is only looked at.
  const { data: vault } = useQuery({ ...vaultQuery(api, viewer, chain.chain_id, address), enabled: false });
  return vault === undefined || vault.my_role === null ? null : (
    // Another wallet has conversations of its own.
    <Dock key={viewer} chain={chain} address={address} strip={strip} />
  );
}

function Dock({ chain, address, strip }: Props) {
  const { isOpen } = useChatPane();
  const overlay = useOverlay();
  const [wasOpened, setWasOpened] = useState(isOpen);
  if (isOpen && !wasOpened) setWasOpened(true);
  useEffect(offerChat, []);
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    // On a narrow screen it stands at the top of the page, where nobody who closes the chat further down wants to be taken.
    if (wasOpen.current && !isOpen) button.current?.focus({ preventScroll: true });
    wasOpen.current = isOpen;
  }, [isOpen]);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    if (key !== CHAT_KEY || ctrlKey || metaKey || altKey || isOpen || overlay !== 'none') return;
    if (isTyping(target) || !areSinglesOn()) return;
    event.preventDefault();
    openChat();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
  const vault = { chain_id: chain.chain_id, vault_address: address };
  const offer = (
    <div className={`flex justify-end p-3 ${isOpen ? 'invisible' : ''}`}>
      <Button
        ref={button}
        aria-label={chatWords}
        onPress={openChat}
        className={`pointer-events-auto inline-flex min-h-9 items-center gap-2 rounded-full bg-accent px-4 text-13 font-medium text-on-accent shadow-[var(--shadow)] hover:brightness-110 ${isOpen ? 'invisible' : ''}`}
      >
        <MessageCircleQuestion size={18} aria-hidden="true" />
        Ask
      </Button>
    </div>
  );
  return (
    <>
      {strip === null ? offer : createPortal(offer, strip)}
      {wasOpened ? (
        <Suspense fallback={null}>
          <ConnectedChat vault={vault} source={{ vault, live: { mode: 'stream' }, chain }} />
        </Suspense>
      ) : null}
    </>
  );
}
