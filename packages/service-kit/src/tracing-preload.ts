import { basename, dirname } from 'node:path';
import { startTracing } from './tracing/provider.ts';

/**
 * Loaded by `node --import` before a service, because instrumentation must patch before the modules it patches load.
 * The service's name is its folder: `services/<name>/src/main.ts`.
 */
const service = process.env.OTEL_SERVICE_NAME ?? basename(dirname(dirname(process.argv[1] ?? 'unknown/src/main.ts')));
await startTracing({ service, endpoint: process.env.OTEL_EXPORTER_OTLP_ENDPOINT || undefined });
