import { Counter, type Registry } from '@castellan/service-kit';
import type { Usage } from '../analyst.ts';

export type Prices = { inputPerMillion: number; outputPerMillion: number };
export type Meter = { add(usage: Usage): void };

/** Characters a token has about, for servers that do not count. */
const charactersPerToken = 4;
const tokensIn = (text: string): number => Math.ceil(text.length / charactersPerToken);

type Counted = { usage_metadata?: { input_tokens: number; output_tokens: number } | undefined };

/** What a request used, as the server counted it; else by its length, so that a budget holds with any server. */
export function usageOf({ usage_metadata: counted }: Counted, sent: string, received: string): Usage {
  const isCounted = counted !== undefined && counted.input_tokens + counted.output_tokens > 0;
  return isCounted
    ? { inputTokens: counted.input_tokens, outputTokens: counted.output_tokens }
    : { inputTokens: tokensIn(sent), outputTokens: tokensIn(received) };
}

export const plus = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
});
export const nothing: Usage = { inputTokens: 0, outputTokens: 0 };

/** Counts every request to a model, also of answers that came to nothing; the cost where prices are known. */
export function modelMeter(registry: Registry, provider: string, prices: Prices | undefined): Meter {
  const tokens = new Counter({
    name: 'ai_model_tokens_total',
    help: 'Tokens of every request to a model, whatever became of it',
    labelNames: ['provider', 'direction'],
    registers: [registry],
  });
  if (prices === undefined) {
    return {
      add: ({ inputTokens, outputTokens }) => {
        tokens.inc({ provider, direction: 'input' }, inputTokens);
        tokens.inc({ provider, direction: 'output' }, outputTokens);
      },
    };
  }
  const cost = new Counter({
    name: 'ai_model_cost_usd_total',
    help: 'Cost of every request to a model at the configured prices',
    labelNames: ['provider'],
    registers: [registry],
  });
  return {
    add: ({ inputTokens, outputTokens }) => {
      tokens.inc({ provider, direction: 'input' }, inputTokens);
      tokens.inc({ provider, direction: 'output' }, outputTokens);
      cost.inc({ provider }, (inputTokens * prices.inputPerMillion + outputTokens * prices.outputPerMillion) / 1e6);
    },
  };
}
