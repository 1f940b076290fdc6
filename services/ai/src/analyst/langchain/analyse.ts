import { AppError } from '@castellan/contracts';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { AIMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { VaultContext } from '../../context/vault-context.ts';
import type { Ungrounded } from '../../domain/grounding.ts';
import { quoteUntrusted } from '../../domain/quote-untrusted.ts';
import { isSuspect } from '../../domain/suspect.ts';
import type { DraftAnalysis, Usage } from '../analyst.ts';
import { sections } from '../rules/analyse.ts';
import { vaultBlock } from './blocks.ts';
import { tooLate } from './faults.ts';
import type { ModelDeps } from './model-deps.ts';
import { repeatsPrompt, shown, unnumbered } from './outgoing.ts';
import { type Named, namedByPath, type Rendered, render, unknownFigure } from './placeholders.ts';
import { withRetries } from './retry.ts';
import { analysisPrompt } from './system-prompt.ts';
import { plus, usageOf } from './usage.ts';

const SectionDraft = z.strictObject({ narrative: z.string(), citations: z.array(z.string()) });
const Draft = z.strictObject({
  sections: z.strictObject({
    performance: SectionDraft,
    risk: SectionDraft,
    yield_sources: SectionDraft,
    fees: SectionDraft,
    liquidity: SectionDraft,
  }),
  summary: z.string(),
  highlights: z.array(z.string()),
});
type Draft = z.infer<typeof Draft>;
const draftSchema = z.toJSONSchema(Draft);
/** A text far beyond what was asked for is none. */
const longest = 4_000;
const mostShown = 2_000;

type Asked = { draft: Draft | null; raw: string; usage: Usage };
type Options = { signal: AbortSignal; refused?: readonly Ungrounded[] };
type Message = [role: 'system' | 'human', text: string];

/** Some clients throw what is no JSON instead of handing it over. */
const isMalformed = (error: unknown): boolean =>
  error instanceof Error && ['SyntaxError', 'OutputParserException'].includes(error.name);

/** One request for a draft; null where what came is none. */
async function ask(model: BaseChatModel, deps: ModelDeps, messages: Message[], signal: AbortSignal): Promise<Asked> {
  const structured = model.withStructuredOutput(draftSchema, { name: 'analysis', includeRaw: true });
  const sent = messages.map(([, text]) => text).join('\n');
  const counted = (message: Parameters<typeof usageOf>[0], received: string): Usage => {
    const usage = usageOf(message, sent, received);
    deps.meter.add(usage);
    return usage;
  };
  const once = async () => {
    const late = AbortSignal.timeout(deps.timeoutMs);
    try {
      return await structured.invoke(messages, { signal: AbortSignal.any([signal, late]) });
    } catch (error) {
      if (isMalformed(error)) return null;
      throw late.aborted ? tooLate() : error;
    }
  };
  const output = await withRetries(deps.retry, signal, once);
  if (output === null) return { draft: null, raw: '', usage: counted({}, '') };
  const message = output.raw as AIMessage;
  const received = message.text || JSON.stringify(message.tool_calls ?? []);
  const draft = Draft.safeParse(output.parsed);
  return {
    draft: draft.success ? draft.data : null,
    raw: received.slice(0, mostShown),
    usage: counted(message, received),
  };
}

/** Narrative, summary and highlights with their figures in place. */
function textsOf(draft: Draft, named: Named) {
  const written = (text: string): Rendered => {
    const rendered = render(text.slice(0, longest), named);
    return { ...rendered, text: unnumbered(shown(rendered.text)).trim() };
  };
  return {
    sections: sections.map(({ id, title }) => ({
      id,
      title,
      citations: draft.sections[id].citations,
      narrative: written(draft.sections[id].narrative),
    })),
    summary: written(draft.summary),
    highlights: draft.highlights.slice(0, 10).map(written),
  };
}
type Texts = ReturnType<typeof textsOf>;

const unknownIn = ({ sections: written, summary, highlights }: Texts): string[] =>
  [...written.map(({ narrative }) => narrative), summary, ...highlights].flatMap(({ unknown }) => unknown);

/** Empty for a text that must not be shown: the rules write in its place. */
const sound = ({ text }: Rendered): string =>
  text.includes(unknownFigure) || isSuspect(text) || repeatsPrompt(text) ? '' : text;

function draftOf({ sections: written, summary, highlights }: Texts, named: Named, usage: Usage): DraftAnalysis {
  const citation = (path: string) => {
    const figure = named.get(path);
    return figure === undefined ? [] : [{ metric: figure.label, path, value: figure.value }];
  };
  return {
    sections: written.map(({ id, title, citations, narrative }) => ({
      id,
      title,
      narrative: sound(narrative),
      citations: [...new Set([...narrative.used.map(({ path }) => path), ...citations])].flatMap(citation),
    })),
    summary: sound(summary),
    highlights: highlights.map(sound).filter((text) => text !== ''),
    usage,
  };
}

/**
 * An analysis by a model. What is no draft, or names figures that do not exist, is asked for once more, with what was wrong.
 * @throws AppError MODEL_UNAVAILABLE when even then there is no draft.
 */
export async function analyse(
  model: BaseChatModel,
  deps: ModelDeps,
  context: VaultContext,
  { signal, refused = [] }: Options,
): Promise<DraftAnalysis> {
  const boundary = deps.newBoundary();
  const named = namedByPath(context.figures);
  const messages: Message[] = [
    ['system', analysisPrompt],
    ['human', quoteUntrusted('vault', vaultBlock(context), boundary)],
  ];
  if (refused.length > 0) {
    const untraced = refused.slice(0, 20).map(({ figure, context: around, reason }) => ({ figure, around, reason }));
    messages.push([
      'human',
      `Your last text held numbers that could not be traced. Use paths between double braces only.\n${quoteUntrusted('refused', untraced, boundary)}`,
    ]);
  }
  messages.push(['human', 'Write the analysis.']);
  const first = await ask(model, deps, messages, signal);
  const texts = first.draft && textsOf(first.draft, named);
  if (texts && unknownIn(texts).length === 0) return draftOf(texts, named, first.usage);
  const wrong = texts ? { unknown_paths: unknownIn(texts).slice(0, 20) } : { no_analysis: first.raw };
  const repair: Message = [
    'human',
    `Your last answer was not usable: it must be JSON of the given schema, with paths of the block "vault" only.\n${quoteUntrusted('wrong', wrong, boundary)}`,
  ];
  const second = await ask(model, deps, [...messages, repair], signal);
  const usage = plus(first.usage, second.usage);
  const repaired = second.draft && textsOf(second.draft, named);
  const best = repaired ?? texts;
  if (best === null) throw new AppError('MODEL_UNAVAILABLE', 'The model gave no analysis. Try again in a minute.');
  return draftOf(best, named, usage);
}
