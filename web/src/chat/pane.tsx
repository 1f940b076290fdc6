import { History as HistoryIcon, MessageSquarePlus, PanelRight, X } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { Notice } from '../design/states.tsx';
import { SignInAgain } from '../wallet/sign-in-again.tsx';
import { Composer } from './composer.tsx';
import type { ChatClient } from './connection.ts';
import { History } from './history.tsx';
import { Answer, ComingAnswer, Question, type Source } from './message-view.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import type { Chat, Message } from './protocol.ts';
import { useIsPhone } from './use-is-phone.ts';

const suggestions = [
  'Summarise this vault.',
  'Is the price on time?',
  'How is the risk?',
  'Which source carries the yield?',
  'What happened lately?',
];

export type PaneProps = {
  chat: Chat;
  client: ChatClient;
  source: Source;
  text: string;
  onText: (text: string) => void;
  onClose: () => void;
  /** Absent where the window is too narrow to choose. */
  onDock?: (() => void) | undefined;
};

/** The chat as it stands: what was said, what is coming, and where one writes. */
export function Pane({ chat, client, source, text, onText, onClose, onDock }: PaneProps) {
  const [isHistory, setHistory] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const isBusy = chat.answer !== null || chat.pending !== null;
  const isPhone = useIsPhone();
  // There the keyboard would open over half of the pane.
  const focusField = () => {
    if (!isPhone) field.current?.focus();
  };
  const open = useEffectEvent(focusField);
  useEffect(() => open(), []);
  const ask = (asked: string) => {
    client.ask(asked);
    focusField();
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <header className="flex items-center gap-1 border-b px-3 py-2">
        <h2 className="min-w-0 flex-1 truncate text-14 font-semibold">Ask about this vault</h2>
        <Tool
          label={isHistory ? 'Back to the conversation' : 'Your conversations'}
          onPress={() => setHistory(!isHistory)}
        >
          <HistoryIcon size={16} aria-hidden="true" />
        </Tool>
        <Tool
          label="New conversation"
          isDisabled={isBusy}
          onPress={() => {
            setHistory(false);
            client.show(null);
            focusField();
          }}
        >
          <MessageSquarePlus size={16} aria-hidden="true" />
        </Tool>
        {onDock === undefined ? null : (
          <Tool label="Dock or float the chat" onPress={onDock}>
            <PanelRight size={16} aria-hidden="true" />
          </Tool>
        )}
        <Tool label="Close the chat" onPress={onClose}>
          <X size={16} aria-hidden="true" />
        </Tool>
      </header>
      {isHistory ? (
        <section aria-label="Conversations" className="min-h-0 flex-1 overflow-y-auto p-3">
          <History
            vault={chat.vault}
            current={chat.conversationId}
            onOpen={(conversation) => {
              client.show(conversation);
              setHistory(false);
            }}
            onGone={() => client.show(null)}
          />
        </section>
      ) : (
        <Said chat={chat} source={source} onAsk={ask} />
      )}
      <LinkState chat={chat} />
      <Composer
        text={text}
        onText={onText}
        onAsk={() => {
          setHistory(false);
          ask(text.trim());
          onText('');
        }}
        onStop={() => {
          client.stop();
          focusField();
        }}
        isBusy={isBusy}
        isStopping={chat.isStopping}
        fieldRef={field}
      />
    </div>
  );
}

type ToolProps = { label: string; onPress: () => void; isDisabled?: boolean; children: ReactNode };
const Tool = ({ label, children, ...rest }: ToolProps) => (
  <Button
    aria-label={label}
    className="grid size-8 shrink-0 place-items-center rounded-control text-muted hover:bg-raised hover:text-text disabled:opacity-50"
    {...rest}
  >
    {children}
  </Button>
);

type SaidProps = { chat: Chat; source: Source; onAsk: (text: string) => void };

function Said({ chat, source, onAsk }: SaidProps) {
  const { messages, answer, pending, unsent, isStopping } = chat;
  const region = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const wasComing = useRef(false);
  const grown = `${messages.length} ${answer?.text.length} ${answer?.tools.length} ${pending?.text} ${unsent?.text}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a view scrolled to the end stays there as the answer grows
  useLayoutEffect(() => {
    const hasEnded = wasComing.current && answer === null;
    wasComing.current = answer !== null;
    // What is asked is seen, wherever one read before.
    if (pending !== null) isAtEnd.current = true;
    if (region.current && isAtEnd.current) showEnd(region.current, hasEnded);
  }, [grown]);
  const isEmpty = messages.length === 0 && answer === null && pending === null && unsent === null;
  const canAsk = answer === null && pending === null;
  return (
    <section
      ref={region}
      aria-label="Conversation"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
      }}
      className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-3 text-14"
    >
      {isEmpty ? <Welcome onAsk={onAsk} /> : null}
      {messages.map((message, index) => (
        <Entry
          key={message.id}
          message={message}
          source={source}
          onRetry={canAsk && index === messages.length - 1 ? retryOf(messages, onAsk) : undefined}
        />
      ))}
      {pending === null ? null : (
        <>
          <Question text={pending.text} />
          <p className="text-13 text-muted">{pending.phase === 'waiting' ? 'Waits for the connection' : 'Sending'}</p>
        </>
      )}
      {answer === null ? null : <ComingAnswer answer={answer} isStopping={isStopping} />}
      {unsent === null ? null : (
        <>
          <Question text={unsent.text} />
          <ProblemNotice
            key={unsent.text}
            title="This was not asked"
            problem={unsent.problem}
            onRetry={() => onAsk(unsent.text)}
          />
        </>
      )}
    </section>
  );
}

/** Scrolls to the end; a finished answer that is higher than the region is read from its question on. */
function showEnd(region: HTMLElement, isFinished: boolean) {
  region.scrollTop = region.scrollHeight;
  const asked = isFinished ? [...region.querySelectorAll('[data-question]')].at(-1) : undefined;
  if (asked === undefined) return;
  const above = region.getBoundingClientRect().top - asked.getBoundingClientRect().top;
  if (above > 0) region.scrollTop -= above + MARGIN;
}
/** What is left free over the question. */
const MARGIN = 12;

/** Asks the last question once more. */
function retryOf(messages: readonly Message[], onAsk: (text: string) => void): (() => void) | undefined {
  const asked = messages.findLast(({ role }) => role === 'user');
  return asked === undefined ? undefined : () => onAsk(asked.text);
}

type EntryProps = { message: Message; source: Source; onRetry: (() => void) | undefined };
const Entry = ({ message, source, onRetry }: EntryProps) =>
  message.role === 'user' ? (
    <Question text={message.text} />
  ) : (
    <Answer message={message} source={source} onRetry={onRetry} />
  );

const Welcome = ({ onAsk }: { onAsk: (text: string) => void }) => (
  <div className="flex flex-col gap-3">
    <p className="text-13 text-muted">
      Answers come from the figures of this vault, with your own rights. Figures that cannot be traced are marked.
      Nothing is changed: what is prepared, you review and sign.
    </p>
    <ul aria-label="Suggested questions" className="flex flex-wrap gap-2">
      {suggestions.map((each) => (
        <li key={each}>
          <Button
            onPress={() => onAsk(each)}
            className="min-h-8 rounded-full border px-3 text-13 hover:border-line-strong hover:bg-raised"
          >
            {each}
          </Button>
        </li>
      ))}
    </ul>
  </div>
);

/** What is the matter with the connection, and what ends it. Nothing while it stands. */
function LinkState({ chat: { link, linkProblem, provider } }: { chat: Chat }) {
  if (link === 'sign_in') {
    return (
      <div className="px-3 pb-3">
        <Notice tone="warn" title="Your session ended" action={<SignInAgain />}>
          The conversation is kept and goes on once you are signed in again.
        </Notice>
      </div>
    );
  }
  if (link === 'lost') {
    return (
      <p role="status" className="px-3 pb-2 text-13 text-brass">
        {linkProblem === null ? 'The connection is lost. It is tried again by itself.' : linkProblem.detail}
      </p>
    );
  }
  if (provider === null) return null;
  return (
    <p className="px-3 pb-2 text-12 text-muted">
      {provider.provider === 'built-in'
        ? 'Answered by the built-in analyst: rules, no language model'
        : `Answered by ${provider.provider}, ${provider.model}. It can be wrong; check the receipts.`}
    </p>
  );
}
