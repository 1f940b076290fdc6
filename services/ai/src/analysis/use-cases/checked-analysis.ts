import type { Analysis, Citation } from '@castellan/contracts';
import type { Analyst, DraftAnalysis, Section } from '../../analyst/analyst.ts';
import { highlightsOf, sections, summaryOf, topicOf, writeSection } from '../../analyst/rules/analyse.ts';
import type { VaultContext } from '../../context/vault-context.ts';
import { citationOf } from '../../domain/citation.ts';
import type { ContextFigure } from '../../domain/figure.ts';
import { type Grounding, groundingOf, type Ungrounded } from '../../domain/grounding.ts';
import { markUngrounded } from '../../domain/mark-ungrounded.ts';

/** How a text came about: as written, after a second try, or by the rules because the analyst could not. */
export type Outcome = 'grounded' | 'regenerated' | 'fell_back' | 'unavailable';

const check = (context: VaultContext, text: string): Grounding =>
  groundingOf(text, context.figures, context.identifiers);

const textsOf = ({ sections: written, summary, highlights }: DraftAnalysis): string[] => [
  ...written.map(({ narrative }) => narrative),
  summary,
  ...highlights,
];

/** Every figure of a draft that could not be traced. */
export const refusedOf = (context: VaultContext, draft: DraftAnalysis): Ungrounded[] =>
  textsOf(draft).flatMap((text) => check(context, text).ungrounded);

/**
 * Citations that the context bears out, with its own values, and what the text quotes besides. A number is first looked for among
 * the figures it was written from: others may be rounded to the same.
 */
function citationsOf(given: readonly Citation[], text: string, { figures, identifiers }: VaultContext) {
  const byPath = new Map(figures.map((figure) => [figure.path, figure]));
  const known = given.flatMap(({ path }) => byPath.get(path) ?? []);
  const { cited } = groundingOf(text, [...known, ...figures], identifiers);
  const isKnown = ({ unit, value }: ContextFigure) => known.some((one) => one.unit === unit && one.value === value);
  const all = [...known, ...cited.filter((figure) => !isKnown(figure))];
  return [...new Map(all.map((figure) => [figure.path, figure])).values()].map(citationOf);
}

/** One section whose every figure is traced: as it was drafted, or by the rules. */
function soundSection(context: VaultContext, drafted: Section | undefined, id: Section['id']): Section {
  const fallback = () => writeSection(topicOf(context), id);
  if (drafted === undefined || drafted.narrative.trim() === '') return fallback();
  const isSound = (text: string) => check(context, text).ungrounded.length === 0;
  return isSound(drafted.narrative) && isSound(drafted.title) ? drafted : fallback();
}

type Texts = Pick<Analysis, 'sections' | 'summary' | 'highlights' | 'ungrounded_figures'>;

/** Puts the rules' text where a drafted one holds what cannot be traced; marks and lists what is left even then. */
export function soundTexts(context: VaultContext, draft: DraftAnalysis): Texts {
  const found: Analysis['ungrounded_figures'] = [];
  const marked = (section: string, text: string): string => {
    const { ungrounded } = check(context, text);
    found.push(...ungrounded.map(({ figure, context: around }) => ({ section, figure, context: around })));
    return markUngrounded(text, ungrounded);
  };
  const isSound = (text: string) => text.trim() !== '' && check(context, text).ungrounded.length === 0;
  const written = sections.map(({ id }) => {
    const { title, narrative, citations } = soundSection(
      context,
      draft.sections.find((section) => section.id === id),
      id,
    );
    return {
      id,
      title,
      narrative: marked(id, narrative),
      citations: citationsOf(citations, narrative, context),
    };
  });
  const topic = topicOf(context);
  const summary = isSound(draft.summary) ? draft.summary : summaryOf(topic).text;
  const kept = draft.highlights.filter(isSound);
  const highlights = kept.length >= 3 ? kept.slice(0, 5) : highlightsOf(topic, summary).map(({ text }) => text);
  return {
    sections: written,
    summary: marked('summary', summary),
    highlights: highlights.map((text) => marked('highlights', text)),
    ungrounded_figures: found,
  };
}

/**
 * A draft whose figures were checked: one with figures that cannot be traced is written once more, with a list of what was refused.
 * @throws AppError of the analyst, when the first try fails.
 */
export async function checkedDraft(
  analyst: Analyst,
  context: VaultContext,
  signal: AbortSignal,
): Promise<{ draft: DraftAnalysis; outcome: Outcome; refused: number }> {
  const first = await analyst.analyse(context, { signal });
  const refused = refusedOf(context, first);
  if (refused.length === 0) return { draft: first, outcome: 'grounded', refused: 0 };
  const second = await analyst.analyse(context, { signal, refused }).catch(() => first);
  const usage = {
    inputTokens: first.usage.inputTokens + (second === first ? 0 : second.usage.inputTokens),
    outputTokens: first.usage.outputTokens + (second === first ? 0 : second.usage.outputTokens),
  };
  const left = refusedOf(context, second).length;
  return {
    draft: { ...second, usage },
    outcome: left === 0 ? 'regenerated' : 'fell_back',
    refused: refused.length + left,
  };
}
