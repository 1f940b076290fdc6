import { type Attributes, context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** Headers that carry `traceparent` (W3C Trace Context) and the request id. */
export type Carrier = Record<string, string>;

/** Runs `work` inside a span; a failure is recorded on it and thrown on. */
export async function inSpan<T>(
  name: string,
  options: { kind?: SpanKind; from?: Carrier | undefined; attributes?: Attributes },
  work: (span: Span) => Promise<T> | T,
): Promise<T> {
  const parent = options.from?.traceparent ? propagation.extract(context.active(), options.from) : context.active();
  const spanOptions = { kind: options.kind ?? SpanKind.INTERNAL, attributes: options.attributes ?? {} };
  return trace.getTracer('castellan').startActiveSpan(name, spanOptions, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).name });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** `traceparent` of the work at hand, to send along. */
export function traceHeaders(): Carrier {
  const carrier: Carrier = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}

/** The trace id of the work at hand. */
export const currentTraceId = (): string | undefined => trace.getActiveSpan()?.spanContext().traceId;

export { SpanKind };
