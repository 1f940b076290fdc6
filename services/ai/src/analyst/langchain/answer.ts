import { AppError } from '@castellan/contracts';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { AIMessageChunk, BaseMessage } from '@langchain/core/messages';
import type { Rights } from '../../context/rights.ts';
import { groundingOf } from '../../domain/grounding.ts';
import { quoteUntrusted } from '../../domain/quote-untrusted.ts';
import type { Tool } from '../../tools/tool.ts';
import type { AnswerEvent, Answered, Question, Usage } from '../analyst.ts';
import { runAgent, untilStopped } from './agent.ts';
import { historyBlock, vaultBlock } from './blocks.ts';
import { checkedStream } from './checked-stream.ts';
import { tooLate } from './faults.ts';
import type { ModelDeps } from './model-deps.ts';
import { namedByPath } from './placeholders.ts';
import { withRetries } from './retry.ts';
import { answerPrompt } from './system-prompt.ts';
import { describedTools, type ModelCall, toolCalls } from './tool-calls.ts';
import { nothing, plus, usageOf } from './usage.ts';

type Options = {
  tools: readonly Tool[];
  rights: Rights;
  signal: AbortSignal;
  onEvent: (event: AnswerEvent) => void;
};

type Streaming = {
  model: ReturnType<NonNullable<BaseChatModel['bindTools']>>;
  deps: ModelDeps;
  signal: AbortSignal;
  push: (text: string) => void;
};

/** What a model said in one turn. */
type Said = Pick<AIMessageChunk, 'tool_calls' | 'invalid_tool_calls' | 'usage_metadata'> & { text: string };

/** One request, its text pushed as it comes. A server that falls silent is given up; one that goes on is not. */
async function streamOnce({ model, deps, signal, push }: Streaming, messages: BaseMessage[]): Promise<Said> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), deps.timeoutMs);
  let rest: AIMessageChunk | undefined;
  let text: string | undefined;
  const longest = deps.answerTokens * mostCharactersPerToken;
  try {
    // What `stream` wraps in a web stream and a context of its own, which cost as much as reading the answer.
    const stream = model._streamIterator(messages, { signal: AbortSignal.any([signal, silence.signal]) });
    for await (const chunk of stream) {
      timer.refresh();
      text = (text ?? '') + chunk.text;
      // Pieces of text need no merging; it costs more with each.
      if (holdsMore(chunk)) rest = rest === undefined ? chunk : rest.concat(chunk);
      push(chunk.text);
      // Not every server keeps to the tokens it was allowed.
      if (text.length > longest) break;
    }
  } catch (error) {
    throw silence.signal.aborted ? tooLate() : error;
  } finally {
    clearTimeout(timer);
  }
  if (text === undefined) throw new AppError('MODEL_UNAVAILABLE', 'The model gave no answer. Try again in a minute.');
  const { tool_calls = [], invalid_tool_calls = [], usage_metadata } = rest ?? {};
  return { text, tool_calls, invalid_tool_calls, usage_metadata };
}
const holdsMore = ({ tool_call_chunks = [], usage_metadata }: AIMessageChunk): boolean =>
  tool_call_chunks.length > 0 || usage_metadata !== undefined;
const mostCharactersPerToken = 8;

const contentOf = (messages: readonly BaseMessage[]): string => messages.map(({ text }) => text).join('\n');
const callsOf = ({ tool_calls = [], invalid_tool_calls = [] }: Said): (ModelCall & { id: string })[] => [
  ...tool_calls.map(({ id = '', name, args }) => ({ id, name, args })),
  ...invalid_tool_calls.map(({ id = '', name = '' }) => ({ id, name, args: null })),
];

/** Messages a model is asked with: the rules, what is known, what was said, and the question, each in its own block. */
async function opening({ context, history, text }: Question, boundary: string): Promise<BaseMessage[]> {
  const { HumanMessage, SystemMessage } = await import('@langchain/core/messages');
  const blocks = [
    quoteUntrusted('vault', vaultBlock(context), boundary),
    ...(history.length === 0 ? [] : [quoteUntrusted('conversation so far', historyBlock(history), boundary)]),
    quoteUntrusted('question', text, boundary),
  ];
  const asked = `${blocks.join('\n')}\nAnswer the block "question" within your rules.`;
  return [new SystemMessage(answerPrompt), new HumanMessage(asked)];
}

/** Calls of one turn that are answered at all; a model that writes more has gone wrong. */
const mostCallsPerTurn = 32;

/**
 * Answers with a model that may call tools. Everything it writes goes through {@link checkedStream}. Once stopped it ends with
 * what was sent.
 * @throws AppError MODEL_UNAVAILABLE
 */
export async function answer(
  base: BaseChatModel,
  deps: ModelDeps,
  question: Question,
  { tools, rights, signal, onEvent }: Options,
): Promise<Answered> {
  const { context } = question;
  const boundary = deps.newBoundary();
  const calls = toolCalls({ question, tools, rights, signal, onEvent, most: deps.toolCalls });
  const byPath = namedByPath(context.figures);
  const figures = () => [...context.figures, ...calls.named.values()];
  const groundNow = () => ({
    named: new Map([...byPath, ...calls.named]),
    figures: figures(),
    identifiers: new Set([...context.identifiers, ...calls.identifiers]),
  });
  // Asked for each sentence, and changed by tools alone.
  let known = groundNow();
  let size = 0;
  const ground = () => {
    const { named, identifiers } = calls;
    if (named.size + identifiers.size !== size) known = groundNow();
    size = named.size + identifiers.size;
    return known;
  };
  const out = checkedStream(ground, (text) => onEvent({ type: 'text', text }), signal);
  const model = base.bindTools?.(describedTools(tools));
  if (model === undefined) throw new AppError('MODEL_UNAVAILABLE', 'This model calls no tools. Configure another one.');
  let usage: Usage = nothing;

  /** One turn: tried again as long as nothing of it was sent. */
  const turn = async (messages: BaseMessage[]) => {
    let isSilent = true;
    const push = (text: string) => {
      if (text === '') return;
      if (isSilent && out.text() !== '') out.push('\n\n');
      isSilent = false;
      out.push(text);
    };
    const streaming = { model, deps, signal, push };
    const once = () => streamOnce(streaming, messages);
    const said = await withRetries(deps.retry, signal, once, () => isSilent);
    out.flush();
    const used = usageOf(said, contentOf(messages), said.text + JSON.stringify(said.tool_calls ?? []));
    deps.meter.add(used);
    usage = plus(usage, used);
    return said;
  };

  try {
    await runAgent({
      model: base,
      tools,
      signal,
      mostTurns: deps.toolCalls + 2,
      messages: await opening(question, boundary),
      ask: async (messages) => {
        if (usage.outputTokens >= deps.answerTokens) return null;
        const said = await turn(messages);
        return { text: said.text, calls: callsOf(said).slice(0, mostCallsPerTurn) };
      },
      run: async (call) => quoteUntrusted('result of a tool', await untilStopped(calls.run(call), signal), boundary),
    });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  if (out.text() === '' && !signal.aborted)
    throw new AppError('MODEL_UNAVAILABLE', 'The model gave no answer. Try again in a minute.');
  const all = ground();
  const cited = groundingOf(out.text(), all.figures, all.identifiers).cited;
  const citations = new Map([...out.used(), ...cited].map((figure) => [figure.path, figure]));
  return {
    text: out.text(),
    citations: [...citations.values()].map(({ label, path, value }) => ({ metric: label, path, value })),
    usage,
    figures: [...calls.named.values()],
    identifiers: [...calls.identifiers],
  };
}
