import {
  ChatDone,
  ChatError,
  ChatStarted,
  ChatToken,
  ChatTool,
  type Conversation,
  chatNamespace,
} from '@castellan/contracts';
import { io } from 'socket.io-client';
import type { z } from 'zod';
import type { Api } from '../client/api.ts';
import { advance, begin, type Chat, type ChatEvent, type Effect, patienceMs, type Stored } from './protocol.ts';

/** What of a socket is used; replaced by a scripted one in tests. */
export type ChatSocket = {
  readonly connected: boolean;
  /** Whether it connects again by itself. */
  readonly active: boolean;
  on(event: string, listener: (message: unknown) => void): unknown;
  emit(event: string, payload: object): unknown;
  connect(): unknown;
  disconnect(): unknown;
};

/** The token is asked for at each connection, so that the one of a new sign-in is used. */
export const openSocket = (token: () => string | undefined): ChatSocket =>
  io(chatNamespace, {
    path: '/socket.io',
    transports: ['websocket'],
    timeout: 2_000,
    autoConnect: false,
    forceNew: true,
    reconnectionDelayMax: 10_000,
    auth: (give) => give({ token: token() }),
  });

export type ChatPorts = {
  api: Pick<Api, 'conversation' | 'conversations'>;
  open: (token: () => string | undefined) => ChatSocket;
  /** The token of the session as it is; undefined once it ended. */
  token: () => string | undefined;
  /** The server takes the token no more. */
  onSignedOut: () => void;
};

export type ChatClient = {
  get: () => Chat;
  subscribe: (listener: () => void) => () => void;
  ask: (text: string) => void;
  stop: () => void;
  /** Shows another conversation; null begins a new one. */
  show: (conversation: { id: string; messages: readonly Stored[] } | null) => void;
  /** Connects, with the token of now. */
  connect: () => void;
  signedOut: () => void;
  close: () => void;
};

const AGAIN_MS = 2_000;
/** The server refuses a connection while it has too many of this wallet. */
const CROWDED_MS = 10_000;

const incoming = {
  'chat:started': ['started', ChatStarted],
  'chat:token': ['token', ChatToken],
  'chat:tool': ['tool', ChatTool],
  'chat:done': ['done', ChatDone],
} as const;

const isAboutToken = (code: string): boolean => code.startsWith('TOKEN_');

/** By how much the clocks of a visitor and the server may differ. */
const SKEW_MS = 60_000;

/** The conversation that holds a question of which nothing was heard, and an answer to it. */
async function findQuestion(
  api: ChatPorts['api'],
  vault: Chat['vault'],
  { conversationId, text, known }: Extract<Effect, { type: 'find' }>,
  askedAtMs: number,
): Promise<{ conversationId: string; messages: readonly Stored[] } | null> {
  let id = conversationId;
  if (id === null) {
    const { conversations } = await api.conversations({
      query: { chain_id: String(vault.chain_id), vault_address: vault.vault_address, limit: '1' },
    });
    const [latest]: (z.infer<typeof Conversation> | undefined)[] = conversations;
    // The same may have been asked before: only one that is as young as the question can be its own.
    if (latest === undefined || Date.parse(latest.created_at) < askedAtMs - SKEW_MS) return null;
    id = latest.id;
  }
  const { messages } = await api.conversation({ params: { id } });
  const isThere = messages.some(
    (each) => each.role === 'user' && each.text === text.trim() && !known.includes(each.id),
  );
  return isThere ? { conversationId: id, messages } : null;
}

/** A chat about one vault: the protocol's state, kept by a socket. */
export function createChat(vault: Chat['vault'], ports: ChatPorts): ChatClient {
  let chat = begin(vault);
  let usedToken: string | undefined;
  let isClosed = false;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();
  const socket = ports.open(() => {
    usedToken = ports.token();
    return usedToken;
  });

  let askedAtMs = 0;
  const run = (effect: Effect) => {
    if (effect.type === 'send') askedAtMs = Date.now();
    if (effect.type !== 'find') {
      // Never queued: what is sent behind a reconnection is decided by the state.
      if (socket.connected) socket.emit(`chat:${effect.type}`, effect.payload);
      return;
    }
    findQuestion(ports.api, vault, effect, askedAtMs).then(
      (conversation) => dispatch({ type: 'found', conversation }),
      () => dispatch({ type: 'found', conversation: null }),
    );
  };
  const dispatch = (event: ChatEvent) => {
    if (isClosed) return;
    const { chat: next, effects } = advance(chat, event);
    const hasChanged = next !== chat;
    chat = next;
    for (const effect of effects) run(effect);
    clearTimeout(silence);
    const patience = patienceMs(chat);
    if (patience !== undefined) silence = setTimeout(() => dispatch({ type: 'silence' }), patience);
    if (hasChanged) for (const listener of listeners) listener();
  };
  const connectAgain = (ms: number) => {
    clearTimeout(again);
    again = setTimeout(() => {
      if (!isClosed && chat.link !== 'sign_in' && !socket.connected) socket.connect();
    }, ms);
  };
  /** A token that was replaced meanwhile says nothing about the session of now. */
  const refuseToken = () => {
    const token = ports.token();
    if (token !== undefined && token !== usedToken) return connectAgain(0);
    dispatch({ type: 'signed_out' });
    ports.onSignedOut();
  };

  let crowded = false;
  const onError = (raw: unknown) => {
    const message = ChatError.safeParse(raw);
    if (!message.success) return;
    if (isAboutToken(message.data.code)) return refuseToken();
    crowded = message.data.code === 'RATE_LIMITED';
    dispatch({ type: 'error', message: message.data });
  };
  for (const [name, [type, schema]] of Object.entries(incoming)) {
    socket.on(name, (raw) => {
      const message = schema.safeParse(raw);
      // What cannot be read leaves a gap, and gaps are asked about.
      if (message.success) dispatch({ type, message: message.data } as ChatEvent);
    });
  }
  socket.on('chat:error', onError);
  socket.on('connect', () => {
    crowded = false;
    dispatch({ type: 'connected' });
  });
  socket.on('disconnect', () => {
    dispatch({ type: 'disconnected' });
    if (!socket.active) connectAgain(crowded ? CROWDED_MS : AGAIN_MS);
  });
  socket.on('connect_error', (error) => {
    const { data } = error as { data?: { code?: unknown; retry_after_seconds?: unknown } };
    if (typeof data?.code === 'string' && isAboutToken(data.code)) return refuseToken();
    dispatch({ type: 'disconnected' });
    const seconds = typeof data?.retry_after_seconds === 'number' ? data.retry_after_seconds : undefined;
    if (!socket.active) connectAgain(seconds === undefined ? AGAIN_MS : seconds * 1_000);
  });

  return {
    get: () => chat,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    ask: (text) => dispatch({ type: 'ask', text }),
    stop: () => dispatch({ type: 'stop' }),
    show: (conversation) =>
      dispatch({ type: 'open', conversationId: conversation?.id ?? null, messages: conversation?.messages ?? [] }),
    connect: () => {
      if (chat.link === 'sign_in') {
        socket.disconnect();
        chat = { ...chat, link: 'connecting' };
        for (const listener of listeners) listener();
      }
      socket.connect();
    },
    signedOut: () => {
      dispatch({ type: 'signed_out' });
      socket.disconnect();
    },
    close: () => {
      isClosed = true;
      clearTimeout(silence);
      clearTimeout(again);
      socket.disconnect();
    },
  };
}
