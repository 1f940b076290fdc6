import type { Citation } from '@castellan/contracts';
import type { Rights } from '../../context/rights.ts';
import type { Tool } from '../../tools/tool.ts';
import type { AnswerEvent, Answered, Question } from '../analyst.ts';
import { topicOf } from './analyse.ts';
import { declinedReply, helpReply, restOf, selfReply } from './declined.ts';
import { askedIn } from './parts.ts';
import type { Understood } from './recognise.ts';
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

async function replyToPart(understood: Understood, question: Question, call: ReturnType<typeof toolRunner>) {
  const { intent } = understood;
  const asked = { topic: topicOf(question.context), question: understood.question };
  if (intent === 'self') return selfReply;
  if (intent === 'help') return helpReply;
  if (isFigureIntent(intent)) return replyOf(intent, asked);
  return toolReplies[intent]({ ...asked, call, text: question.text });
}

/** Suggestions below an answer to several parts. */
const mostSuggested = 3;

async function replyTo(question: Question, call: ReturnType<typeof toolRunner>): Promise<Reply> {
  const earlier = question.history.filter(({ role }) => role === 'user').map((turn) => turn.text);
  const { understood, rest } = askedIn(question.text, question.context, earlier.slice(-remembered));
  if (rest !== null && understood.length === 0) return declinedReply(rest);
  const replies: Reply[] = [];
  for (const part of understood) replies.push(await replyToPart(part, question, call));
  const tables = replies.map(({ table }) => table).filter((table) => table !== null);
  return {
    lead: together([...replies.map(({ lead }) => lead), rest === null ? null : restOf(rest)]),
    table: tables.length === 0 ? null : together(tables, '\n\n'),
    ask: [...new Set(replies.flatMap(({ ask }) => ask))].slice(0, mostSuggested),
  };
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
