import type {
  ChatDone,
  ChatError,
  ChatMessage,
  ChatResume,
  ChatSend,
  ChatStarted,
  ChatStop,
  ChatToken,
  ChatTool,
} from '@castellan/contracts';
import type { z } from 'zod';

export type Stored = z.infer<typeof ChatMessage>;
export type Tool = Stored['tools'][number];
/** Why something did not come about, and for how many seconds one is asked to wait. */
export type Problem = { code: string; detail: string; retryAfterSeconds: number | null };
/** A message as it is shown; what went wrong with it stands beside it. */
export type Message = Omit<Stored, 'created_at'> & { created_at: string | null; problem: Problem | null };

type Done = z.infer<typeof ChatDone>;
/** The answer that is coming. `next` is the number of the token it waits for; later ones are kept in `early`. */
export type Live = {
  id: string;
  text: string;
  next: number;
  early: ReadonlyMap<number, string>;
  tools: readonly Tool[];
  end: Done | null;
  isResuming: boolean;
  silences: number;
  problem: Problem | null;
};
/** A question of which the server has not said yet that it has it. */
type Pending = { text: string; phase: 'waiting' | 'asked' | 'unclear' };

export type Chat = {
  link: 'connecting' | 'open' | 'lost' | 'sign_in';
  vault: { chain_id: number; vault_address: string };
  conversationId: string | null;
  messages: readonly Message[];
  pending: Pending | null;
  /** A question that was not taken, and why. */
  unsent: { text: string; problem: Problem } | null;
  answer: Live | null;
  isStopping: boolean;
  /** Why the server closed the connection. */
  linkProblem: Problem | null;
  provider: { provider: string; model: string } | null;
};

type Ids = { conversationId: string | null; messages: readonly Stored[] };
export type ChatEvent =
  | { type: 'ask'; text: string }
  | { type: 'stop' }
  | ({ type: 'open' } & Ids)
  | { type: 'found'; conversation: Ids | null }
  | { type: 'connected' | 'disconnected' | 'signed_out' | 'silence' }
  | { type: 'started'; message: z.infer<typeof ChatStarted> }
  | { type: 'token'; message: z.infer<typeof ChatToken> }
  | { type: 'tool'; message: z.infer<typeof ChatTool> }
  | { type: 'done'; message: Done }
  | { type: 'error'; message: z.infer<typeof ChatError> };

export type Effect =
  | { type: 'send'; payload: z.input<typeof ChatSend> }
  | { type: 'stop'; payload: z.input<typeof ChatStop> }
  | { type: 'resume'; payload: z.input<typeof ChatResume> }
  /** Looks into the history whether a question arrived before the connection was lost. */
  | { type: 'find'; conversationId: string | null; text: string; known: readonly string[] };

export type Step = { chat: Chat; effects: readonly Effect[] };

/** Silence after which the server is asked whether there is more: soon after a gap, later for one that thinks. */
const RESUME_MS = 5_000;
const SILENCE_MS = 20_000;
/** So often nothing came that it is not waited for any more. */
const MOST_SILENCES = 6;

export const begin = (vault: Chat['vault']): Chat => ({
  link: 'connecting',
  vault,
  conversationId: null,
  messages: [],
  pending: null,
  unsent: null,
  answer: null,
  isStopping: false,
  linkProblem: null,
  provider: null,
});

const stay = (chat: Chat): Step => ({ chat, effects: [] });
const lost: Problem = {
  code: 'NOT_SENT',
  detail: 'The connection was lost before the question arrived. Send it again.',
  retryAfterSeconds: null,
};
const silent: Problem = {
  code: 'NO_ANSWER',
  detail: 'The answer stopped coming. Ask again.',
  retryAfterSeconds: null,
};
const failed: Problem = { code: 'FAILED', detail: 'The answer could not be finished.', retryAfterSeconds: null };

/** How long the state may stand before the server is asked; undefined where nothing is waited for. */
export const patienceMs = ({ link, answer, pending }: Chat): number | undefined => {
  if (link !== 'open') return undefined;
  if (answer !== null) return answer.isResuming || answer.problem !== null ? RESUME_MS : SILENCE_MS;
  return pending?.phase === 'asked' ? SILENCE_MS : undefined;
};

const asMessage = (stored: Stored): Message => ({
  ...stored,
  problem: stored.status === 'failed' ? failed : null,
});

const question = (text: string, id: string): Message => ({
  id,
  role: 'user',
  text,
  status: 'complete',
  tools: [],
  citations: [],
  ungrounded_figures: [],
  created_at: null,
  problem: null,
});

const newAnswer = (id: string): Live => ({
  id,
  text: '',
  next: 0,
  early: new Map(),
  tools: [],
  end: null,
  isResuming: false,
  silences: 0,
  problem: null,
});

/** Asks for what comes behind the last token that was seen. */
function resumed(chat: Chat): Step {
  const { answer, conversationId, isStopping } = chat;
  if (answer === null || conversationId === null) return stay(chat);
  const ids = { conversation_id: conversationId, message_id: answer.id };
  return {
    chat: { ...chat, answer: { ...answer, isResuming: true } },
    effects: [
      { type: 'resume', payload: { ...ids, after_seq: answer.next - 1 } },
      ...(isStopping ? [{ type: 'stop', payload: ids } as const] : []),
    ],
  };
}

/** The answer becomes a message like those before it. */
function settled(chat: Chat, answer: Live, status: Stored['status'], end: Done | null): Chat {
  const message: Message = {
    id: answer.id,
    role: 'assistant',
    text: answer.text,
    status,
    tools: [...answer.tools],
    citations: end?.citations ?? [],
    ungrounded_figures: end?.ungrounded_figures ?? [],
    created_at: null,
    problem: status === 'failed' ? (answer.problem ?? failed) : null,
  };
  return { ...chat, messages: [...chat.messages, message], answer: null, isStopping: false };
}

/** Settles once the end has arrived and every token before it. */
function settledIfWhole(chat: Chat): Step {
  const { answer } = chat;
  if (answer?.end == null) return stay(chat);
  if (answer.next >= answer.end.tokens) return stay(settled(chat, answer, answer.end.status, answer.end));
  return answer.isResuming ? stay(chat) : resumed(chat);
}

function withToken(answer: Live, seq: number, text: string): Live {
  if (seq < answer.next) return answer;
  const early = new Map(answer.early).set(seq, text);
  let whole = answer.text;
  let next = answer.next;
  for (let found = early.get(next); found !== undefined; found = early.get(next)) {
    early.delete(next);
    whole += found;
    next += 1;
  }
  const hasGrown = next > answer.next;
  return {
    ...answer,
    text: whole,
    next,
    early,
    isResuming: answer.isResuming && !(hasGrown && early.size === 0),
    silences: hasGrown ? 0 : answer.silences,
  };
}

/** A call that arrives again after a lost connection is the same call. */
const withTool = (answer: Live, { name, args, ms, ok }: Tool): Live => {
  const call = { name, args, ms, ok };
  const text = JSON.stringify(call);
  const isKnown = answer.tools.some((one) => JSON.stringify(one) === text);
  return { ...answer, silences: 0, tools: isKnown ? answer.tools : [...answer.tools, call] };
};

/** Sends the question that waits; without a connection it goes on waiting. */
function sent(chat: Chat): Step {
  const { pending, link, conversationId, vault } = chat;
  if (pending?.phase !== 'waiting' || link !== 'open') return stay(chat);
  const about = conversationId === null ? {} : { conversation_id: conversationId };
  return {
    chat: { ...chat, pending: { ...pending, phase: 'asked' } },
    effects: [{ type: 'send', payload: { ...about, ...vault, message: pending.text } }],
  };
}

const refused = (chat: Chat, problem: Problem): Chat => ({
  ...chat,
  pending: null,
  isStopping: false,
  unsent: chat.pending === null ? chat.unsent : { text: chat.pending.text, problem },
});

/** Looks for a question nobody answered for: it may be there, with its answer, or not. */
function looked(chat: Chat, pending: Pending): Step {
  return {
    chat: { ...chat, pending: { ...pending, phase: 'unclear' } },
    effects: [
      {
        type: 'find',
        conversationId: chat.conversationId,
        text: pending.text,
        known: chat.messages.map(({ id }) => id),
      },
    ],
  };
}

/** Shows a conversation; an answer under way is listened to from its begin, as its stored text may end anywhere. */
function opened(chat: Chat, { conversationId, messages }: Ids): Step {
  const last = messages.at(-1);
  const isStreaming = last?.role === 'assistant' && last.status === 'streaming';
  const shown: Chat = {
    ...chat,
    conversationId,
    pending: null,
    unsent: null,
    messages: (isStreaming ? messages.slice(0, -1) : messages).map(asMessage),
    answer: isStreaming ? newAnswer(last.id) : null,
  };
  return chat.link === 'open' ? resumed(shown) : stay(shown);
}

function connected(chat: Chat): Step {
  const open: Chat = { ...chat, link: 'open', linkProblem: null };
  if (open.pending?.phase === 'asked') return looked(open, open.pending);
  return open.answer === null ? sent(open) : resumed(open);
}

function started(chat: Chat, message: z.infer<typeof ChatStarted>): Step {
  const { pending, conversationId, isStopping } = chat;
  if (pending === null || pending.phase === 'waiting') return stay(chat);
  if (conversationId !== null && conversationId !== message.conversation_id) return stay(chat);
  const { conversation_id, message_id, question_id, provider, model } = message;
  return {
    chat: {
      ...chat,
      conversationId: conversation_id,
      pending: null,
      provider: { provider, model },
      messages: [...chat.messages, question(pending.text, question_id)],
      answer: newAnswer(message_id),
    },
    effects: isStopping ? [{ type: 'stop', payload: { conversation_id, message_id } }] : [],
  };
}

function stopped(chat: Chat): Step {
  const { pending, answer, conversationId, link } = chat;
  if (pending?.phase === 'waiting') {
    return stay(
      refused(chat, { code: 'STOPPED', detail: 'It was stopped before it was sent.', retryAfterSeconds: null }),
    );
  }
  if (pending === null && answer === null) return stay(chat);
  const canSend = answer !== null && conversationId !== null && link === 'open';
  return {
    chat: { ...chat, isStopping: true },
    effects: canSend ? [{ type: 'stop', payload: { conversation_id: conversationId, message_id: answer.id } }] : [],
  };
}

function wentWrong(chat: Chat, { code, detail, message_id, retry_after_seconds }: z.infer<typeof ChatError>): Step {
  const problem = { code, detail, retryAfterSeconds: retry_after_seconds };
  const { answer } = chat;
  // A slow reader is cut off, and goes on where it was once it is back.
  if (message_id === null && code === 'SLOW_CONSUMER') return stay(chat);
  if (message_id === null)
    return stay(chat.pending === null ? { ...chat, linkProblem: problem } : refused(chat, problem));
  if (answer?.id !== message_id) return stay(chat);
  // Nothing more will arrive for a conversation that is gone; else the end follows, or is requested.
  if (code === 'CONVERSATION_NOT_FOUND') return stay(settled(chat, { ...answer, problem }, 'failed', null));
  return code === 'SLOW_CONSUMER' ? resumed(chat) : stay({ ...chat, answer: { ...answer, problem } });
}

function wasSilent(chat: Chat): Step {
  const { answer, pending } = chat;
  if (answer === null) return pending?.phase === 'asked' ? looked(chat, pending) : stay(chat);
  if (answer.silences + 1 >= MOST_SILENCES) {
    return stay(settled(chat, { ...answer, problem: answer.problem ?? silent }, 'failed', null));
  }
  return resumed({ ...chat, answer: { ...answer, silences: answer.silences + 1 } });
}

/** A question that was looked for: it goes on where it is found, and is given back where it is not. */
function found(chat: Chat, conversation: Ids | null): Step {
  if (chat.pending?.phase !== 'unclear') return stay(chat);
  return conversation === null ? stay(refused(chat, lost)) : opened(chat, conversation);
}

function inAnswer(chat: Chat, id: string, change: (answer: Live) => Live): Step {
  const { answer } = chat;
  if (answer?.id !== id) return stay(chat);
  const next = change(answer);
  const grown = { ...chat, answer: next };
  // One gap is asked about once; what comes meanwhile is kept.
  if (next.early.size > 0 && !next.isResuming) return resumed(grown);
  return settledIfWhole(grown);
}

/** What the chat is after an event, and what is to be done about it. */
export function advance(chat: Chat, event: ChatEvent): Step {
  switch (event.type) {
    case 'ask':
      if (chat.pending !== null || chat.answer !== null) return stay(chat);
      return sent({ ...chat, pending: { text: event.text, phase: 'waiting' }, unsent: null });
    case 'stop':
      return stopped(chat);
    case 'open':
      return chat.pending === null ? opened({ ...chat, isStopping: false }, event) : stay(chat);
    case 'found':
      return found(chat, event.conversation);
    case 'connected':
      return connected(chat);
    case 'disconnected':
      return stay(chat.link === 'sign_in' ? chat : { ...chat, link: 'lost' });
    case 'signed_out':
      return stay({ ...chat, link: 'sign_in' });
    case 'silence':
      return wasSilent(chat);
    case 'started':
      return started(chat, event.message);
    case 'token':
      return inAnswer(chat, event.message.message_id, (answer) =>
        withToken(answer, event.message.seq, event.message.text),
      );
    case 'tool':
      return inAnswer(chat, event.message.message_id, (answer) => withTool(answer, event.message));
    case 'done':
      return inAnswer(chat, event.message.message_id, (answer) => ({ ...answer, end: event.message }));
    case 'error':
      return wentWrong(chat, event.message);
  }
}
