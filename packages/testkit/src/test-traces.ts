import { startTracing } from '@castellan/service-kit';

/** A finished span. */
export type TestSpan = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  attributes: Readonly<Record<string, unknown>>;
  /** Ids of the traces that it is linked to. */
  links: string[];
};

let recorded: TestSpan[] | undefined;

/**
 * Records what this process does from now on: it can have one tracing only.
 * @param share - Of the traces that begin here; as the first call says.
 * @returns the spans that are finished, none yet.
 */
export async function testTraces(share = 1): Promise<TestSpan[]> {
  recorded?.splice(0);
  if (recorded) return recorded;
  const spans: TestSpan[] = [];
  recorded = spans;
  await startTracing({
    service: 'test',
    share,
    exporter: {
      export: (finished, done) => {
        for (const span of finished) {
          const { traceId, spanId } = span.spanContext();
          const { name, attributes } = span;
          const links = span.links.map(({ context }) => context.traceId);
          spans.push({ name, traceId, spanId, parentSpanId: span.parentSpanContext?.spanId, attributes, links });
        }
        done({ code: 0 });
      },
      shutdown: async () => undefined,
    },
  });
  return spans;
}
