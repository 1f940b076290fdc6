import type { ChatDone } from '@castellan/contracts';
import type { z } from 'zod';
import type { ChatSocket } from '../src/chat/connection.ts';
import type { Stored } from '../src/chat/protocol.ts';

type Listener = (message: unknown) => void;

/** A socket that does what the test says, and keeps what was sent over it. */
export function aSocket() {
  const listeners = new Map<string, Listener[]>();
  const sent: [event: string, payload: object][] = [];
  const state = { connected: false, active: true, connects: 0 };
  const emit = (event: string, message?: unknown) => {
    for (const listener of listeners.get(event) ?? []) listener(message);
  };
  const socket: ChatSocket = {
    get connected() {
      return state.connected;
    },
    get active() {
      return state.active;
    },
    on: (event, listener) => listeners.set(event, [...(listeners.get(event) ?? []), listener]),
    emit: (event, payload) => sent.push([event, payload]),
    connect: () => {
      state.connects += 1;
    },
    disconnect: () => {
      state.connected = false;
    },
  };
  let ask: () => string | undefined = () => undefined;
  return {
    socket,
    sent,
    state,
    emit,
    open: (token: () => string | undefined) => {
      ask = token;
      return socket;
    },
    /** The token is asked for at each handshake. */
    up: () => {
      ask();
      state.connected = true;
      emit('connect');
    },
    /** `byServer`: it does not come back by itself. */
    down: (byServer = false) => {
      Object.assign(state, { connected: false, active: !byServer });
      emit('disconnect', byServer ? 'io server disconnect' : 'transport close');
    },
    /** Answers the last question. */
    start: (message_id = 'm1', conversation_id = 'c1') =>
      emit('chat:started', {
        conversation_id,
        message_id,
        question_id: `q-${message_id}`,
        provider: 'built-in',
        model: 'rules-1',
      }),
    token: (seq: number, text: string, message_id = 'm1') =>
      emit('chat:token', { conversation_id: 'c1', message_id, seq, text }),
    done: (tokens: number, parts: Partial<z.infer<typeof ChatDone>> = {}) =>
      emit('chat:done', {
        conversation_id: 'c1',
        message_id: 'm1',
        tokens,
        status: 'complete',
        usage: { input_tokens: 0, output_tokens: 0 },
        citations: [],
        ungrounded_figures: [],
        ...parts,
      }),
    error: (code: string, parts: object = {}) =>
      emit('chat:error', {
        code,
        detail: `refused: ${code}`,
        conversation_id: null,
        message_id: null,
        retry_after_seconds: null,
        ...parts,
      }),
  };
}

export const aStored = (id: string, role: Stored['role'], text: string, parts: Partial<Stored> = {}): Stored => ({
  id,
  role,
  text,
  status: 'complete',
  tools: [],
  citations: [],
  ungrounded_figures: [],
  created_at: '2026-01-01T00:00:00.000Z',
  ...parts,
});
