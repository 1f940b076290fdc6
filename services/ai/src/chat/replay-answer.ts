import type { AnswerLog } from './answer-log.ts';
import type { ConnectionWriter } from './connection-writer.ts';
import { errorMessageOf } from './error-message.ts';

/**
 * Replays an answer to a client from behind `afterSeq`, as fast as the client reads and as its log grows. A tool call between the
 * last token that was seen and the next is sent again: nobody knows whether it was seen.
 * @returns stops replaying.
 */
export function replay(
  answerLog: AnswerLog,
  writer: ConnectionWriter,
  afterSeq: number,
  onEnd: () => void,
): () => void {
  const ids = { conversation_id: answerLog.conversationId, message_id: answerLog.messageId };
  let next = afterSeq + 1;
  let tool = answerLog.tools.filter(({ at }) => at < next).length;
  let isOver = false;
  let isWaiting = false;

  const playOne = (): boolean => {
    const call = answerLog.tools[tool];
    if (call !== undefined && call.at <= next) {
      const { at, ...sent } = call;
      tool += 1;
      writer.send('chat:tool', { ...ids, ...sent });
      return true;
    }
    const text = answerLog.tokens[next - answerLog.first];
    if (text !== undefined) {
      writer.send('chat:token', { ...ids, seq: next, text });
      next += 1;
      return true;
    }
    if (answerLog.done !== undefined) {
      if (answerLog.error) writer.send('chat:error', errorMessageOf(answerLog.error, answerLog));
      writer.send('chat:done', { ...ids, ...answerLog.done });
      stop();
      onEnd();
    }
    return false;
  };
  const pump = (): void => {
    while (!isOver && !isWaiting) {
      if (writer.isFull) {
        isWaiting = true;
        writer.whenWritable(() => {
          isWaiting = false;
          pump();
        });
      } else if (!playOne()) return;
    }
  };
  const forget = answerLog.onChange(pump);
  const stop = () => {
    isOver = true;
    forget();
  };
  pump();
  return stop;
}
