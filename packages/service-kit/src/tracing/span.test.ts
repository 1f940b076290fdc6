import { testTraces } from '@castellan/testkit';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  currentTraceId,
  inSpan,
  inSpanNow,
  isRecordedTrace,
  outsideTrace,
  recordedTrace,
  traceHeaders,
  withoutSpans,
} from './span.ts';

let spans: Awaited<ReturnType<typeof testTraces>>;
// Of the traces that begin here none is recorded: what is recorded was led to by one that is.
beforeAll(async () => {
  spans = await testTraces(0);
});
beforeEach(() => void spans.splice(0));

const traceOf = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;
const idOf = (traceparent: string | undefined) => traceparent?.split('-')[1];
const [first, second] = [traceOf('1'), traceOf('2')];

test('default: work for one entry is a child of its trace', async () => {
  const kept = await inSpan('follow', { causes: [first] }, () => recordedTrace());
  expect(spans).toMatchObject([{ name: 'follow', traceId: idOf(first), parentSpanId: '1'.repeat(16), links: [] }]);
  expect(kept).toBe(`00-${idOf(first)}-${spans[0]?.spanId}-01`);
});

test('behavior: work for entries of several traces begins one that is linked to each, and is recorded as they are', async () => {
  await inSpan('around', { causes: [first] }, () => inSpan('follow', { causes: [first, second] }, () => undefined));
  const [follow] = spans;
  expect(follow).toMatchObject({ name: 'follow', parentSpanId: undefined, links: [idOf(first), idOf(second)] });
  expect([idOf(first), idOf(second)]).not.toContain(follow?.traceId);
});

test('behavior: what nobody records leaves nothing to be kept, and its id is passed on all the same', async () => {
  await inSpan('alone', {}, () => {
    expect(recordedTrace()).toBeUndefined();
    expect(isRecordedTrace(traceHeaders().traceparent)).toBe(false);
    expect(traceHeaders().traceparent).toContain(currentTraceId());
  });
  expect(spans).toEqual([]);
});

test('behavior: what a span only begins is outside of it, and its own parts can be left out', async () => {
  await inSpan('whole', { causes: [first] }, async () => {
    await outsideTrace(() => inSpan('other', {}, () => expect(currentTraceId()).not.toBe(idOf(first))));
    await withoutSpans(async () => {
      expect(idOf(recordedTrace())).toBe(idOf(first));
      await inSpan('part', {}, () => undefined);
    });
  });
  expect(spans.map(({ name }) => name)).toEqual(['whole']);
});

test('behavior: work that waits for nothing is a span, too, and its failure is thrown on', () => {
  expect(inSpanNow('now', { causes: [first] }, () => 1)).toBe(1);
  const failing = () =>
    inSpanNow('failing', { causes: [first] }, () => {
      throw new RangeError('no');
    });
  expect(failing).toThrow(RangeError);
  expect(spans.map(({ name }) => name)).toEqual(['now', 'failing']);
});

test.each([undefined, '', 'nonsense', `00-${'1'.repeat(32)}-${'1'.repeat(16)}-00`, `${traceOf('1')}-more`])(
  'error: %s is no trace that is recorded',
  (traceparent) => {
    expect(isRecordedTrace(traceparent)).toBe(false);
  },
);
