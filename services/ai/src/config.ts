import {
  type BaseConfig,
  baseConfig,
  baseEnvironment,
  ConfigError,
  configLoader,
  secret,
} from '@castellan/service-kit';
import { z } from 'zod';

const vendors = ['openai', 'anthropic', 'ollama'] as const;

export const Environment = z.object({
  ...baseEnvironment,
  MONITORING_PORT: baseEnvironment.MONITORING_PORT.default(9106),
  /** `openai:...`, `anthropic:...` or `ollama:...`; without one the built-in analyst writes. */
  AI_MODEL: z
    .string()
    .regex(/^(openai|anthropic|ollama):\S+$/, 'must be openai:, anthropic: or ollama: and the name of a model')
    .optional(),
  /** Of a server that speaks the vendor's protocol, for one that is not the vendor's own. */
  AI_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  AI_API_KEY: secret(z.string().min(1)).optional(),
  /** Within which a model has to answer. */
  AI_TIMEOUT_MS: z.coerce.number().int().min(1_000).max(300_000).default(60_000),
  /** Further tries where a model is overloaded or a connection is cut. */
  AI_RETRIES: z.coerce.number().int().min(0).max(5).default(2),
  /** Tools that one answer may call, ... */
  AI_TOOL_CALLS: z.coerce.number().int().min(0).max(30).default(8),
  /** ... and tokens that one text may have. */
  AI_ANSWER_TOKENS: z.coerce.number().int().min(200).max(100_000).default(4_000),
  /** Prices of the model in US dollars per million tokens; without both, no cost is counted. */
  AI_PRICE_INPUT_USD: z.coerce.number().nonnegative().optional(),
  AI_PRICE_OUTPUT_USD: z.coerce.number().nonnegative().optional(),
  /** Analyses that one user may ask to be written anew. */
  AI_REFRESH_PER_HOUR: z.coerce.number().int().min(1).default(10),
  /** Tokens of a model that one vault may use per day (UTC); the built-in analyst writes once they are spent. */
  AI_DAILY_TOKENS: z.coerce.number().int().min(0).default(1_000_000),
  /** Blocks for which an analysis stands, ... */
  AI_CACHE_BLOCKS: z.coerce.number().int().min(0).default(300),
  /** ... and seconds. */
  AI_CACHE_SECONDS: z.coerce.number().int().min(0).max(86_400).default(600),
});

/** The model that writes; absent: the rules. */
export type ModelConfig = {
  model: { vendor: (typeof vendors)[number]; name: string } | undefined;
  baseUrl: string | undefined;
  apiKey: string | undefined;
  timeoutMs: number;
  retries: number;
  toolCalls: number;
  answerTokens: number;
  prices: { inputPerMillion: number; outputPerMillion: number } | undefined;
};

export type AiConfig = BaseConfig & {
  models: ModelConfig;
  budget: { refreshPerHour: number; dailyTokens: number };
  cache: { blocks: number; seconds: number };
};

function modelOf({ AI_MODEL, AI_API_KEY, AI_BASE_URL }: z.output<typeof Environment>): ModelConfig['model'] {
  if (AI_MODEL === undefined) return undefined;
  const [vendor, ...name] = AI_MODEL.split(':') as [(typeof vendors)[number], ...string[]];
  // A server of one's own may ask for no key; the vendors' do.
  if (vendor !== 'ollama' && AI_API_KEY === undefined && AI_BASE_URL === undefined)
    throw new ConfigError([{ name: 'AI_API_KEY', message: `is required for ${vendor}` }]);
  return { vendor, name: name.join(':') };
}

function pricesOf({ AI_PRICE_INPUT_USD: input, AI_PRICE_OUTPUT_USD: output }: z.output<typeof Environment>) {
  return input === undefined || output === undefined ? undefined : { inputPerMillion: input, outputPerMillion: output };
}

export const loadConfig = configLoader(
  Environment,
  (env): AiConfig => ({
    ...baseConfig(env, 'ai'),
    models: {
      model: modelOf(env),
      baseUrl: env.AI_BASE_URL,
      apiKey: env.AI_API_KEY,
      timeoutMs: env.AI_TIMEOUT_MS,
      retries: env.AI_RETRIES,
      toolCalls: env.AI_TOOL_CALLS,
      answerTokens: env.AI_ANSWER_TOKENS,
      prices: pricesOf(env),
    },
    budget: { refreshPerHour: env.AI_REFRESH_PER_HOUR, dailyTokens: env.AI_DAILY_TOKENS },
    cache: { blocks: env.AI_CACHE_BLOCKS, seconds: env.AI_CACHE_SECONDS },
  }),
);
