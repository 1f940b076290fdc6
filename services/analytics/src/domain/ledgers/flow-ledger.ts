import { mulDivDown } from '@castellan/chain';
import { byBig } from '../downsample.ts';
import { Extremes } from '../extremes.ts';
import { addDollars, type Dollars, noDollars } from '../money.ts';
import { Ranks } from '../ranks.ts';
import { countAtBlock, countUntil, type Dated } from '../timeline.ts';

/** Why money moved; an entry fee leaves the vault with its deposit. */
export type FlowKind = 'deposit' | 'entry_fee' | 'fulfilment';

/** Money into or out of the vault, base units of the asset. The `to...` fields run up to and including this flow. */
export type Flow = Dated & {
  readonly kind: FlowKind;
  readonly tx: string;
  readonly index: number;
  readonly wallet: string;
  readonly assets: bigint;
  readonly shares: bigint;
  readonly usd: Dollars;
  readonly toAssets: bigint;
  readonly toUsd: Dollars;
};

/** A flow before its running sums are known. */
export type NewFlow = Omit<Flow, 'toAssets' | 'toUsd'>;

/** Assets under management from this block on: supply x PPS / precision, as the vault's totalAssets() has it. */
export type TvlPoint = Dated & { readonly supply: bigint; readonly pps: bigint; readonly assets: bigint };

/** Sums of flows; `assets` in base units. */
export type FlowTotals = { count: number; assets: bigint; usd: Dollars };

const noTotals: FlowTotals = { count: 0, assets: 0n, usd: noDollars };

/** Flows of each kind with running sums, and the assets under management after each change. */
export class FlowLedger {
  readonly flows: Readonly<Record<FlowKind, Flow[]>> = { deposit: [], entry_fee: [], fulfilment: [] };
  readonly tvl: TvlPoint[] = [];
  readonly extremes = new Extremes(
    this.tvl,
    byBig<TvlPoint>(({ assets }) => assets),
  );
  readonly depositSizes = new Ranks<bigint>();
  #supply = 0n;

  get supply(): bigint {
    return this.#supply;
  }

  add(flow: NewFlow): void {
    const list = this.flows[flow.kind];
    const last = list.at(-1);
    if (flow.kind === 'deposit') this.depositSizes.add(flow.assets);
    list.push({
      ...flow,
      toAssets: (last?.toAssets ?? 0n) + flow.assets,
      toUsd: addDollars(last?.toUsd ?? noDollars, flow.usd),
    });
  }

  supplyChanged(by: bigint): void {
    this.#supply += by;
  }

  /** Notes what the vault holds after a change of supply or price; one point a block. */
  valued({ block, time }: Dated, pps: bigint, precision: bigint): void {
    const assets = mulDivDown(this.#supply, pps, precision);
    if (this.tvl.at(-1)?.block === block) this.tvl.pop();
    this.tvl.push({ block, time, supply: this.#supply, pps, assets });
  }

  /** The accepted PPS at the end of a block. */
  ppsAt(block: number): bigint | undefined {
    return this.tvl[countAtBlock(this.tvl, block) - 1]?.pps;
  }

  /** Flows of one kind with from < time <= to, among blocks up to `block`: how many and how much, in two look-ups. */
  totals(kind: FlowKind, from: number, to: number, block: number): FlowTotals {
    const list = this.flows[kind];
    const end = countUntil(list, ({ time }) => time, to, countAtBlock(list, block));
    const start = countUntil(list, ({ time }) => time, from, end);
    const last = list[end - 1];
    if (end === start || !last) return noTotals;
    const before = list[start - 1];
    return {
      count: end - start,
      assets: last.toAssets - (before?.toAssets ?? 0n),
      usd: {
        scaled: last.toUsd.scaled - (before?.toUsd.scaled ?? 0n),
        missing: last.toUsd.missing - (before?.toUsd.missing ?? 0),
      },
    };
  }
}
