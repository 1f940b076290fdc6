import { readFileSync } from 'node:fs';
import { z } from 'zod';
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

export type Env = Readonly<Record<string, string | undefined>>;

type Fault = { name: string; message: string };

/** Secrets that stand in files: `NAME_FILE` names the file whose text is the value of `NAME`, without the end of its line. */
function fromFiles(schema: z.ZodObject, given: Record<string, string | undefined>): Fault[] {
  const faults: Fault[] = [];
  for (const [name, field] of Object.entries(schema.shape)) {
    const variable = `${name}_FILE`;
    const file = given[variable];
    if (file === undefined || variable in schema.shape || !isSecret(field as z.ZodType)) continue;
    if (given[name] !== undefined) {
      faults.push({ name: variable, message: `is given beside ${name}: one of them must go` });
      continue;
    }
    try {
      given[name] = readFileSync(file, 'utf8').trim();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      faults.push({ name: variable, message: `cannot be read (${code}, ${JSON.stringify(file)})` });
    }
  }
  return faults;
}

/**
 * Makes a loader that parses the environment once. An empty variable counts as unset; a secret may stand in a file, see
 * `fromFiles`.
 * @returns a function from the environment to the service's configuration. @throws ConfigError listing all faults.
 */
export const configLoader =
  <S extends z.ZodObject, C>(schema: S, map: (env: z.output<S>) => C) =>
  (env: Env): C => {
    const given = Object.fromEntries(
      Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
    );
    const unread = fromFiles(schema, given);
    const parsed = schema.safeParse(given);
    if (!parsed.success || unread.length > 0) {
      const unreadNames = unread.map(({ name }) => name);
      const issues = (parsed.error?.issues ?? []).filter(
        ({ path }) => !unreadNames.includes(`${String(path[0])}_FILE`),
      );
      throw new ConfigError([
        ...unread,
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
      if (isSecret(field as z.ZodType)) rememberSecret((parsed.data as Record<string, unknown>)[name]);
    }
    return map(parsed.data);
  };

/** What every service reads. Spread into its own `z.object({...})`. */
export const baseEnvironment = {
  NODE_ENV: z.enum(['development', 'production', 'test']).default('development'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  NATS_URL: secret(
    z
      .string()
      .regex(
        /^inprocess:$|^(nats|tls):\/\/[^\s,]+(,\s*(nats|tls):\/\/[^\s,]+)*$/,
        'must be nats:// or tls:// URLs, separated by commas',
      ),
  ).default('nats://127.0.0.1:4222'),
  NATS_NAMESPACE: z
    .string()
    .regex(/^[a-z0-9_-]+$/, 'may hold a-z, 0-9, _ and -')
    .default('castellan'),
  /** Copies of each stream; 3 on a NATS cluster, so that the loss of one server loses nothing. */
  NATS_STREAM_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  MONGODB_URI: secret(
    z.string().regex(/^mongodb(\+srv)?:\/\//, 'must begin with mongodb:// or mongodb+srv://'),
  ).default('mongodb://127.0.0.1:27017'),
  MONGODB_DATABASE: z
    .string()
    .regex(/^[\w-]{1,38}$/, 'must be 1 to 38 letters, digits, _ or -')
    .optional(),
  MONITORING_HOST: z.string().default('127.0.0.1'),
  MONITORING_PORT: z.coerce.number().int().min(0).max(65_535),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  SHUTDOWN_GRACE_SECONDS: z.coerce.number().int().min(1).max(300).default(15),
} as const;

export type BaseConfig = {
  env: 'development' | 'production' | 'test';
  logLevel: string;
  nats: { url: string; namespace: string; replicas?: number };
  mongo: { uri: string; database: string };
  monitoring: { host: string; port: number };
  tracing: { endpoint: string | undefined };
  shutdownGraceSeconds: number;
};

type Optional = 'MONGODB_DATABASE' | 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'NATS_STREAM_REPLICAS';
type BaseValues = { [K in Exclude<keyof typeof baseEnvironment, Optional>]: z.output<(typeof baseEnvironment)[K]> } & {
  [K in Optional]?: z.output<(typeof baseEnvironment)[K]> | undefined;
};

/** The part of a service's configuration that the kit itself needs. */
export const baseConfig = (env: BaseValues, service: string): BaseConfig => ({
  env: env.NODE_ENV,
  logLevel: env.LOG_LEVEL,
  nats: { url: env.NATS_URL, namespace: env.NATS_NAMESPACE, replicas: env.NATS_STREAM_REPLICAS ?? 1 },
  mongo: { uri: env.MONGODB_URI, database: env.MONGODB_DATABASE ?? `castellan_${service.replaceAll('-', '_')}` },
  monitoring: { host: env.MONITORING_HOST, port: env.MONITORING_PORT },
  tracing: { endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT },
  shutdownGraceSeconds: env.SHUTDOWN_GRACE_SECONDS,
});
