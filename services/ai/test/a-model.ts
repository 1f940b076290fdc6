import { createRegistry, type Registry } from '@castellan/service-kit';
import { startFakeModel } from '../../../tests/system/fake-model.ts';
import type { Analyst, AnswerEvent, Answered, Question } from '../src/analyst/analyst.ts';
import { analystOf } from '../src/analyst/choose.ts';
import { loadConfig } from '../src/config.ts';
import type { Rights } from '../src/context/rights.ts';
import type { VaultContext } from '../src/context/vault-context.ts';
import { groundingOf } from '../src/domain/grounding.ts';
import { tools } from '../src/tools/run-tool.ts';

export const secretKey = 'sk-test-0123456789abcdef';
const environment = {
  MONGO_URI: 'mongodb://127.0.0.1:1',
  NATS_URL: 'nats://127.0.0.1:1',
  AI_MODEL: 'openai:test-model',
  AI_API_KEY: secretKey,
};

/** A model that is configured as an operator does it, and the server it talks to. */
export async function aModel(more: Record<string, string> = {}) {
  const server = await startFakeModel();
  const registry = createRegistry('ai');
  const analystWith = (over: Record<string, string> = {}, into: Registry = createRegistry('ai')): Analyst =>
    analystOf(loadConfig({ ...environment, AI_BASE_URL: server.url, ...more, ...over }).models, into);
  return { server, registry, analystWith, analyst: analystWith({}, registry), stop: () => server.stop() };
}

/** A draft a model may give, with figures by their paths. */
export const aDraft = (over: Record<string, unknown> = {}) => ({
  sections: {
    performance: {
      narrative: 'The APY over 7 days is {{performance.apy.d7}}.',
      citations: ['performance.apy.d7'],
    },
    risk: { narrative: 'The risk score is {{risk.score}}.', citations: ['risk.score'] },
    yield_sources: {
      narrative: 'There are {{overview.strategies}} sources with assets, led by {{vault.allocation.0.share}}.',
      citations: [],
    },
    fees: { narrative: 'The fee that waits is {{vault.pending_performance_fee.total}}.', citations: [] },
    liquidity: { narrative: 'At once {{risk.liquidity.instant_assets}} can be paid.', citations: [] },
  },
  summary: 'The vault holds {{overview.tvl_usd}}.',
  highlights: ['It holds {{overview.tvl_usd}}.', 'The score is {{risk.score}}.', 'There are {{users.total}} holders.'],
  ...over,
});

export type RecordedAnswer = Answered & { events: AnswerEvent[]; shown: string };

/** An answer and every event on the way. */
export async function answerOf(
  analyst: Analyst,
  question: Question,
  { rights, signal = new AbortController().signal }: { rights: Rights; signal?: AbortSignal },
): Promise<RecordedAnswer> {
  const events: AnswerEvent[] = [];
  const onEvent = (event: AnswerEvent) => void events.push(event);
  const answered = await analyst.answer(question, { tools, rights, signal, onEvent });
  return { ...answered, events, shown: events.map((each) => (each.type === 'text' ? each.text : '')).join('') };
}

/** Numbers of a text that are neither traced nor marked. */
export function unmarkedIn(text: string, context: VaultContext, answered?: Pick<Answered, 'figures' | 'identifiers'>) {
  const bare = text.replaceAll(/\[unverified: [^\]]*\]/g, ' … ');
  const figures = [...context.figures, ...(answered?.figures ?? [])];
  const identifiers = new Set([...context.identifiers, ...(answered?.identifiers ?? [])]);
  return groundingOf(bare, figures, identifiers).ungrounded.map(({ figure }) => figure);
}
