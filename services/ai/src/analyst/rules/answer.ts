import type { Citation } from '@castellan/contracts';
import type { Rights } from '../../context/rights.ts';
import type { Tool } from '../../tools/tool.ts';
import type { AnswerEvent, Answered, Question } from '../analyst.ts';
import { topicOf } from './analyse.ts';
import { declinedReply, helpReply, selfReply } from './declined.ts';
import { recognise } from './recognise.ts';
import { isFigureIntent, type Reply, replyOf } from './replies.ts';
import { toolReplies } from './tool-replies.ts';
import { allowedPerQuestion, type Brought, toolRunner } from './tool-runner.ts';
import { citationsOf, type Phrase, plain, together } from './writer.ts';

const paragraphs = (...phrases: (Phrase | null)[]): Phrase =>
  together(
    phrases.filter((phrase) => phrase !== null && phrase.text !== ''),
    '\n\n',
  );

/** Questions before this one that are looked at, to know what goes on. */
const remembered = 5;

async function replyTo(question: Question, call: ReturnType<typeof toolRunner>): Promise<Reply> {
  const { context, text } = question;
  const earlier = question.history.filter(({ role }) => role === 'user').map((turn) => turn.text);
  const found = recognise(text, context, earlier.slice(-remembered));
  if (!('intent' in found)) return declinedReply(found);
  const { intent } = found;
  const asked = { topic: topicOf(context), question: found.question };
  if (intent === 'self') return selfReply;
  if (intent === 'help') return helpReply;
  if (isFigureIntent(intent)) return replyOf(intent, asked);
  return toolReplies[intent]({ ...asked, call, text });
}

const suggested = (ask: readonly string[]): Phrase | null =>
  ask.length === 0 ? null : plain(`You could also ask:\n${ask.map((one) => `- ${one}`).join('\n')}`);

/** Words with the space behind them, so that pieces put together are the text. */
const pieces = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? [];

type Options = {
  tools: readonly Tool[];
  rights: Rights;
  signal: AbortSignal;
  onEvent: (event: AnswerEvent) => void;
};

/** Answers by rules: a sentence first, the figures behind it as a table, and what might be asked next. */
export async function answer(question: Question, { tools, rights, signal, onEvent }: Options): Promise<Answered> {
  const brought: Brought[] = [];
  const call = toolRunner({ question, tools, rights, signal, onEvent, brought, most: allowedPerQuestion });
  const { lead, table, ask } = await replyTo(question, call);
  const whole = paragraphs(
    lead,
    table,
    suggested(ask.filter((one) => one.toLowerCase() !== question.text.trim().toLowerCase())),
  );
  let text = '';
  for (const piece of pieces(whole.text)) {
    if (signal.aborted) break;
    text += piece;
    onEvent({ type: 'text', text: piece });
  }
  const citations: Citation[] = citationsOf(whole);
  return {
    text,
    citations,
    usage: { inputTokens: 0, outputTokens: 0 },
    figures: brought.flatMap(({ figures }) => figures),
    identifiers: brought.flatMap(({ identifiers }) => identifiers),
  };
}
