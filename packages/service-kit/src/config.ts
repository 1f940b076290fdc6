import type { ServiceName } from '@castellan/contracts';
import { z } from 'zod';
import { type Env, withFiles } from './config-files.ts';
import { PrivateKeyText, PublicKeysText, type ServiceKeys } from './identity/keys.ts';
import type { MongoOptions } from './mongo.ts';
import { weakeningsOf } from './mongo-uri.ts';
import { isSecret, rememberSecret, secret } from './secret.ts';

/** Every fault of an environment, together. The message never holds the value of a secret. */
export class ConfigError extends Error {
  readonly faults: readonly { name: string; message: string }[];

  constructor(faults: readonly { name: string; message: string }[]) {
    super(
      `The configuration has ${faults.length} fault(s):\n${faults.map((f) => `  ${f.name}: ${f.message}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/**
 * Makes a loader that parses the environment once. An empty variable counts as unset; a value may stand in a file, see
 * `withFiles`.
 * @returns a function from the environment to the service's configuration. @throws ConfigError listing all faults.
 */
export const configLoader =
  <S extends z.ZodObject, C>(schema: S, map: (env: z.output<S>) => C) =>
  (env: Env): C => {
    const read = withFiles(env, Object.keys(schema.shape));
    const given = Object.fromEntries(
      Object.entries(read.env).filter(([, value]) => value !== undefined && value.trim() !== ''),
    );
    const parsed = schema.safeParse(given);
    if (!parsed.success || read.faults.length > 0) {
      const unread = new Set(read.faults.map(({ name }) => name.replace(/_FILE$/, '')));
      const issues = (parsed.error?.issues ?? []).filter(({ path: [name] }) => !unread.has(String(name)));
      throw new ConfigError([
        ...read.faults,
        ...issues.map((issue) => {
          const name = String(issue.path[0] ?? '(environment)');
          const field = schema.shape[name];
          const shown =
            given[name] === undefined || (field && isSecret(field as z.ZodType))
              ? ''
              : ` (got ${JSON.stringify(given[name])})`;
          return { name, message: `${given[name] === undefined ? 'is required' : issue.message}${shown}` };
        }),
      ]);
    }
    for (const [name, field] of Object.entries(schema.shape)) {
      if (isSecret(field as z.ZodType)) rememberSecret(given[name]);
    }
    return map(parsed.data);
  };

/** What every service reads. Spread into its own `z.object({...})`. */
export const baseEnvironment = {
  /** `production` refuses settings that are only safe on one machine. */
  NODE_ENV: z.enum(['development', 'production', 'test']).default('development'),
  /**
   * The least level that is logged. `debug` names each message of the bus and each request to a chain: for a while, not for
   * good.
   */
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /**
   * The servers of the bus with the user of this service, such as nats://vaults:password@nats:4222, separated by commas.
   * `inprocess:` has none: for tests.
   */
  NATS_URL: secret(
    z
      .string()
      .regex(
        /^inprocess:$|^(nats|tls):\/\/[^\s,]+(,\s*(nats|tls):\/\/[^\s,]+)*$/,
        'must be nats:// or tls:// URLs, separated by commas',
      ),
  ).default('nats://127.0.0.1:4222'),
  /** What subjects and streams begin with; two deployments on one bus need two. */
  NATS_NAMESPACE: z
    .string()
    .regex(/^[a-z0-9_-]+$/, 'may hold a-z, 0-9, _ and -')
    .default('castellan'),
  /** Copies of each stream; 3 on a NATS cluster, so that the loss of one server loses nothing. */
  NATS_STREAM_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  /**
   * What all streams together may take on each server of the bus, in megabytes, shared out by their definitions. JetStream reserves
   * it, so it fits `max_file_store`. The same for all services. Unset: no limit but the server's.
   */
  NATS_STREAMS_MAX_MB: z.coerce.number().int().min(100).max(10_000_000).optional(),
  /**
   * The document store with the user of this service. Production wants a replica set of three: changes and their events are one
   * transaction.
   */
  MONGODB_URI: secret(
    z
      .string()
      .regex(/^mongodb(\+srv)?:\/\//, 'must begin with mongodb:// or mongodb+srv://')
      .superRefine((uri, context) => {
        for (const message of weakeningsOf(uri)) context.addIssue({ code: 'custom', message });
      }),
  ).default('mongodb://127.0.0.1:27017'),
  /** Its database there; by default `castellan_` and the name of the service. */
  MONGODB_DATABASE: z
    .string()
    .regex(/^[\w-]{1,38}$/, 'must be 1 to 38 letters, digits, _ or -')
    .optional(),
  /** Connections to the store that one instance holds at most; all instances together stay below what the store accepts. */
  MONGODB_MAX_CONNECTIONS: z.coerce.number().int().min(5).max(1_000).default(100),
  /** How long a request waits for a store that is away, or for a free connection, before it fails. */
  MONGODB_WAIT_MS: z.coerce.number().int().min(500).max(60_000).default(5_000),
  /** After how long without a reply a connection counts as stuck: far longer than any request takes. */
  MONGODB_REPLY_MS: z.coerce.number().int().min(1_000).max(600_000).default(60_000),
  /** The key this service proves its calls with: an Ed25519 JWK. Required to start; by file: SERVICE_KEY_FILE. */
  SERVICE_KEY: secret(PrivateKeyText).optional(),
  /** The public keys of all services, by which it verifies theirs. Required to start; by file: SERVICE_PUBLIC_KEYS_FILE. */
  SERVICE_PUBLIC_KEYS: PublicKeysText.optional(),
  /** Where metrics and health are served; all who can reach it can read them. */
  MONITORING_HOST: z.string().default('127.0.0.1'),
  /** The port of metrics and health; 0 takes a free one, which the log names. */
  MONITORING_PORT: z.coerce.number().int().min(0).max(65_535),
  /** The OpenTelemetry collector, by HTTP; without it no traces are sent. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  /** Of the traces that begin at this service, the part that is recorded, 0 to 1; what a recorded trace leads to is recorded. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  /**
   * How long requests and messages in hand may take to end before the process does. With SHUTDOWN_WAIT_SECONDS below the time that the
   * platform waits before it kills.
   */
  SHUTDOWN_GRACE_SECONDS: z.coerce.number().int().min(1).max(300).default(15),
  /**
   * How long the process goes on answering after it was asked to end and says that it is not ready: until every proxy that looks at
   * `/readyz` has seen it. 0 where the platform waits itself before the signal, as Kubernetes does.
   */
  SHUTDOWN_WAIT_SECONDS: z.coerce.number().int().min(0).max(120).default(0),
} as const;

/** What every service is configured with; `shutdownGraceSeconds` is the time of an orderly shutdown. */
export type BaseConfig = {
  env: 'development' | 'production' | 'test';
  logLevel: string;
  nats: { url: string; namespace: string; replicas?: number; streamsMaxMb?: number | undefined };
  mongo: Pick<MongoOptions, 'uri' | 'database' | 'maxConnections' | 'waitMs' | 'replyMs'>;
  monitoring: { host: string; port: number };
  tracing: { endpoint: string | undefined; share?: number };
  shutdownGraceSeconds: number;
  /** Between the end of readiness and the shutdown. */
  shutdownWaitSeconds?: number;
  /** Absent: the process may read its configuration, and not start as a service. */
  identity?: ServiceKeys | undefined;
};

type Optional =
  | 'MONGODB_DATABASE'
  | 'MONGODB_MAX_CONNECTIONS'
  | 'MONGODB_WAIT_MS'
  | 'MONGODB_REPLY_MS'
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'NATS_STREAM_REPLICAS'
  | 'NATS_STREAMS_MAX_MB'
  | 'SERVICE_KEY'
  | 'SERVICE_PUBLIC_KEYS';
type BaseValues = { [K in Exclude<keyof typeof baseEnvironment, Optional>]: z.output<(typeof baseEnvironment)[K]> } & {
  [K in Optional]?: z.output<(typeof baseEnvironment)[K]> | undefined;
};

/** The part of a service's configuration that the kit itself needs. */
export const baseConfig = (env: BaseValues, service: string): BaseConfig => ({
  env: env.NODE_ENV,
  logLevel: env.LOG_LEVEL,
  nats: {
    url: env.NATS_URL,
    namespace: env.NATS_NAMESPACE,
    replicas: env.NATS_STREAM_REPLICAS ?? 1,
    streamsMaxMb: env.NATS_STREAMS_MAX_MB,
  },
  mongo: {
    uri: env.MONGODB_URI,
    database: env.MONGODB_DATABASE ?? `castellan_${service.replaceAll('-', '_')}`,
    maxConnections: env.MONGODB_MAX_CONNECTIONS,
    waitMs: env.MONGODB_WAIT_MS,
    replyMs: env.MONGODB_REPLY_MS,
  },
  monitoring: { host: env.MONITORING_HOST, port: env.MONITORING_PORT },
  tracing: { endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT, share: env.OTEL_TRACES_SAMPLER_ARG },
  shutdownGraceSeconds: env.SHUTDOWN_GRACE_SECONDS,
  shutdownWaitSeconds: env.SHUTDOWN_WAIT_SECONDS,
  identity:
    env.SERVICE_KEY && env.SERVICE_PUBLIC_KEYS
      ? { privateKey: env.SERVICE_KEY, publicKeys: env.SERVICE_PUBLIC_KEYS }
      : undefined,
});

/** The keys of a process that starts as a service. @throws ConfigError without them, or when they are not a pair. */
export function requireIdentity({ identity }: Pick<BaseConfig, 'identity'>, service: ServiceName): ServiceKeys {
  const fault = (name: string, message: string) => new ConfigError([{ name, message }]);
  if (!identity) throw fault('SERVICE_KEY', 'and SERVICE_PUBLIC_KEYS (or their _FILE forms) are required');
  const { privateKey, publicKeys } = identity;
  const isOurs = publicKeys[service]?.some(({ kid, x }) => kid === privateKey.kid && x === privateKey.x);
  if (isOurs) return identity;
  throw fault(
    'SERVICE_KEY',
    `is not among the keys of ${service} in SERVICE_PUBLIC_KEYS: nobody would believe this service`,
  );
}
