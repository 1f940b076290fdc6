import { mulDivDown } from '@castellan/chain';
import type { redemptionStates } from '@castellan/contracts';
import type { Redemption } from '../ledgers/redemption-ledger.ts';
import { least } from '../metric-math.ts';
import { type Moment, observationAt, ppsNow } from '../moment.ts';
import type { Observation } from '../observation.ts';
import { payableSources } from './liquidity.ts';

const BPS = 10_000n;

/** What one gets of a whole, and what others get of it first. Base units of the asset. */
export type Part = { readonly assets: bigint; readonly before: bigint };
/** What a payment would be made of. `missing` is what neither idle assets nor sources reach. */
export type Funding = {
  readonly idle: Part;
  readonly sources: readonly (Part & { readonly address: string; readonly payable: bigint })[];
  readonly missing: bigint;
};

type QueueState = (typeof redemptionStates)[number];

/** A wallet that waits. All its open requests are paid, or given back, together. */
export type Waiting = {
  readonly controller: string;
  /** Oldest first. */
  readonly requests: readonly [Redemption, ...Redemption[]];
  readonly shares: bigint;
  /** At the accepted price, base units of the asset; the most the contract lets a manager pay. */
  readonly assets: bigint;
  readonly state: QueueState;
  /** Null for a request that is not to be paid now. */
  readonly funding: Funding | null;
};

/**
 * Who is paid from what, were all of them paid now. Idle assets go to those that they reach whole, the oldest first, as the keeper pays;
 * what is left of them, and then sources in their order, to the others. Nothing is made or lost: the parts of one are what it wants.
 * @param wanted - Base units of the asset, the oldest first.
 */
export function fundingsOf(
  wanted: readonly bigint[],
  idle: bigint,
  sources: readonly { address: string; payable: bigint }[],
): Funding[] {
  let left = idle;
  const reached = wanted.map((assets) => {
    if (assets > left) return undefined;
    left -= assets;
    return { idle: { assets, before: idle - left - assets }, sources: [], missing: 0n };
  });
  const paying = sources.map(({ address, payable }) => ({ address, payable, left: payable }));
  return wanted.map((assets, place) => {
    const whole = reached[place];
    if (whole) return whole;
    const fromIdle = { assets: least(left, assets), before: idle - left };
    left -= fromIdle.assets;
    let missing = assets - fromIdle.assets;
    const parts: Funding['sources'][number][] = [];
    for (const source of paying) {
      const { address, payable } = source;
      const part = least(missing, source.left);
      if (part === 0n) continue;
      parts.push({ address, payable, assets: part, before: payable - source.left });
      source.left -= part;
      missing -= part;
    }
    return { idle: fromIdle, sources: parts, missing };
  });
}

/** The least that the contract lets a wallet be paid with: by the mean price of its requests, less the slippage it allows. */
function leastOf(requests: readonly Redemption[], slippageBps: bigint, precision: bigint): bigint {
  let shares = 0n;
  let price = 0n;
  for (const request of requests) {
    price = (shares * price + request.shares * request.pps) / (shares + request.shares);
    shares += request.shares;
  }
  return mulDivDown(mulDivDown(shares, price, precision), BPS - slippageBps, BPS);
}

const stateOf = ({ sources, missing }: Funding): QueueState =>
  missing > 0n ? 'short' : sources.length > 0 ? 'needs_withdrawal' : 'payable';

const fund = (wanted: readonly bigint[], seen: Observation | undefined): (Funding | null)[] =>
  seen ? fundingsOf(wanted, seen.idle, payableSources(seen)) : wanted.map(() => null);

/** Everybody who waits for a redemption at a moment, the oldest first. */
export function redemptionQueue(moment: Moment): Waiting[] {
  const { redemptions, precision } = moment.history;
  const pps = ppsNow(moment)?.pps;
  const byWallet = Map.groupBy(redemptions.pendingAt(moment.block), ({ controller }) => controller);
  const queue = [...byWallet].map(([controller, requests]) => {
    const shares = requests.reduce((total, request) => total + request.shares, 0n);
    const isPriced = precision !== undefined && pps !== undefined;
    const assets = isPriced ? mulDivDown(shares, pps, precision) : 0n;
    const floor = isPriced ? leastOf(requests, redemptions.slippageOf(controller, moment.block), precision) : 0n;
    const isCancelled = requests.some(({ cancelAsked }) => cancelAsked && cancelAsked.block <= moment.block);
    const held: QueueState | null = isCancelled ? 'cancelling' : floor > assets ? 'blocked' : null;
    return { controller, requests: requests as [Redemption, ...Redemption[]], shares, assets, held };
  });
  const fundings = fund(
    queue.filter(({ held }) => held === null).map(({ assets }) => assets),
    observationAt(moment),
  ).values();
  return queue.map(({ held, ...waiting }) => {
    const funding = held === null ? (fundings.next().value ?? null) : null;
    return { ...waiting, funding, state: held ?? (funding ? stateOf(funding) : 'unknown') };
  });
}
