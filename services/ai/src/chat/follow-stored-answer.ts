import type { Logger } from '@castellan/service-kit';
import { abandonedAfterMs } from './adapters/chat-store.mongo.ts';
import { AnswerLog } from './answer-log.ts';
import type { AnswerState, ChatStore, Owner } from './ports.ts';

const lookMs = 150;

type Ports = { store: ChatStore; log: Logger; now: () => number; wait: (ms: number) => Promise<unknown> };

/** The log of an answer that another instance writes, or wrote: filled from the store until it has ended. */
export function followStoredAnswer(
  ports: Ports,
  owner: Owner,
  found: AnswerState,
  afterSeq: number,
  isWanted: () => boolean,
): AnswerLog {
  const answerLog = new AnswerLog({ conversationId: found.conversation_id, messageId: found._id }, afterSeq + 1);
  void fill(ports, owner, answerLog, found, isWanted);
  return answerLog;
}

async function fill(ports: Ports, owner: Owner, answerLog: AnswerLog, found: AnswerState, isWanted: () => boolean) {
  const { store, log, now, wait } = ports;
  let state: AnswerState | undefined = found;
  while (isWanted()) {
    try {
      // The state was read before the tokens: when it says that the answer has ended, these are all of them.
      const texts = await store.tokensFrom(answerLog.messageId, answerLog.next);
      const tools = (state?.tools ?? []).filter(({ at }) => at >= answerLog.first);
      answerLog.addTools(...tools.slice(answerLog.tools.length));
      answerLog.add(...texts);
      if (state?.status !== 'streaming') return answerLog.end(doneOf(state, answerLog));
      await wait(lookMs);
      if (now() - (state.heartbeat_at?.getTime() ?? 0) > abandonedAfterMs) await store.failAbandoned();
      state = await store.findAnswer(owner, answerLog.conversationId, answerLog.messageId);
    } catch (error) {
      log.warn('could not follow a stored answer', { error: error as Error });
      await wait(lookMs);
    }
  }
}

/** Without a state the conversation was deleted meanwhile. */
const doneOf = (state: AnswerState | undefined, answerLog: AnswerLog) => ({
  tokens: answerLog.next,
  status: state === undefined || state.status === 'streaming' ? ('failed' as const) : state.status,
  usage: state?.usage ?? { input_tokens: 0, output_tokens: 0 },
  citations: state?.citations ?? [],
  ungrounded_figures: state?.ungrounded_figures ?? [],
});
