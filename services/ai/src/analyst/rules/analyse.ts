import type { VaultContext } from '../../context/vault-context.ts';
import type { DraftAnalysis, Section } from '../analyst.ts';
import { aboutFees, pendingFee } from './fees.ts';
import { aboutLiquidity, churn, instant, redemptions } from './liquidity.ts';
import { aboutPerformance, growth, pace, standing } from './performance.ts';
import { isPriceSound, latenessOf, pauseOf, stateOf } from './price.ts';
import { aboutRisk, concentration, deepest, holders, score } from './risk.ts';
import { aboutSources, carrier } from './sources.ts';
import { sizeOf, type Topic } from './topic.ts';
import { citationsOf, type Phrase, plain, together, writerOn } from './writer.ts';

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

/** Two or three sentences: size and pace, danger, and the state if it is not as it should be. */
export function summaryOf(topic: Topic): Phrase {
  const { context, writer } = topic;
  const { level } = context.answers.risk;
  return together([
    writer.phrase`${standing(topic)}`,
    pace(topic),
    isPriceSound(topic)
      ? plain(
          level === null
            ? 'The vault is in operation; the risk score is incomplete.'
            : `The vault is in operation and its risk is ${level}.`,
        )
      : plain(troubleOf(context)),
  ]);
}

function troubleOf({ detail, answers }: VaultContext): string {
  if (detail.is_paused) return 'The vault is paused.';
  if (detail.pps_status === 'expired') return 'The accepted price has expired and can no longer be used on chain.';
  if (detail.is_pps_stale) return 'The contract marks the price as stale.';
  if (answers.transmissions.next.reason !== null) return 'The next price is late.';
  return 'The price needs attention.';
}

const most = 5;
const least = 3;

/** Three to five findings, the urgent ones first. */
export function highlightsOf(topic: Topic): Phrase[] {
  const { writer } = topic;
  const waits = sizeOf(writer.figure('operations.redemptions.pending')) ?? 0;
  const fell = sizeOf(writer.figure('risk.max_drawdown_30d')) ?? 0;
  const left = sizeOf(writer.figure('users.bridge.d30.churned')) ?? 0;
  const urgent = [
    pauseOf(topic),
    latenessOf(topic),
    stateOf(topic),
    waits > 0 ? redemptions(topic) : null,
    fell > 0 ? deepest(topic) : null,
  ];
  const usual = [pace(topic), carrier(topic), growth(topic, 'd7'), left > 0 ? churn(topic) : null];
  const filling = [pendingFee(topic), instant(topic), score(topic), holders(topic), concentration(topic)];
  const found = [...urgent, ...usual].filter((phrase) => phrase !== null && phrase.text !== '') as Phrase[];
  const more = filling.filter((phrase) => phrase !== null && phrase.text !== '') as Phrase[];
  const wanted = Math.max(0, least - found.length);
  return [...found, ...more.slice(0, wanted)].slice(0, most);
}

/** An analysis by rules: nothing in it that is not a figure of the context. */
export function analyse(context: VaultContext): DraftAnalysis {
  const topic = topicOf(context);
  return {
    sections: sections.map(({ id }) => writeSection(topic, id)),
    summary: summaryOf(topic).text,
    highlights: highlightsOf(topic).map(({ text }) => text),
    usage: { inputTokens: 0, outputTokens: 0 },
  };
}
