import { amount, type ChainRecord, type Happening } from './chain-record.ts';
import { ratio, sum } from './numbers.ts';

const inside = ({ time }: Happening, from: bigint, to: bigint) => time > from && time <= to;

/** The feed's last answer that was written by then, raw; null before the first. */
export function priceAt({ happenings }: ChainRecord, time: bigint): bigint | null {
  const answer = happenings.findLast(
    (happening) => happening.name === 'AnswerUpdated' && amount(happening, 'updatedAt') <= time,
  );
  return answer ? amount(answer, 'current') : null;
}

/** Dollars of (assets x price) sums: one division, at the end. */
const dollars = ({ precision, feedScale }: ChainRecord, product: bigint, parts = 1n): number =>
  ratio(product, precision * feedScale * parts);

type Flow = { time: bigint; assets: bigint };

function flowsOf(
  { happenings }: ChainRecord,
  contract: Happening['contract'],
  name: string,
  field: string,
  from: bigint,
  to: bigint,
): Flow[] {
  return happenings
    .filter((happening) => happening.contract === contract && happening.name === name && inside(happening, from, to))
    .map((happening) => ({ time: happening.time, assets: amount(happening, field) }));
}

const total = (flows: readonly Flow[]) => sum(flows.map(({ assets }) => assets));

/** Sum of assets x price at each flow's own time; null when one of them has no price. */
function valued(record: ChainRecord, flows: readonly Flow[]): bigint | null {
  const values = flows.map(({ time, assets }) => {
    const price = priceAt(record, time);
    return price === null ? null : assets * price;
  });
  return values.includes(null) ? null : sum(values as bigint[]);
}

/** Deposits (gross), fulfilled withdrawals and what they leave, in (from, to]. */
export function flowFigures(record: ChainRecord, from: bigint, to: bigint) {
  const deposits = flowsOf(record, 'vault', 'Deposit', 'assets', from, to);
  const fees = flowsOf(record, 'strategy', 'ManagementFeePaid', 'feeAssets', from, to);
  const withdrawals = flowsOf(record, 'strategy', 'RedeemClaimable', 'assetsFulfilled', from, to);
  const signed = [...deposits, ...[...fees, ...withdrawals].map(({ time, assets }) => ({ time, assets: -assets }))];
  const usd = (flows: readonly Flow[]) => {
    const value = valued(record, flows);
    return value === null ? null : dollars(record, value);
  };
  const figures = (flows: readonly Flow[]) => ({ count: flows.length, assets: `${total(flows)}`, usd: usd(flows) });
  return {
    deposits: figures(deposits),
    withdrawals: figures(withdrawals),
    net_flow: total(signed),
    net_flow_usd: usd(signed),
  };
}

/** What the vault held by its own books at a time: supply x PPS, rounded down, both as the chain had them then. */
export function assetsAt({ happenings, precision }: ChainRecord, time: bigint): bigint {
  const zero = /^0x0{40}$/;
  let supply = 0n;
  let pps = 0n;
  for (const happening of happenings) {
    if (happening.time > time) break;
    if (happening.contract === 'vault' && happening.name === 'Transfer') {
      const value = amount(happening, 'value');
      if (zero.test(String(happening.args.from))) supply += value;
      if (zero.test(String(happening.args.to))) supply -= value;
    }
    if (happening.name === 'PPSUpdated') pps = amount(happening, 'pps');
    if (happening.name === 'PPSUpdatedAfterSkim') pps = amount(happening, 'newPPS');
  }
  return (supply * pps) / precision;
}

export type ChangeSplit = { flow: number; yield: number; price: number; total: number };
const noSplit = { flow: null, yield: null, price: null, total: null };

/**
 * Change of the TVL in dollars: what people moved, what was earned, what the price did. The three add up to it.
 * Raw integers in, over `scale` units per dollar; the means of both ends are halves, hence the 2.
 */
export function splitOf(
  before: { assets: bigint; price: bigint },
  after: { assets: bigint; price: bigint },
  flow: bigint,
  scale: bigint,
): ChangeSplit {
  const prices = before.price + after.price;
  const assets = before.assets + after.assets;
  return {
    flow: ratio(flow * prices, 2n * scale),
    yield: ratio((after.assets - before.assets - flow) * prices, 2n * scale),
    price: ratio(assets * (after.price - before.price), 2n * scale),
    total: ratio(after.assets * after.price - before.assets * before.price, scale),
  };
}

/** TVL at the record's block, and how it changed over the seconds before it; null fields without a price or a past. */
export function tvlFigures(record: ChainRecord, seconds: bigint) {
  const from = record.time - seconds;
  const [was, now] = [assetsAt(record, from), assetsAt(record, record.time)];
  const [priceWas, priceNow] = [priceAt(record, from), priceAt(record, record.time)];
  const { net_flow } = flowFigures(record, from, record.time);
  const priced = priceWas !== null && priceNow !== null;
  return {
    tvl_asset: `${now}`,
    tvl_usd: priceNow === null ? null : dollars(record, now * priceNow),
    change: was === 0n ? null : ratio(now - was, was),
    change_usd: !priced || was === 0n ? null : ratio(now * priceNow - was * priceWas, was * priceWas),
    split: priced
      ? splitOf(
          { assets: was, price: priceWas },
          { assets: now, price: priceNow },
          net_flow,
          record.precision * record.feedScale,
        )
      : noSplit,
  };
}

/** Fees over the vault's whole life. */
export function feeTotals({ happenings }: ChainRecord) {
  const of = (name: string, field: string) =>
    sum(happenings.filter((happening) => happening.name === name).map((happening) => amount(happening, field)));
  const performance = of('PerformanceFeeSkimmed', 'totalFee');
  const protocol = of('PerformanceFeeSkimmed', 'superformFee');
  return {
    performance: `${performance}`,
    performance_protocol: `${protocol}`,
    performance_recipient: `${performance - protocol}`,
    entry: `${of('ManagementFeePaid', 'feeAssets')}`,
  };
}
