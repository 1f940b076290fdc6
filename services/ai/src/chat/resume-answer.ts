import type { ChatResume } from '@castellan/contracts';
import type { CallAction, Logger } from '@castellan/service-kit';
import type { VerifiedToken } from '@castellan/tokens';
import type { z } from 'zod';
import { readVault } from '../context/read-context.ts';
import type { AnswerLog } from './answer-log.ts';
import type { Answers } from './answers.ts';
import { followStoredAnswer } from './follow-stored-answer.ts';
import type { ChatStore } from './ports.ts';
import { noConversation } from './send-question.ts';

type Ports = {
  store: ChatStore;
  answers: Pick<Answers, 'get'>;
  callAction: CallAction;
  log: Logger;
  now: () => number;
  wait: (ms: number) => Promise<unknown>;
};

/**
 * Finds the answer that a client goes on with, and checks that its caller may still read the vault.
 * @returns opens its log: that of the run when this instance makes the answer; else one that is filled from the store, beginning
 * behind `after_seq`, for as long as it is wanted.
 * @throws AppError CONVERSATION_NOT_FOUND, or what reading the vault throws.
 */
export async function resumeAnswer(
  ports: Ports,
  caller: VerifiedToken['caller'],
  { conversation_id, message_id, after_seq }: z.output<typeof ChatResume>,
): Promise<(isWanted: () => boolean) => AnswerLog> {
  const { store, answers, callAction } = ports;
  const found = await store.findAnswer(caller, conversation_id, message_id);
  if (!found) throw noConversation();
  await readVault({ caller, callAction }, found);
  const run = answers.get(message_id);
  return (isWanted) => run?.answerLog ?? followStoredAnswer(ports, caller, found, after_seq, isWanted);
}
