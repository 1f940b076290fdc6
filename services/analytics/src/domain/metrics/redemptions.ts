import { type Figure, figure, type Input } from '../figure.ts';
import type { Redemption } from '../ledgers/redemption-ledger.ts';
import { given, type Moment, ppsNow } from '../moment.ts';
import { sumOf, unknown } from '../plain-figures.ts';
import { type Range, windowStart } from '../range.ts';
import { sum } from '../ratio.ts';
import { stretchOf } from '../timeline.ts';
import { worthFigure } from './liquidity.ts';

/** Within how many seconds a fraction `q` of the requests was paid that were fulfilled within the range. */
export function fulfilmentSeconds(moment: Moment, range: Range, q: number): Figure {
  const { redemptions } = moment.history;
  const { start, end } = stretchOf(redemptions.fulfilments, windowStart(range), range.to, moment.block);
  return figure({
    value: redemptions.durations.quantile(start, end, q) ?? null,
    unit: 'seconds',
    method: 'quantile_number',
    reason: 'nothing was fulfilled in the range',
    window: { from: range.from, to: range.to },
    sampleSize: end - start,
    inputs: () => [
      { name: 'q', value: q, unit: 'fraction', source: 'definition' },
      ...redemptions.fulfilments.slice(start, end).map(
        (item): Input => ({
          name: 'sample',
          value: item.seconds,
          unit: 'seconds',
          at: item,
          source: 'RedeemRequest to RedeemClaimable',
        }),
      ),
    ],
  });
}

/** Requests that wait, and how long those took that were fulfilled within the range. */
export function redemptionsOf(moment: Moment, range: Range) {
  const { redemptions } = moment.history;
  const pending = redemptions.pendingAt(moment.block);
  const shares = sum(pending.map((request) => request.shares));
  const { start, end } = stretchOf(redemptions.fulfilments, windowStart(range), range.to, moment.block);
  const pps = ppsNow(moment)?.pps ?? 0n;
  const blocked = pending.filter(({ controller, pps: asked }) => {
    const slippage = redemptions.slippageOf(controller, moment.block);
    return (asked * (10_000n - slippage)) / 10_000n > pps;
  });
  const oldest = pending.length === 0 ? null : Math.min(...pending.map(({ time }) => time));
  const waiting = { source: 'RedeemRequest not yet answered' };
  return {
    pending: requestCount(pending),
    pending_shares: sumOf(
      pending.map((request) => ({ value: request.shares, unit: 'share base units', at: request, ...waiting })),
      [],
      { unit: 'share base units', sampleSize: pending.length },
    ),
    pending_assets: worthFigure(moment, shares, waiting),
    oldest_seconds:
      oldest === null
        ? unknown('no request waits')
        : figure({
            value: Math.max(0, moment.time - oldest),
            unit: 'seconds',
            method: 'age',
            inputs: () => [
              given('now', moment.time, 'seconds', 'the block asked about'),
              given('then', oldest, 'seconds', 'the oldest RedeemRequest that waits'),
            ],
          }),
    fulfilled: figure({
      value: end - start,
      unit: 'requests',
      method: 'count',
      window: { from: range.from, to: range.to },
      sampleSize: end - start,
      inputs: () =>
        redemptions.fulfilments.slice(start, end).map(
          (item): Input => ({
            name: 'item',
            value: item.request.controller,
            unit: 'request',
            at: item,
            source: 'RedeemClaimable',
          }),
        ),
    }),
    p50_seconds: fulfilmentSeconds(moment, range, 0.5),
    p95_seconds: fulfilmentSeconds(moment, range, 0.95),
    max_seconds: fulfilmentSeconds(moment, range, 1),
    blocked: requestCount(blocked),
  };
}

const requestCount = (requests: readonly Redemption[]): Figure =>
  figure({
    value: requests.length,
    unit: 'requests',
    method: 'count',
    sampleSize: requests.length,
    inputs: () =>
      requests.map((request) => ({
        name: 'item',
        value: request.controller,
        unit: 'request',
        at: request,
        source: 'RedeemRequest not yet answered',
      })),
  });
