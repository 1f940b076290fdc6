import { inSpan, outsideTrace, traceHeaders, withoutSpans } from '@castellan/service-kit';
import type { IndexerEffect } from './plan.ts';
import type { RangeRead } from './read-range.ts';

type Effect<T extends IndexerEffect['type']> = Extract<IndexerEffect, { type: T }>;

const aboutRange = (chainId: number, from: bigint, to: bigint) => ({
  'castellan.chain_id': chainId,
  'castellan.from_block': Number(from),
  'castellan.to_block': Number(to),
});

/**
 * Begins the trace of a range of blocks, whatever is being stored meanwhile. Of a range of the history there is one span and no more: each
 * of its requests in a span would be thousands a minute, and nobody waits for it.
 */
export function inReadSpan(
  chainId: number,
  { from, to, range }: Effect<'read'>,
  read: () => Promise<RangeRead>,
): Promise<RangeRead> {
  const isHistory = to - from >= BigInt(range.size);
  const attributes = aboutRange(chainId, from, to);
  return outsideTrace(() =>
    inSpan('read blocks', { attributes }, async (span) => {
      const answer = await (isHistory ? withoutSpans(read) : read());
      if (answer.kind === 'reorg') return answer;
      span.setAttribute('castellan.to_block', Number(answer.end.number));
      const { traceparent } = traceHeaders();
      return traceparent === undefined ? answer : { ...answer, traceparent };
    }),
  );
}

/** Goes on in the trace of the range that is stored. */
export function inStoreSpan<T>(
  chainId: number,
  { answer, isHead }: Effect<'store'>,
  store: () => Promise<T>,
): Promise<T> {
  const { from, end, drafts, traceparent } = answer;
  const attributes = { ...aboutRange(chainId, from, end.number), 'castellan.logs': drafts.length };
  const causes = traceparent === undefined ? [] : [traceparent];
  return inSpan('store blocks', { causes, attributes }, () => (isHead ? store() : withoutSpans(store)));
}

/** A rollback is an entry too, which followers read. */
export const inRollbackSpan = <T>(
  chainId: number,
  { fromBlock, oldTip }: Effect<'roll_back'>,
  rollBack: () => Promise<T>,
): Promise<T> =>
  inSpan('roll back blocks', { attributes: aboutRange(chainId, fromBlock, oldTip.number) }, () => rollBack());
