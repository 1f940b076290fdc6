import type { Tape } from './answer-log.ts';
import type { Outlet } from './connection-writer.ts';
import { errorMessageOf } from './error-message.ts';

/**
 * Plays a tape to a client from behind `afterSeq`, as fast as the client reads and as the tape grows. A tool call between the last
 * token that was seen and the next is told again: nobody knows whether it was seen.
 * @returns ends the playing.
 */
export function play(tape: Tape, outlet: Outlet, afterSeq: number, onEnd: () => void): () => void {
  const ids = { conversation_id: tape.conversationId, message_id: tape.messageId };
  let next = afterSeq + 1;
  let tool = tape.tools.filter(({ at }) => at < next).length;
  let isOver = false;
  let isWaiting = false;

  const playOne = (): boolean => {
    const call = tape.tools[tool];
    if (call !== undefined && call.at <= next) {
      const { at, ...told } = call;
      tool += 1;
      outlet.send('chat:tool', { ...ids, ...told });
      return true;
    }
    const text = tape.tokens[next - tape.first];
    if (text !== undefined) {
      outlet.send('chat:token', { ...ids, seq: next, text });
      next += 1;
      return true;
    }
    if (tape.done !== undefined) {
      if (tape.error) outlet.send('chat:error', errorMessageOf(tape.error, tape));
      outlet.send('chat:done', { ...ids, ...tape.done });
      stop();
      onEnd();
    }
    return false;
  };
  const pump = (): void => {
    while (!isOver && !isWaiting) {
      if (outlet.isFull) {
        isWaiting = true;
        outlet.whenRoom(() => {
          isWaiting = false;
          pump();
        });
      } else if (!playOne()) return;
    }
  };
  const forget = tape.onChange(pump);
  const stop = () => {
    isOver = true;
    forget();
  };
  pump();
  return stop;
}
