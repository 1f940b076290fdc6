import type { ListRedemptions, ParamsOf, ResultOf } from '@castellan/contracts';
import { type Figure, figure } from '../domain/figure.ts';
import { worthFigure } from '../domain/metrics/liquidity.ts';
import { type Funding, redemptionQueue, type Waiting } from '../domain/metrics/redemption-queue.ts';
import { fulfilmentSeconds } from '../domain/metrics/redemptions.ts';
import { type Named, partFigure } from '../domain/metrics/run-figures.ts';
import { given, type Moment, observationAt, priceAt } from '../domain/moment.ts';
import { amount, inDollars, sumOf, unknown } from '../domain/plain-figures.ts';
import { rangeOf } from '../domain/range.ts';
import { isoOf } from '../domain/timeline.ts';
import { answer, checksummed } from './answer.ts';
import { pageMoment, pageOf, readCursor } from './pages.ts';
import type { Histories } from './ports.ts';

const unobserved = 'nothing has been observed yet';
const notPaid = {
  blocked: 'the price is below the least that its wallet accepts',
  cancelling: 'its wallet wants the shares back',
} as const;

/** Why a request has no funding. */
const whyNot = ({ state }: Waiting): string =>
  state === 'blocked' || state === 'cancelling' ? notPaid[state] : unobserved;

/** What idle assets and each source would pay, and what neither reaches. */
function fundingFigures(moment: Moment, waiting: Waiting) {
  const { funding, assets } = waiting;
  const seen = observationAt(moment);
  if (!funding || !seen)
    return { from_idle: unknown(whyNot(waiting)), from_sources: [], missing: unknown(whyNot(waiting)) };
  const at = { time: seen.time, block: seen.block };
  const others = (before: bigint): Named[] => [{ value: before, source: 'what requests that are paid first take' }];
  const wanted: Named = { value: assets, source: 'assets of this row' };
  const idle = { value: seen.idle, at, source: 'state_observed: idle' };
  const fromIdle: Named = { value: funding.idle.assets, source: 'from_idle of this row' };
  const bySource = funding.sources.map(
    (part, place): Named => ({
      value: part.assets,
      source: `from_sources.${place} of this row`,
    }),
  );
  return {
    from_idle: partFigure(funding.idle.assets, wanted, idle, others(funding.idle.before)),
    from_sources: funding.sources.map((part, place) => ({
      source_address: checksummed(part.address),
      assets: partFigure(
        part.assets,
        leftAfter(wanted, [fromIdle, ...bySource.slice(0, place)]),
        { value: part.payable, at, source: `state_observed: min(position, available) of ${part.address}` },
        others(part.before),
      ),
    })),
    missing: sumOf([wanted], [fromIdle, ...bySource], { observed: true }),
  };
}

const leftAfter = (wanted: Named, parts: readonly Named[]): Named => ({
  value: parts.reduce((left, { value }) => left - value, wanted.value),
  source: 'assets of this row less what was paid before',
});

/** When a request can be expected to be paid, by how long it took of late. */
const expectedAt = (waiting: Waiting, p95: Figure) =>
  waiting.state in notPaid || p95.value === null
    ? unknown(p95.value === null ? p95.reason : whyNot(waiting))
    : isoOf(waiting.requests[0].time + Number(p95.value));

/** One wallet that waits, as the list shows it. */
export function redemptionRow(moment: Moment, waiting: Waiting, rank: number, p95: Figure) {
  const { controller, requests, shares, assets } = waiting;
  const [oldest] = requests;
  const asked = { at: oldest, source: 'RedeemRequest' };
  return {
    rank,
    wallet_address: checksummed(controller),
    requests: figure({
      value: requests.length,
      unit: 'requests',
      method: 'count',
      sampleSize: requests.length,
      inputs: () =>
        requests.map((request) => ({ name: 'item', value: controller, unit: 'request', ...asked, at: request })),
    }),
    shares: sumOf(
      requests.map((request) => ({ value: request.shares, unit: 'share base units', ...asked, at: request })),
      [],
      { unit: 'share base units', sampleSize: requests.length },
    ),
    assets: worthFigure(moment, shares, asked),
    usd: inDollars(moment, assets, priceAt(moment, moment.time), { source: 'assets of this row' }),
    requested_at: isoOf(oldest.time),
    waiting_seconds: figure({
      value: Math.max(0, moment.time - oldest.time),
      unit: 'seconds',
      method: 'age',
      inputs: () => [
        given('now', moment.time, 'seconds', 'the block asked about'),
        given('then', oldest.time, 'seconds', 'the oldest RedeemRequest of the wallet'),
      ],
    }),
    tx_hash: oldest.tx,
    state: waiting.state,
    ...fundingFigures(moment, waiting),
    expected_at: expectedAt(waiting, p95),
  };
}

/** Within how many seconds requests were paid in the 30 days before the moment. */
export const recentSeconds = (moment: Moment, q: number): Figure =>
  fulfilmentSeconds(moment, rangeOf({}, moment, moment.history.identity.time), q);

/** Sums over the whole queue. */
function totalsOf(moment: Moment, queue: readonly Waiting[]) {
  const seen = observationAt(moment);
  const source = (of: string) => (waiting: Waiting, value: bigint) => ({
    value,
    source: `${of}: ${waiting.controller}`,
  });
  const total = (of: string, part: (funding: Funding, waiting: Waiting) => bigint) =>
    seen
      ? sumOf(
          queue.flatMap((waiting) => (waiting.funding ? [source(of)(waiting, part(waiting.funding, waiting))] : [])),
          [],
          { observed: true },
        )
      : unknown(unobserved);
  return {
    pending_assets: sumOf(queue.map((waiting) => source('worth of the shares')(waiting, waiting.assets))),
    idle_assets: seen
      ? amount(seen.idle, { at: seen, source: 'state_observed: idle' }, { observed: true })
      : unknown(unobserved),
    payable_assets: total('reached by idle assets', (_, { state, assets }) => (state === 'payable' ? assets : 0n)),
    withdrawal_assets: total('to be paid by sources', ({ sources }) =>
      sources.reduce((sum, { assets }) => sum + assets, 0n),
    ),
    missing_assets: total('missing', ({ missing }) => missing),
  };
}

/** How many wallets wait. */
export const waitingCount = (queue: readonly Waiting[]): Figure =>
  figure({
    value: queue.length,
    unit: 'wallets',
    method: 'count',
    sampleSize: queue.length,
    inputs: () =>
      queue.map(({ controller, requests: [oldest] }) => ({
        name: 'item',
        value: controller,
        unit: 'wallet',
        at: oldest,
        source: 'RedeemRequest not yet answered',
      })),
  });

export const listRedemptions =
  ({ histories }: { histories: Histories }) =>
  async ({ cursor, limit, ...params }: ParamsOf<typeof ListRedemptions>): Promise<ResultOf<typeof ListRedemptions>> => {
    const from = readCursor(cursor);
    const moment = await histories.momentOf(pageMoment(params, from));
    const queue = redemptionQueue(moment);
    const p95 = recentSeconds(moment, 0.95);
    const offset = from?.offset ?? 0;
    const { page, paging } = pageOf(queue, offset, limit, moment.block);
    return answer(params, moment, 'operations/redemptions', {
      redemptions: page.map((waiting, place) => redemptionRow(moment, waiting, offset + place + 1, p95)),
      ...paging,
      total: waitingCount(queue),
      ...totalsOf(moment, queue),
      p50_seconds: recentSeconds(moment, 0.5),
      p95_seconds: p95,
    });
  };
