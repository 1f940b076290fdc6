import { AppError, type ChatSend } from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';
import type { VerifiedToken } from '@castellan/tokens';
import type { z } from 'zod';
import type { Analyst } from '../analyst/analyst.ts';
import type { Budgets } from '../budgets/budgets.ts';
import { readContext, readVault } from '../context/read-context.ts';
import { answersPerUser, messagesPerConversation } from './adapters/chat-store.mongo.ts';
import type { AnswerRun } from './answer-run.ts';
import type { Answers } from './answers.ts';
import type { ChatStore, NewExchange } from './ports.ts';

/** How much of a conversation an analyst gets. */
const remembered = { turns: 20, characters: 12_000 };
const longestTitle = 80;

export type SendPorts = {
  store: ChatStore;
  answers: Answers;
  budgets: Budgets;
  analyst: Analyst;
  /** Answers once the budget of the vault is spent. */
  rules: Analyst;
  callAction: CallAction;
  newId: () => string;
  now: () => number;
};

export const noConversation = () =>
  new AppError('CONVERSATION_NOT_FOUND', 'You have no such conversation about this vault. Start a new one.');

function titleOf(message: string): string {
  const line = message.replaceAll(/\s+/g, ' ');
  return line.length <= longestTitle ? line : `${line.slice(0, longestTitle - 1)}…`;
}

/** Counts the message, then looks whether the caller may ask about the vault, and goes on with a conversation of its own. */
async function admitted(ports: SendPorts, { caller }: VerifiedToken, message: z.output<typeof ChatSend>) {
  const { store, budgets, callAction } = ports;
  const seconds = await budgets.secondsUntilMessage(caller.wallet_address);
  if (seconds > 0)
    throw new AppError('RATE_LIMITED', 'You have sent too many messages this minute. Wait a moment.', {
      data: { retry_after_seconds: seconds },
    });
  const vault = { chain_id: message.chain_id, vault_address: message.vault_address };
  const id = message.conversation_id;
  const [detail, conversation] = await Promise.all([
    readVault({ caller, callAction }, vault),
    id === undefined ? undefined : store.findConversation(caller, id),
  ]);
  if (id !== undefined) {
    const isSame = conversation?.chain_id === vault.chain_id && conversation.vault_address === vault.vault_address;
    if (!conversation || !isSame) throw noConversation();
    if (conversation.messages >= messagesPerConversation)
      throw new AppError('VALIDATION_FAILED', 'This conversation is full. Start a new one.');
  }
  return { detail, conversation };
}

/** Stores a question and its answer, still empty, with the tokens of a model set aside for it where some are left. */
async function begun({ store, budgets }: SendPorts, vault: string, exchange: NewExchange) {
  const reserved = await budgets.reserveTokens(vault);
  let outcome: Awaited<ReturnType<ChatStore['begin']>> | undefined;
  try {
    outcome = await store.begin(exchange);
  } finally {
    if (outcome !== 'begun') await reserved?.settle(0);
  }
  if (outcome === 'gone') throw noConversation();
  if (outcome === 'busy')
    throw new AppError('RATE_LIMITED', `You have ${answersPerUser} answers under way. Wait for one, or stop it.`, {
      data: { retry_after_seconds: 5 },
    });
  return reserved;
}

/** Takes a question, stores it and starts its answer. @throws AppError when it may not be asked, or not now. */
export async function sendQuestion(
  ports: SendPorts,
  verified: VerifiedToken,
  message: z.output<typeof ChatSend>,
): Promise<{ run: AnswerRun; questionId: string; analyst: Analyst }> {
  const { store, answers, callAction, newId, now } = ports;
  const askedAt = now();
  const { caller, isEmbedded, expiresAtMs } = verified;
  const { detail, conversation } = await admitted(ports, verified, message);
  const vault = { chain_id: detail.chain_id, vault_address: detail.vault_address };
  const rights = { caller, callAction };
  const context = readContext(rights, vault, detail);
  // The answer awaits it and reports a failure; until then that is no unhandled rejection.
  context.catch(() => undefined);
  const conversationId = conversation?.id ?? newId();
  const ids = { conversationId, messageId: newId() };
  const history = conversation ? await store.historyOf(conversationId, remembered) : [];
  const questionId = newId();
  const title = conversation ? undefined : titleOf(message.message);
  const vaultId = `${vault.chain_id}:${vault.vault_address.toLowerCase()}`;
  const exchange = { ...ids, questionId, owner: caller, title, vault, text: message.message };
  const reserved = await begun(ports, vaultId, exchange);
  const analyst = reserved ? ports.analyst : ports.rules;
  const run = answers.start(
    {
      ids,
      rights,
      history,
      context,
      text: message.message,
      session: { sid: caller.sid, isEmbedded, expiresAtMs },
      vault: vaultId,
      reserved,
    },
    analyst,
    askedAt,
  );
  return { run, questionId, analyst };
}
