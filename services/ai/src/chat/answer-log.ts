import type { AppError, ChatDone } from '@castellan/contracts';
import type { z } from 'zod';
import type { ToolCall } from '../analyst/analyst.ts';

export type Done = Omit<z.infer<typeof ChatDone>, 'conversation_id' | 'message_id'>;
/** A tool call and how many tokens came before it. */
export type LoggedTool = ToolCall & { at: number };

/**
 * One answer, for those who listen or come later: tokens numbered from `first` on, tool calls between them, and the end. Grows;
 * never changes what it holds.
 */
export class AnswerLog {
  readonly conversationId: string;
  readonly messageId: string;
  readonly first: number;
  readonly tokens: string[] = [];
  readonly tools: LoggedTool[] = [];
  error: AppError | undefined;
  done: Done | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(ids: { conversationId: string; messageId: string }, first = 0) {
    this.conversationId = ids.conversationId;
    this.messageId = ids.messageId;
    this.first = first;
  }

  /** The number of the next token. */
  get next(): number {
    return this.first + this.tokens.length;
  }

  add(...texts: string[]): void {
    this.tokens.push(...texts);
    this.#notify();
  }

  addTools(...tools: LoggedTool[]): void {
    this.tools.push(...tools);
    this.#notify();
  }

  end(done: Done, error?: AppError): void {
    this.error = error;
    this.done = done;
    this.#notify();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
