import { context, propagation, TraceFlags, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  SimpleSpanProcessor,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

/** The process's tracing; `flush` sends what is finished. */
export type Tracing = {
  /** Whether spans are recorded and sent, or only numbered. */
  readonly isRecorded: boolean;
  flush(): Promise<void>;
  stop(): Promise<void>;
};

let active: Tracing | undefined;

/** The process's tracing, once it was set up. */
export const activeTracing = (): Tracing | undefined => active;

/** What is traced, and where it is sent. */
export type TracingOptions = {
  service: string;
  /** OTLP over HTTP, without the `/v1/traces`. Without it nothing is exported, but ids exist and are passed on. */
  endpoint?: string | undefined;
  /** Of the traces that begin here, the part that is recorded: 1 (the default) is all. What a caller records, or what led here, is recorded. */
  share?: number | undefined;
  /** For tests: where finished spans go at once. */
  exporter?: SpanExporter | undefined;
};

/** Says where a request goes and no more: keys of chain nodes and webhooks of others are in the path or query of their address. */
const withoutPath = ({ origin }: { origin: string }) => ({
  'url.full': `${new URL(origin).origin}/…`,
  'url.path': '/…',
  'url.query': '',
});

/** A share of the traces that begin here, and all that are linked to one that is recorded: without them that one would end in the middle. */
function beginning(share: number): Sampler {
  const part = new TraceIdRatioBasedSampler(share);
  return {
    shouldSample(...[parent, traceId, , , , links]: Parameters<Sampler['shouldSample']>) {
      const isLinked = links.some(({ context: { traceFlags } }) => (traceFlags & TraceFlags.SAMPLED) !== 0);
      return isLinked ? { decision: SamplingDecision.RECORD_AND_SAMPLED } : part.shouldSample(parent, traceId);
    },
    toString: () => `LinkedOr{${part.toString()}}`,
  };
}

/**
 * Sets the process's tracing up, before anything that is to be traced is imported. Spans always have ids, so that logs and
 * answers can name their trace; they are recorded and exported only when a collector is configured.
 */
export async function startTracing({ service, endpoint, share = 1, exporter }: TracingOptions): Promise<Tracing> {
  const recorded = Boolean(endpoint || exporter);
  const processors = [];
  if (exporter) processors.push(new SimpleSpanProcessor({ exporter }));
  if (endpoint) {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
    const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
    processors.push(new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) }));
  }
  const begun = beginning(share);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `castellan-${service}` }),
    sampler: recorded ? new ParentBasedSampler({ root: begun, remoteParentNotSampled: begun }) : new AlwaysOffSampler(),
    spanProcessors: processors,
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  if (recorded) {
    const [{ registerInstrumentations }, { MongoDBInstrumentation }, { UndiciInstrumentation }] = await Promise.all([
      import('@opentelemetry/instrumentation'),
      import('@opentelemetry/instrumentation-mongodb'),
      import('@opentelemetry/instrumentation-undici'),
    ]);
    registerInstrumentations({
      tracerProvider: provider,
      instrumentations: [
        new MongoDBInstrumentation({ requireParentSpan: true }),
        new UndiciInstrumentation({ requireParentforSpans: true, startSpanHook: withoutPath }),
      ],
    });
  }
  active = { isRecorded: recorded, flush: () => provider.forceFlush(), stop: () => provider.shutdown() };
  return active;
}
