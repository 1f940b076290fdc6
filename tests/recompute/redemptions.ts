import { account, amount, type ChainRecord } from './chain-record.ts';
import { lastAt, percentile } from './numbers.ts';
import { observationsOf, termsNow } from './prices.ts';

/** Of every request that asks for nothing else, in bps: the contract's default. */
const DEFAULT_SLIPPAGE = 50n;
const BPS = 10_000n;

/** `price` is the mean that the contract keeps: rounded down at each request. */
export type Waiting = {
  since: bigint;
  tx: string;
  requests: number;
  shares: bigint;
  price: bigint;
  cancelled: boolean;
};

/** Requests up to the record's block: what waits by wallet, the oldest first, and how long each fulfilment took. */
export function walk(record: ChainRecord) {
  const waiting = new Map<string, Waiting>();
  const slippage = new Map<string, bigint>();
  const fulfilled: { time: bigint; seconds: bigint }[] = [];
  for (const event of record.events) {
    const who = account(event, 'controller');
    const known = waiting.get(who);
    if (event.contract === 'vault' && event.name === 'RedeemRequest') {
      const shares = amount(event, 'assets');
      const pps = lastAt(observationsOf(record), event.time)?.pps ?? 0n;
      const first = { since: event.time, tx: event.tx, requests: 0, shares: 0n, price: 0n, cancelled: false };
      const { since, tx, requests, shares: before, price, cancelled } = known ?? first;
      const mean = (before * price + shares * pps) / (before + shares);
      waiting.set(who, { since, tx, requests: requests + 1, shares: before + shares, price: mean, cancelled });
    }
    if (event.contract === 'vault' && event.name === 'CancelRedeemRequest' && known)
      waiting.set(who, { ...known, cancelled: true });
    if (event.contract !== 'strategy') continue;
    if (event.name === 'RedeemSlippageSet') slippage.set(who, BigInt(event.args.slippageBps as number));
    if (event.name === 'RedeemCancelRequestFulfilled') waiting.delete(who);
    if (event.name !== 'RedeemClaimable' || !known) continue;
    fulfilled.push({ time: event.time, seconds: event.time - known.since });
    waiting.delete(who);
  }
  return { waiting, slippage, fulfilled };
}

/** Asked at a price so much higher that the contract cannot pay it. */
export function isBlocked(
  record: ChainRecord,
  who: string,
  { shares, price }: Waiting,
  slippage: ReadonlyMap<string, bigint>,
) {
  const theoretical = (shares * termsNow(record).pps) / record.precision;
  const asked = (shares * price) / record.precision;
  const tolerance = slippage.get(who) || DEFAULT_SLIPPAGE;
  return (asked * (BPS - tolerance)) / BPS > theoretical;
}

/** The queue as it stands, and the fulfilments since `from`. */
export function redemptionFigures(record: ChainRecord, from: bigint) {
  const { waiting, slippage, fulfilled } = walk(record);
  const queue = [...waiting.values()];
  const shares = queue.reduce((total, request) => total + request.shares, 0n);
  const times = fulfilled.filter(({ time }) => time > from && time <= record.time).map(({ seconds }) => seconds);
  const oldest = queue.reduce<bigint | null>(
    (least, { since }) => (least === null || since < least ? since : least),
    null,
  );
  const at = (percent: number) => {
    const value = percentile(times, percent);
    return value === null ? null : Number(value);
  };
  const pps = observationsOf(record).at(-1)?.pps;
  return {
    pending: queue.length,
    pending_shares: `${shares}`,
    pending_assets: pps === undefined ? null : `${(shares * pps) / record.precision}`,
    oldest_seconds: oldest === null ? null : Number(record.time - oldest),
    fulfilled: times.length,
    p50_seconds: at(50),
    p95_seconds: at(95),
    max_seconds: at(100),
    blocked: [...waiting].filter(([who, request]) => isBlocked(record, who, request, slippage)).length,
  };
}
