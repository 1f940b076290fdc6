import { useState } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import type { Source } from './message-view.tsx';
import { closeChat, useChatPane } from './open.ts';
import { Pane } from './pane.tsx';
import type { Chat } from './protocol.ts';
import { useChat } from './use-chat.ts';
import { useIsPhone } from './use-is-phone.ts';

const DOCK_KEY = 'castellan_chat_docked';

/** What the answer that ended last says, once: a screen reader does not read every token. */
function useFinished({ answer, messages }: Chat): string {
  const [seen, setSeen] = useState<{ coming: string | null; said: string }>({ coming: null, said: '' });
  const coming = answer?.id ?? null;
  if (coming === seen.coming) return seen.said;
  const ended = messages.at(-1);
  const hasEnded = coming === null && ended !== undefined && ended.id === seen.coming;
  setSeen({ coming, said: hasEnded ? wordsOf(ended) : '' });
  return '';
}

const wordsOf = ({ text, status, problem }: Chat['messages'][number]): string => {
  if (problem !== null) return `The answer is not complete. ${problem.detail}`;
  const plain = text.replaceAll(/[*_`#>]|\]\([^)]*\)/g, '').replaceAll(/^- /gm, '');
  return status === 'stopped' ? `The answer was stopped. ${plain}` : `Answer: ${plain}`;
};

type Props = { vault: Chat['vault']; source: Source };

/** The chat of a vault's pages. It lives on while it is closed, so that answers come in. */
export default function ConnectedChat({ vault, source }: Props) {
  const { isOpen } = useChatPane();
  const { chat, client } = useChat(vault);
  const isPhone = useIsPhone();
  const [text, setText] = useState('');
  const [isDocked, setDocked] = useState(() => localStorage.getItem(DOCK_KEY) === 'yes');
  const finished = useFinished(chat);
  const dock = () => {
    localStorage.setItem(DOCK_KEY, isDocked ? 'no' : 'yes');
    setDocked(!isDocked);
  };
  const pane = (onDock?: () => void) => (
    <Pane
      chat={chat}
      client={client}
      source={source}
      text={text}
      onDock={onDock}
      onText={setText}
      onClose={closeChat}
    />
  );
  return (
    <>
      <p aria-live="polite" className="sr-only">
        {finished}
      </p>
      {!isOpen ? null : isPhone ? (
        <ModalOverlay isOpen onOpenChange={(next) => !next && closeChat()} className="fixed inset-0 z-40 bg-surface">
          <Modal className="flex h-dvh w-full flex-col">
            <Dialog aria-label="Ask about this vault" className="flex min-h-0 flex-1 flex-col outline-none">
              {pane()}
            </Dialog>
          </Modal>
        </ModalOverlay>
      ) : (
        <aside
          aria-label="Ask about this vault"
          onKeyDown={(event) => {
            if (event.key === 'Escape' && !event.defaultPrevented) closeChat();
          }}
          className={isDocked ? docked.column : floating}
        >
          <div className={isDocked ? docked.inside : 'flex min-h-0 flex-1 flex-col'}>{pane(dock)}</div>
        </aside>
      )}
    </>
  );
}

const floating =
  'fixed right-4 bottom-4 z-30 flex h-[min(640px,calc(100dvh-32px))] w-[400px] flex-col rounded-card border bg-surface shadow-[var(--shadow)]';
/** A column of its own where one fits; it ends where the window does, below the bar at the top too. */
const docked = {
  column: `${floating} min-[1100px]:static min-[1100px]:h-auto min-[1100px]:w-[380px] min-[1100px]:shrink-0 min-[1100px]:rounded-none min-[1100px]:border-y-0 min-[1100px]:border-r-0 min-[1100px]:shadow-none`,
  inside:
    'flex min-h-0 flex-1 flex-col min-[1100px]:sticky min-[1100px]:top-0 min-[1100px]:h-[calc(100dvh-57px)] min-[1100px]:flex-none',
} as const;
