import { chatNamespace } from '@castellan/contracts';
import { io, type Socket } from 'socket.io-client';
import { until } from './actors.ts';
import { patienceMs } from './patience.ts';

type Ids = { conversation_id: string; message_id: string };
type ReceivedEvent = { event: string; [field: string]: unknown };
type Token = { seq: number; text: string };

/** A client of the chat that keeps everything it was received. */
export type ChatClient = {
  send(event: string, message: object): void;
  /** Asks, and waits until the answer has started; `onStarted` is called in the same moment. */
  ask(message: object, onStarted?: (ids: Ids) => void): Promise<Ids>;
  /** Waits for an event about this answer that was not waited for before. */
  next(event: string, ids?: Ids, withinMs?: number): Promise<ReceivedEvent>;
  tokensOf(messageId: string): Token[];
  close(): void;
};

const events = ['chat:started', 'chat:token', 'chat:tool', 'chat:done', 'chat:error'];

export const wordsOf = (tokens: readonly Token[]): string => tokens.map(({ text }) => text).join('');

/** Its own limit ends before the chat is entered, and a connection that breaks in between is no error to it. */
async function connected(socket: Socket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once('connect', resolve);
  socket.once('connect_error', reject);
  socket.once('disconnect', (reason) =>
    reject(new Error(`The connection ended before the chat was entered: ${reason}`)),
  );
  const late = setTimeout(() => reject(new Error('The chat could not be entered in time.')), patienceMs);
  try {
    await promise;
  } catch (error) {
    socket.close();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

/** Connects by websocket, as the dashboard does. @throws Error with `data` of the refusal. */
export async function openChat(baseUrl: string, token: string | undefined): Promise<ChatClient> {
  const socket = io(`${baseUrl}${chatNamespace}`, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    timeout: patienceMs,
    auth: token === undefined ? {} : { token },
  });
  const received: ReceivedEvent[] = [];
  const seen = new Set<ReceivedEvent>();
  for (const event of events) socket.on(event, (message: object) => received.push({ event, ...message }));
  socket.on('disconnect', () => received.push({ event: 'disconnect' }));
  await connected(socket);
  const next: ChatClient['next'] = (event, ids, withinMs = patienceMs) =>
    until(
      event,
      async () => {
        const isAbout = (one: ReceivedEvent) => ids === undefined || one.message_id === ids.message_id;
        const found = received.find((one) => one.event === event && !seen.has(one) && isAbout(one));
        if (found) seen.add(found);
        return found;
      },
      withinMs,
    );
  return {
    next,
    send: (event, message) => void socket.emit(event, message),
    ask: async (message, onStarted) => {
      if (onStarted)
        socket.once('chat:started', ({ conversation_id, message_id }: Ids) =>
          onStarted({ conversation_id, message_id }),
        );
      socket.emit('chat:send', message);
      const { conversation_id, message_id } = await next('chat:started');
      return { conversation_id: String(conversation_id), message_id: String(message_id) };
    },
    tokensOf: (messageId) =>
      received
        .filter(({ event, message_id }) => event === 'chat:token' && message_id === messageId)
        .map(({ seq, text }) => ({ seq: Number(seq), text: String(text) })),
    close: () => void socket.close(),
  };
}
