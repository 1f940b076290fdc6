import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BaseConfig, baseConfig, baseEnvironment, ConfigError, configLoader } from '@castellan/service-kit';
import { TrustedIssuer } from '@castellan/tokens';
import { z } from 'zod';

/** An environment variable that holds JSON of a given shape. */
const json = <T extends z.ZodType>(shape: T) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'is not valid JSON' });
        return z.NEVER;
      }
    })
    .pipe(shape);

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);
const origins = list.pipe(z.array(z.url().transform((url) => new URL(url).origin)));
/** Origins that may hold a page in a frame: exact ones, since a pattern would let in whatever else is served there. */
const frameOrigins = list.pipe(
  z.array(
    z
      .url({ protocol: /^https?$/, hostname: /^[a-z0-9.-]+$/, error: 'must name origins, without patterns' })
      .transform((url) => new URL(url).origin),
  ),
);
const count = (fallback: number) => z.coerce.number().int().min(1).default(fallback);

const here = dirname(fileURLToPath(import.meta.url));

export const Environment = z.object({
  ...baseEnvironment,
  MONITORING_PORT: baseEnvironment.MONITORING_PORT.default(9101),
  /** Where API and pages are served; 0.0.0.0 in a container, behind a proxy with TLS. */
  HTTP_HOST: z.string().default('127.0.0.1'),
  /** The port of API and pages; 0 takes a free one. A proxy with TLS in front of it has the public one. */
  HTTP_PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  /** The address by which people reach this: links, the issuer of tokens, and what signing in names. The same for auth and ai. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:8080'),
  /** Whom tokens are for; those for somebody else are refused. The same for auth. */
  AUTH_AUDIENCE: z.string().min(1).default('castellan'),
  /** JSON list of further identity providers whose tokens are taken, each with issuer, keys and claims; docs/api says how. */
  TRUSTED_ISSUERS: json(z.array(TrustedIssuer)).default([]),
  /**
   * Addresses of the proxies in front, or how many there are: whom X-Forwarded-For is believed. Without it nobody is, and all
   * who come through a proxy share one budget. `true` believes everybody and is refused in production.
   */
  TRUST_PROXY: z.string().default('false'),
  /** Origins of other sites whose scripts may read the API, separated by commas; none by default. */
  CORS_ORIGINS: origins.default([]),
  /** The folder of the built web. Without it the one of the sources is served where there is one; with it, none there is not ready. */
  WEB_DIST: z.string().optional(),
  /**
   * The folder of the built documentation, which is served under /docs. Without it the one of the sources is served where `npm run docs` has
   * built it; where there is none, /docs says so and the description of the API is there all the same.
   */
  DOCS_DIST: z.string().optional(),
  /** JSON object from chain id to the endpoint that browsers ask. It is public: never one with a key of a provider. */
  WEB_RPC_URLS: json(z.record(z.string().regex(/^[1-9]\d*$/), z.url({ protocol: /^https?$/ }))).default({}),
  /** Further origins that pages may ask (Content-Security-Policy), separated by commas, such as those of wallets. */
  WEB_CONNECT_SRC: origins.default([]),
  /**
   * The project at WalletConnect's relay, 32 hexadecimal digits: wallets on a phone and hardware wallets behind them are offered when
   * signing in. It is public. Without it none is, and pages may reach no relay.
   */
  WALLETCONNECT_PROJECT_ID: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be 32 hexadecimal digits')
    .optional(),
  /**
   * Origins of the Safe wallets that may open the pages as a Safe app, separated by commas, such as https://app.safe.global: these
   * may hold them in a frame, nobody else may. Without it nobody may.
   */
  SAFE_APP_ORIGINS: frameOrigins.default([]),
  /** Offers wallets with well-known keys on the sign-in page: for a devnet only. */
  DEVNET_DEMO_WALLETS: z.stringbool().default(false),
  /** Requests a second that one wallet, or one network without a token, may make in the long run; pages have as many. */
  RATE_API_PER_SECOND: count(50),
  /**
   * Requests that may come at once before RATE_API_PER_SECOND holds: a page asks for several when it opens. More where many
   * people share one address.
   */
  RATE_API_BURST: count(200),
  /** Calls that one wallet may have prepared in a second, or addresses that it may have described: each asks the chain. */
  RATE_PREPARE_PER_SECOND: count(10),
  /** Requests to sign in that one network may make in a minute; more where many people share one address. */
  RATE_IDP_PER_MINUTE: count(60),
  /**
   * How many times what one wallet may do all wallets of one network may do together, requests and live streams alike: wallets cost
   * nothing. More where many people with wallets share one address.
   */
  RATE_NETWORK_MULTIPLE: count(20),
  /** Connections one address may hold open; behind a proxy (TRUST_PROXY) its own limits hold instead. */
  CONNECTIONS_PER_ADDRESS: count(1000),
  /** Of these, how many may wait without a request; the longest silent is closed. */
  IDLE_CONNECTIONS_PER_ADDRESS: count(256),
  /** Connections of everybody together; beyond it new ones are closed at once. Below the limit of file descriptors of the process. */
  CONNECTIONS_TOTAL: count(20_000),
  /** Live streams that one wallet, or one network without a token, may hold open. */
  STREAMS_PER_CALLER: count(20),
  /** Bytes that may wait for a slow reader of a stream; then it is disconnected, and resumes where it was. */
  STREAM_BUFFER_BYTES: count(262_144),
  /** An answer that others get too is asked for again after this, though no event has replaced it; 0 keeps none. */
  SNAPSHOT_SECONDS: z.coerce.number().int().min(0).max(15).default(15),
  /**
   * Bytes of such answers that are kept, a quarter of them for those that are asked for each time; those that were not asked for the longest go
   * first.
   */
  SNAPSHOT_BYTES: count(67_108_864),
  /** Verified tokens that are remembered, so that a signature is checked once; revoked ones are dropped at once. */
  TOKEN_CACHE_ENTRIES: count(10_000),
  /** Where the AI service serves its chat (AI_HTTP_PORT); without it there is none. */
  AI_HTTP_URL: z.url({ protocol: /^http$/ }).optional(),
});

export type HttpConfig = {
  host: string;
  port: number;
  /** Origin people use, without a path; also the issuer of the embedded provider. */
  publicUrl: string;
  trustProxy: boolean | number | string;
  corsOrigins: readonly string[];
};

export type WebConfig = {
  dist: string;
  /** Pages belong to this process: without them it is not ready. */
  isRequired: boolean;
  rpcUrls: Readonly<Record<string, string>>;
  connectSrc: readonly string[];
  demoWallets: boolean;
  /** Of the relay of WalletConnect; without it wallets behind the relay are not offered. */
  walletConnectProjectId: string | undefined;
  /** Who may hold the pages in a frame, as a Safe app. */
  safeAppOrigins: readonly string[];
};

export type RateConfig = {
  apiPerSecond: number;
  apiBurst: number;
  preparePerSecond: number;
  idpPerMinute: number;
  /** So many times as much for all wallets of a network together. */
  networkMultiple: number;
};

export type ConnectionConfig = { perAddress: number; idlePerAddress: number; total: number };
export type StreamConfig = {
  perCaller: number;
  /** Of all wallets of a network together. */
  perNetwork: number;
  bufferBytes: number;
  keepSeconds: number;
  heartbeatSeconds: number;
};

export type GatewayConfig = BaseConfig & {
  http: HttpConfig;
  web: WebConfig;
  docs: { dist: string };
  rates: RateConfig;
  connections: ConnectionConfig;
  streams: StreamConfig;
  tokens: { audience: string; issuers: readonly TrustedIssuer[]; cacheEntries: number };
  /** `heldBytes`: of answers that are asked for each time and sent only when they changed. */
  snapshots: { maxAgeSeconds: number; maxBytes: number; heldBytes: number };
  chat: { url: string | undefined };
};

const trustProxyOf = (text: string): boolean | number | string => {
  if (text === 'true') return true;
  if (text === 'false') return false;
  return /^\d+$/.test(text) ? Number(text) : text;
};

/** Longer than the five minutes within which a reader resumes without loss. */
const keepSeconds = 360;

const mapEnvironment = (env: z.output<typeof Environment>): GatewayConfig => {
  if (env.TRUST_PROXY === 'true' && env.NODE_ENV === 'production') {
    throw new ConfigError([
      {
        name: 'TRUST_PROXY',
        message: 'must name the proxy: with true, visitors choose the address they are limited by',
      },
    ]);
  }
  if (env.DEVNET_DEMO_WALLETS && env.NODE_ENV === 'production') {
    throw new ConfigError([
      { name: 'DEVNET_DEMO_WALLETS', message: 'serves published private keys and must stay off in production' },
    ]);
  }
  const heldBytes = Math.ceil(env.SNAPSHOT_BYTES / 4);
  return {
    ...baseConfig(env, 'gateway'),
    http: {
      host: env.HTTP_HOST,
      port: env.HTTP_PORT,
      publicUrl: new URL(env.PUBLIC_URL).origin,
      trustProxy: trustProxyOf(env.TRUST_PROXY),
      corsOrigins: env.CORS_ORIGINS,
    },
    web: {
      dist: env.WEB_DIST ?? join(here, '../../../web/dist'),
      isRequired: env.WEB_DIST !== undefined,
      rpcUrls: env.WEB_RPC_URLS,
      connectSrc: env.WEB_CONNECT_SRC,
      demoWallets: env.DEVNET_DEMO_WALLETS,
      walletConnectProjectId: env.WALLETCONNECT_PROJECT_ID,
      safeAppOrigins: env.SAFE_APP_ORIGINS,
    },
    docs: { dist: env.DOCS_DIST ?? join(here, '../../../docs/site/dist') },
    rates: {
      apiPerSecond: env.RATE_API_PER_SECOND,
      apiBurst: env.RATE_API_BURST,
      preparePerSecond: env.RATE_PREPARE_PER_SECOND,
      idpPerMinute: env.RATE_IDP_PER_MINUTE,
      networkMultiple: env.RATE_NETWORK_MULTIPLE,
    },
    connections: {
      perAddress: env.CONNECTIONS_PER_ADDRESS,
      idlePerAddress: env.IDLE_CONNECTIONS_PER_ADDRESS,
      total: env.CONNECTIONS_TOTAL,
    },
    streams: {
      perCaller: env.STREAMS_PER_CALLER,
      perNetwork: env.STREAMS_PER_CALLER * env.RATE_NETWORK_MULTIPLE,
      bufferBytes: env.STREAM_BUFFER_BYTES,
      keepSeconds,
      heartbeatSeconds: 15,
    },
    tokens: { audience: env.AUTH_AUDIENCE, issuers: env.TRUSTED_ISSUERS, cacheEntries: env.TOKEN_CACHE_ENTRIES },
    snapshots: {
      maxAgeSeconds: env.SNAPSHOT_SECONDS,
      maxBytes: Math.max(1, env.SNAPSHOT_BYTES - heldBytes),
      heldBytes,
    },
    chat: { url: env.AI_HTTP_URL },
  };
};

export const loadConfig = configLoader(Environment, mapEnvironment);
