import type { VaultContext } from '../../context/vault-context.ts';
import type { DraftAnalysis, Section } from '../analyst.ts';
import { aboutFees, pendingFee, proposed } from './fees.ts';
import { aboutLiquidity, churn, instant, redemptions, upkeep } from './liquidity.ts';
import { aboutPerformance, earned, growth, pace, standing } from './performance.ts';
import { isPriceSound, latenessOf, pauseOf, stateOf, troubleOf } from './price.ts';
import { aboutRisk, concentration, deepest, holders, score } from './risk.ts';
import { aboutSources, carrier } from './sources.ts';
import { sizeOf, type Topic } from './topic.ts';
import { citationsOf, either, type Phrase, plain, together, writerOn } from './writer.ts';

/** The five sections, in the order they are shown. */
export const sections = [
  { id: 'performance', title: 'Performance', about: aboutPerformance },
  { id: 'risk', title: 'Risk', about: aboutRisk },
  { id: 'yield_sources', title: 'Yield sources', about: aboutSources },
  { id: 'fees', title: 'Fees', about: aboutFees },
  { id: 'liquidity', title: 'Liquidity', about: aboutLiquidity },
] as const satisfies readonly { id: Section['id']; title: string; about: (topic: Topic) => Phrase }[];

export const topicOf = (context: VaultContext): Topic => ({ context, writer: writerOn(context) });

/** One section as the rules write it. */
export function writeSection(topic: Topic, id: Section['id']): Section {
  const { title, about } = sections.find((section) => section.id === id) ?? sections[0];
  const phrase = about(topic);
  return { id, title, narrative: phrase.text, citations: citationsOf(phrase) };
}

/** Size and result in one sentence. */
const opening = (topic: Topic): Phrase | null => {
  const { writer } = topic;
  const held = writer.figure('overview.tvl_usd') ?? writer.figure('overview.tvl_asset');
  return either(
    writer.phrase`The vault holds ${held} and returned ${writer.figure('performance.period_return.d30')} over 30 days after fees.`,
    together([standing(topic), earned(topic)]),
  );
};

const lowRunway = 14 * 86_400;

/** What needs attention today, the most urgent first; empty on a usual day. */
function matters(topic: Topic): Phrase[] {
  const { context, writer } = topic;
  const { level } = context.answers.risk;
  const size = (path: string) => sizeOf(writer.figure(path));
  const found = [
    isPriceSound(topic) ? null : troubleOf(topic),
    context.detail.upkeep_info.enabled && (size('operations.upkeep.runway_seconds') ?? lowRunway) < lowRunway
      ? upkeep(topic)
      : null,
    (size('risk.liquidity.coverage.k3') ?? 1) < 1
      ? plain('A run of the largest holders could not be paid on demand.')
      : null,
    (size('operations.redemptions.pending') ?? 0) > 0 ? redemptions(topic) : null,
    (size('performance.drawdown_now') ?? 0) > 0 ? deepest(topic) : null,
    level === 'high' ? score({ context: withoutFloors(context), writer }) : null,
    proposed(topic),
  ];
  return found.filter((phrase) => phrase !== null && phrase.text !== '') as Phrase[];
}

/** The summary names the level and its causes; why it stays high, or may be too low, is for the section on risk. */
const withoutFloors = (context: VaultContext): VaultContext => ({
  ...context,
  answers: { ...context.answers, risk: { ...context.answers.risk, floors: [], unknown_floors: [] } },
});

/** Two or three sentences: size and result, and the one or two things that matter today. */
export function summaryOf(topic: Topic): Phrase {
  const urgent = matters(topic).slice(0, 2);
  return together([opening(topic), ...(urgent.length > 0 ? urgent : [plain('Nothing needs attention today.')])]);
}

const most = 5;
const least = 3;

/** The sentences of a text, as they stand in it. */
const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?])\s+/);

/** A finding without the sentences that were said already. */
function without({ text, figures }: Phrase, said: ReadonlySet<string>): Phrase {
  const left = sentencesOf(text).filter((sentence) => !said.has(sentence));
  return { text: left.join(' '), figures };
}

/**
 * Three to five findings, the urgent ones first.
 * @param summary - What it says is not said again.
 */
export function highlightsOf(topic: Topic, summary: string = summaryOf(topic).text): Phrase[] {
  const { context, writer } = topic;
  const left = sizeOf(writer.figure('users.bridge.d30.churned')) ?? 0;
  const trouble = [pauseOf(topic), latenessOf(topic), stateOf(context)];
  const isDown = (sizeOf(writer.figure('performance.drawdown_now')) ?? 0) > 0;
  const canSkim = context.detail.pending_performance_fee.can_skim;
  const usual = [pace(topic), growth(topic, 'd7'), canSkim ? pendingFee(topic) : null, left > 0 ? churn(topic) : null];
  const filling = [
    carrier(topic),
    isDown ? null : deepest(topic),
    instant(topic),
    score(topic),
    holders(topic),
    concentration(topic),
  ];
  const said = new Set(sentencesOf(summary));
  const written = (phrases: readonly (Phrase | null)[]) =>
    phrases
      .filter((phrase) => phrase !== null)
      .map((phrase) => without(phrase, said))
      .filter(({ text }) => text !== '');
  // The state of the price is said once, by what is wrong with it.
  const urgent = written(trouble);
  const others = written(matters(topic).slice(isPriceSound(topic) ? 0 : 1));
  const found = [...urgent, ...others, ...written(usual)];
  const wanted = Math.max(0, least - found.length);
  return [...found, ...written(filling).slice(0, wanted)].slice(0, most);
}

/** An analysis by rules: nothing in it that is not a figure of the context. */
export function analyse(context: VaultContext): DraftAnalysis {
  const topic = topicOf(context);
  const summary = summaryOf(topic).text;
  return {
    sections: sections.map(({ id }) => writeSection(topic, id)),
    summary,
    highlights: highlightsOf(topic, summary).map(({ text }) => text),
    usage: { inputTokens: 0, outputTokens: 0 },
  };
}
