import { startTracing } from './tracing/provider.ts';
import { serviceNameOf } from './tracing/service-name.ts';

/**
 * Loaded by `node --import` before a service, because instrumentation must patch before the modules it patches load.
 * OTEL_SERVICE_NAME names the service otherwise than by its folder.
 */
const service = process.env.OTEL_SERVICE_NAME || serviceNameOf(process.argv[1] ?? 'unknown/src/main.ts');
const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER_ARG } = process.env;
const endpoint = OTEL_EXPORTER_OTLP_ENDPOINT || undefined;
// The service's configuration says what is wrong with a value that is none.
const share = Number(OTEL_TRACES_SAMPLER_ARG || 1) || 0;
await startTracing({ service, endpoint, share });
