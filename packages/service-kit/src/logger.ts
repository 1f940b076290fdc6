import { trace } from '@opentelemetry/api';
import { type DestinationStream, pino, stdTimeFunctions } from 'pino';
import { currentRequestId } from './request-context.ts';
import { maskSecrets } from './secret.ts';

/** What a log line says beside its message; secrets are masked. */
export type Fields = Readonly<Record<string, unknown>>;
type Write = (message: string, fields?: Fields) => void;

/** Constant message first, fields beside it: `log.info('vault indexed', { chainId, vault })`. */
export type Logger = { error: Write; warn: Write; info: Write; debug: Write; child(fields: Fields): Logger };

const plainError = (error: Error): Fields => ({
  name: error.name,
  message: error.message,
  ...('code' in error ? { code: error.code } : {}),
  stack: error.stack,
  ...(error.cause instanceof Error ? { cause: plainError(error.cause) } : {}),
});

const serializable = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? plainError(value) : typeof value === 'bigint' ? String(value) : value,
    ]),
  );

const masking = (out: { write(text: string): unknown }): DestinationStream => ({
  write: (line: string) => {
    out.write(maskSecrets(line));
  },
});

/** JSON lines with the service's name; the trace, span and request ids come from the context. Known secrets are masked. */
export function createLogger(options: {
  service: string;
  level: string;
  out?: { write(text: string): unknown };
}): Logger {
  const base = pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      mixin: () => {
        const span = trace.getActiveSpan()?.spanContext();
        const request_id = currentRequestId();
        return {
          ...(span ? { trace_id: span.traceId, span_id: span.spanId } : {}),
          ...(request_id ? { request_id } : {}),
        };
      },
    },
    masking(options.out ?? process.stdout),
  );
  const wrap = (logger: typeof base): Logger => ({
    error: (message, fields = {}) => logger.error(serializable(fields), message),
    warn: (message, fields = {}) => logger.warn(serializable(fields), message),
    info: (message, fields = {}) => logger.info(serializable(fields), message),
    debug: (message, fields = {}) => {
      // Written for each request, and not wanted in production: its fields are made only where they are.
      if (logger.isLevelEnabled('debug')) logger.debug(serializable(fields), message);
    },
    child: (fields) => wrap(logger.child(serializable(fields))),
  });
  return wrap(base);
}
