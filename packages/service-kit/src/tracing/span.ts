import {
  type Attributes,
  type Context,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';

/** Headers that carry `traceparent` (W3C Trace Context) and the request id. */
export type Carrier = Record<string, string>;

/** What a span begins with. */
export type SpanBeginning = {
  kind?: SpanKind;
  /** Headers of what led to it; without a `traceparent` the work at hand did. */
  from?: Carrier | undefined;
  /**
   * `traceparent` of each message or entry that it is about, as the conventions for messaging have it: one is the span's parent, of several
   * none is, and all are linked.
   */
  causes?: readonly string[] | undefined;
  attributes?: Attributes;
};

/** What a span keeps of its links. */
const mostLinks = 128;

const contextOf = (from: Carrier): Context => propagation.extract(context.active(), from);

function linkTo(traceparent: string): Link[] {
  const found = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, { traceparent }));
  return found ? [{ context: found }] : [];
}

function begin({
  kind = SpanKind.INTERNAL,
  from,
  causes = [],
  attributes = {},
}: SpanBeginning): [SpanOptions, Context] {
  const [cause, ...others] = causes;
  if (others.length > 0)
    return [{ kind, attributes, links: causes.slice(-mostLinks).flatMap(linkTo) }, trace.deleteSpan(context.active())];
  const carrier = cause === undefined ? from : { traceparent: cause };
  return [{ kind, attributes }, carrier?.traceparent ? contextOf(carrier) : context.active()];
}

function failed(span: Span, error: unknown): never {
  span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).name });
  throw error;
}

/** Runs `work` inside a span; a failure is recorded on it and thrown on. */
export async function inSpan<T>(
  name: string,
  options: SpanBeginning,
  work: (span: Span) => Promise<T> | T,
): Promise<T> {
  const [spanOptions, parent] = begin(options);
  return trace.getTracer('castellan').startActiveSpan(name, spanOptions, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      return failed(span, error);
    } finally {
      span.end();
    }
  });
}

/** The same for work that does not wait for anything. */
export function inSpanNow<T>(name: string, options: SpanBeginning, work: (span: Span) => T): T {
  const [spanOptions, parent] = begin(options);
  return trace.getTracer('castellan').startActiveSpan(name, spanOptions, parent, (span) => {
    try {
      return work(span);
    } catch (error) {
      return failed(span, error);
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

/** `traceparent` of the work at hand, to be kept; undefined unless it is recorded, for nobody could look it up. */
export function recordedTrace(): string | undefined {
  const at = trace.getActiveSpan()?.spanContext();
  if (!at || (at.traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
  return `00-${at.traceId}-${at.spanId}-01`;
}

/** Whether what a message or an entry says of its trace is one that is recorded. */
export const isRecordedTrace = (traceparent: string | undefined): traceparent is string =>
  traceparent !== undefined && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f][13579bdf]$/.test(traceparent);

/** Runs what does not belong to the work at hand, which only happens to begin it. */
export const outsideTrace = <T>(work: () => T): T => context.with(ROOT_CONTEXT, work);

/** Runs work whose parts are too many to record: the span at hand stands for all of them. */
export const withoutSpans = <T>(work: () => T): T => context.with(suppressTracing(context.active()), work);

/** The trace id of the work at hand. */
export const currentTraceId = (): string | undefined => trace.getActiveSpan()?.spanContext().traceId;

export { SpanKind };
