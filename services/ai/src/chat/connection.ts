import { randomUUID } from 'node:crypto';
import { AppError, ChatResume, ChatSend, ChatStop } from '@castellan/contracts';
import { type Logger, toAppError, withRequestId } from '@castellan/service-kit';
import type { VerifiedToken } from '@castellan/tokens';
import type { Socket } from 'socket.io';
import type { z } from 'zod';
import type { AnswerLog } from './answer-log.ts';
import { ConnectionWriter } from './connection-writer.ts';
import { errorMessageOf } from './error-message.ts';
import { replay } from './replay-answer.ts';
import { resumeAnswer } from './resume-answer.ts';
import { noConversation, type SendPorts, sendQuestion } from './send-question.ts';

/** Answers that one connection may listen to at once. */
const mostPlaying = 8;
/** Messages of any kind that one connection may send within the window. */
const mostPerWindow = 40;
const windowMs = 10_000;

export type ConnectionPorts = SendPorts & {
  log: Logger;
  stallMs: number;
  wait: (ms: number) => Promise<unknown>;
};

/** Listening to one answer. */
type Seat = { isOver: boolean; stop: () => void };

/** One client of the chat: what it asks, and the answers it listens to. */
export class ChatConnection {
  readonly writer: ConnectionWriter;
  readonly #socket: Socket;
  readonly #verified: VerifiedToken;
  readonly #ports: ConnectionPorts;
  readonly #playing = new Map<string, Seat>();
  #window = { startedAt: 0, count: 0 };

  constructor(socket: Socket, verified: VerifiedToken, ports: ConnectionPorts) {
    this.#socket = socket;
    this.#verified = verified;
    this.#ports = ports;
    this.writer = new ConnectionWriter(socket, ports.stallMs);
    this.#on('chat:send', ChatSend, (message) => this.#send(message));
    this.#on('chat:stop', ChatStop, (message) => this.#stop(message));
    this.#on('chat:resume', ChatResume, (message) => this.#resume(message));
    socket.once('disconnect', () => {
      for (const [messageId, seat] of this.#playing) this.#leave(messageId, seat);
    });
  }

  #on<S extends z.ZodType>(event: string, schema: S, handle: (message: z.output<S>) => Promise<void>): void {
    this.#socket.on(event, (raw: unknown) => {
      void withRequestId(randomUUID(), async () => {
        const about = idsOf(raw);
        try {
          this.#count();
          const message = schema.safeParse(raw);
          if (!message.success) throw malformed(event, message.error);
          await handle(message.data);
        } catch (error) {
          const ours = toAppError(error);
          if (ours.code === 'INTERNAL') this.#ports.log.error('chat message failed', { event, error: error as Error });
          this.writer.send('chat:error', errorMessageOf(ours, about));
        }
      });
    });
  }

  /** @throws AppError RATE_LIMITED: what costs little is limited too, or it would cost much in large numbers. */
  #count(): void {
    const at = this.#ports.now();
    if (at - this.#window.startedAt >= windowMs) this.#window = { startedAt: at, count: 0 };
    this.#window.count += 1;
    if (this.#window.count <= mostPerWindow) return;
    const left = Math.ceil((this.#window.startedAt + windowMs - at) / 1000);
    throw new AppError('RATE_LIMITED', 'You send messages too fast.', { data: { retry_after_seconds: left } });
  }

  async #send(message: z.output<typeof ChatSend>): Promise<void> {
    const { run, questionId, analyst } = await sendQuestion(this.#ports, this.#verified, message);
    this.writer.send('chat:started', {
      conversation_id: run.answerLog.conversationId,
      message_id: run.answerLog.messageId,
      question_id: questionId,
      provider: analyst.provider,
      model: analyst.model,
    });
    this.#play(run.answerLog, this.#enter(run.answerLog.messageId), -1);
  }

  async #stop({ conversation_id, message_id }: z.output<typeof ChatStop>): Promise<void> {
    const { store, answers } = this.#ports;
    const found = await store.findAnswer(this.#verified.caller, conversation_id, message_id);
    if (!found) throw noConversation();
    const run = answers.get(message_id);
    if (run) run.stop();
    else await store.requestStop(message_id);
  }

  async #resume(message: z.output<typeof ChatResume>): Promise<void> {
    const open = await resumeAnswer(this.#ports, this.#verified.caller, message);
    const seat = this.#enter(message.message_id);
    this.#play(
      open(() => !seat.isOver),
      seat,
      message.after_seq,
    );
  }

  #play(answerLog: AnswerLog, seat: Seat, afterSeq: number): void {
    seat.stop = replay(answerLog, this.writer, afterSeq, () => this.#leave(answerLog.messageId, seat));
  }

  /** Takes a place for a replay, in place of an earlier replay of the same answer. */
  #enter(messageId: string): Seat {
    const before = this.#playing.get(messageId);
    if (before) this.#leave(messageId, before);
    if (this.#playing.size >= mostPlaying)
      throw new AppError('RATE_LIMITED', 'This connection follows too many answers.', {
        data: { retry_after_seconds: 5 },
      });
    const seat: Seat = { isOver: !this.#socket.connected, stop: () => undefined };
    if (!seat.isOver) this.#playing.set(messageId, seat);
    return seat;
  }

  #leave(messageId: string, seat: Seat): void {
    seat.isOver = true;
    seat.stop();
    if (this.#playing.get(messageId) === seat) this.#playing.delete(messageId);
  }
}

/** What a malformed message was about, as far as it says so. */
function idsOf(raw: unknown): { conversationId?: string | undefined; messageId?: string | undefined } {
  const { conversation_id, message_id } = (raw ?? {}) as { conversation_id?: unknown; message_id?: unknown };
  const text = (value: unknown) => (typeof value === 'string' && value.length <= 100 ? value : undefined);
  return { conversationId: text(conversation_id), messageId: text(message_id) };
}

function malformed(event: string, { issues }: z.ZodError): AppError {
  const [first] = issues;
  const where = first?.path.join('.') || 'message';
  return new AppError(
    'VALIDATION_FAILED',
    `${event} is malformed: ${where}: ${first?.message ?? 'not as it must be'}.`,
  );
}
