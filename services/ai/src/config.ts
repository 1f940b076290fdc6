import {
  type BaseConfig,
  baseConfig,
  baseEnvironment,
  ConfigError,
  configLoader,
  secret,
} from '@castellan/service-kit';
import { z } from 'zod';
import type { ModelConfig, ModelVendor } from './analyst/model-config.ts';
import type { Thresholds } from './feed/domain/notable.ts';
import type { TokenConfig } from './http/callers.ts';

const origins = z
  .string()
  .transform((text) => text.split(',').flatMap((item) => item.trim() || []))
  .pipe(z.array(z.url().transform((url) => new URL(url).origin)));

export const Environment = z.object({
  ...baseEnvironment,
  MONITORING_PORT: baseEnvironment.MONITORING_PORT.default(9106),
  /**
   * The model that writes: `openai:...`, `anthropic:...` or `ollama:...` and its name. Without one the built-in analyst writes,
   * by rules, and nothing leaves the installation.
   */
  AI_MODEL: z
    .string()
    .regex(/^(openai|anthropic|ollama):\S+$/, 'must be openai:, anthropic: or ollama: and the name of a model')
    .optional(),
  /**
   * The address of a server that speaks the vendor's protocol, where it is not the vendor's own: a proxy, or a model that you
   * serve yourself.
   */
  AI_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** The key of the vendor of the model, or of the server that speaks its protocol. */
  AI_API_KEY: secret(z.string().min(1)).optional(),
  /** Milliseconds within which a model has to answer one request. A long text takes tens of seconds; more for a slow model of your own. */
  AI_TIMEOUT_MS: z.coerce.number().int().min(1_000).max(300_000).default(60_000),
  /**
   * Further tries of a request where a model is overloaded or a connection is cut. Each delays the failure of an answer by its
   * AI_TIMEOUT_MS at most.
   */
  AI_RETRIES: z.coerce.number().int().min(0).max(5).default(2),
  /**
   * Tools that one answer may call at most, each of which reads or prepares: a bound on its time and tokens. 0 leaves the model
   * what it is given at first.
   */
  AI_TOOL_CALLS: z.coerce.number().int().min(0).max(30).default(8),
  /** Tokens that one text of the model may have at most. Less bounds what a text can cost; too little leaves no whole analysis. */
  AI_ANSWER_TOKENS: z.coerce.number().int().min(200).max(100_000).default(4_000),
  /** Price of what the model reads, in US dollars per million tokens; without both prices, no cost is counted. */
  AI_PRICE_INPUT_USD: z.coerce.number().nonnegative().optional(),
  /** Price of what the model writes, in US dollars per million tokens; without both prices, no cost is counted. */
  AI_PRICE_OUTPUT_USD: z.coerce.number().nonnegative().optional(),
  /**
   * Analyses that one user may ask in an hour to be written anew; each costs the tokens of a text. Others are shown the one that
   * is there.
   */
  AI_REFRESH_PER_HOUR: z.coerce.number().int().min(1).default(10),
  /** Tokens of a model that one vault may use per day (UTC); the built-in analyst writes once they are spent. */
  AI_DAILY_TOKENS: z.coerce.number().int().min(0).default(1_000_000),
  /**
   * Tokens of a day that are set aside for each text while it is written, and given back as far as they were not used: what an answer with some
   * tools uses. As often as they fit into AI_DAILY_TOKENS, so many people of a vault are answered by the model at once. Texts written at the same time go beyond AI_DAILY_TOKENS by one of these at most, and by what each uses beyond it.
   */
  AI_TEXT_TOKENS: z.coerce.number().int().min(1).default(20_000),
  /**
   * A deposit or withdrawal of at least this part of the total assets, in basis points, gets a feed item. Lower it for vaults of
   * many small flows.
   */
  AI_FEED_LARGE_FLOW_BPS: z.coerce.number().int().min(1).max(10_000).default(500),
  /** A price that moves further than this in one update, in basis points (100 is 1 %), gets a feed item. */
  AI_FEED_PPS_BPS: z.coerce.number().int().min(1).max(10_000).default(100),
  /** So does a price that is this many standard deviations from its latest moves: what is unusual for this vault. Higher is quieter. */
  AI_FEED_PPS_SIGMA: z.coerce.number().int().min(2).max(100).default(6),
  /** Posts that one vault's managers may write in an hour: readers of the feed should not drown in them. */
  AI_POSTS_PER_HOUR: z.coerce.number().int().min(1).default(10),
  /**
   * Blocks of the chain within which an analysis is shown again; older, past AI_CACHE_SECONDS, or of another state of the vault,
   * it is written anew.
   */
  AI_CACHE_BLOCKS: z.coerce.number().int().min(0).default(300),
  /** Seconds within which it is shown again, also where the chain makes no blocks. Lower is more recent, and costs more tokens. */
  AI_CACHE_SECONDS: z.coerce.number().int().min(0).max(86_400).default(600),
  /** Where the service listens for the gateway: websockets of the chat, and requests of agents. */
  AI_HTTP_HOST: z.string().default('127.0.0.1'),
  /** The port at AI_HTTP_HOST, named by AI_HTTP_URL of the gateway; 0 takes a free one. */
  AI_HTTP_PORT: z.coerce.number().int().min(0).max(65_535).default(8081),
  /** The address by which people reach the gateway: the issuer of the tokens, and the origin of the pages that may ask here. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:8080'),
  /** Origins of other sites whose scripts may open a chat, separated by commas; none by default. */
  CORS_ORIGINS: origins.default([]),
  /** Days for which a conversation is kept after it was last added to. Fewer where your rules on personal data ask for it. */
  AI_CONVERSATION_DAYS: z.coerce.number().int().min(1).max(3_650).default(90),
  /** Chats that one wallet may have open on one instance; each page of the chat holds one. Another one is refused. */
  AI_CHATS_PER_USER: z.coerce.number().int().min(1).default(20),
  /** Milliseconds after which a client that reads nothing of what waits for it is disconnected, so that its backlog costs no memory. */
  AI_STALL_MS: z.coerce.number().int().min(100).max(120_000).default(10_000),
  /** Requests that one wallet's agents may make over MCP in a minute; what is beyond is refused. A few agents at work stay below it. */
  AI_MCP_PER_MINUTE: z.coerce.number().int().min(1).default(120),
});

export type ChatConfig = {
  connectionsPerUser: number;
  stallMs: number;
  keptMs: number;
};

/** The port of the service, and the origins of pages that may use it. */
export type HttpConfig = { host: string; port: number; origins: readonly string[] };

export type AiConfig = BaseConfig & {
  chat: ChatConfig;
  http: HttpConfig;
  tokens: TokenConfig;
  models: ModelConfig;
  budget: {
    refreshPerHour: number;
    postsPerHour: number;
    agentRequestsPerMinute: number;
    dailyTokens: number;
    tokensPerText: number;
  };
  feed: Thresholds;
  cache: { blocks: number; seconds: number };
};

function modelOf({ AI_MODEL, AI_API_KEY, AI_BASE_URL }: z.output<typeof Environment>): ModelConfig['model'] {
  if (AI_MODEL === undefined) return undefined;
  const [vendor, ...name] = AI_MODEL.split(':') as [ModelVendor, ...string[]];
  // A server of one's own may ask for no key; the vendors' do.
  if (vendor !== 'ollama' && AI_API_KEY === undefined && AI_BASE_URL === undefined)
    throw new ConfigError([{ name: 'AI_API_KEY', message: `is required for ${vendor}` }]);
  return { vendor, name: name.join(':') };
}

function pricesOf({ AI_PRICE_INPUT_USD: input, AI_PRICE_OUTPUT_USD: output }: z.output<typeof Environment>) {
  return input === undefined || output === undefined ? undefined : { inputPerMillion: input, outputPerMillion: output };
}

const dayMs = 86_400_000;

const chatOf = (env: z.output<typeof Environment>): ChatConfig => ({
  connectionsPerUser: env.AI_CHATS_PER_USER,
  stallMs: env.AI_STALL_MS,
  keptMs: env.AI_CONVERSATION_DAYS * dayMs,
});

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
    budget: {
      refreshPerHour: env.AI_REFRESH_PER_HOUR,
      postsPerHour: env.AI_POSTS_PER_HOUR,
      agentRequestsPerMinute: env.AI_MCP_PER_MINUTE,
      dailyTokens: env.AI_DAILY_TOKENS,
      tokensPerText: env.AI_TEXT_TOKENS,
    },
    feed: {
      largeFlowBps: BigInt(env.AI_FEED_LARGE_FLOW_BPS),
      ppsBps: BigInt(env.AI_FEED_PPS_BPS),
      ppsSigma: BigInt(env.AI_FEED_PPS_SIGMA),
    },
    http: {
      host: env.AI_HTTP_HOST,
      port: env.AI_HTTP_PORT,
      origins: [new URL(env.PUBLIC_URL).origin, ...env.CORS_ORIGINS],
    },
    cache: { blocks: env.AI_CACHE_BLOCKS, seconds: env.AI_CACHE_SECONDS },
    chat: chatOf(env),
    tokens: { issuer: new URL(env.PUBLIC_URL).origin },
  }),
);
