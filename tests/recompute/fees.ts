import { account, amount, type ChainEvent, type ChainRecord, named } from './chain-record.ts';
import { rawDollars } from './flows.ts';
import { dollarsOf, usdAt } from './money.ts';
import { ceilDiv, ratio, sum } from './numbers.ts';
import { observationsOf, termsNow } from './prices.ts';
import { supplyAt } from './tvl.ts';

const BPS = 10_000n;

/** Fees of the whole life, by kind. */
export function feeTotals(record: ChainRecord) {
  const skims = named(record, 'strategy', 'PerformanceFeeSkimmed');
  const entries = named(record, 'strategy', 'ManagementFeePaid');
  const total = (events: ChainEvent[], name: string) => sum(events.map((event) => amount(event, name)));
  const all = total(skims, 'totalFee');
  const protocol = total(skims, 'superformFee');
  return {
    performance: `${all}`,
    performance_protocol: `${protocol}`,
    performance_recipient: `${all - protocol}`,
    entry: `${total(entries, 'feeAssets')}`,
  };
}

/** The same in dollars of the time of each fee. */
export function feeTotalsUsd(record: ChainRecord) {
  const usd = (events: ChainEvent[], name: string) => {
    const raw = rawDollars(
      record,
      events.map((event) => ({ time: event.time, assets: amount(event, name) })),
    );
    return raw === null ? null : dollarsOf(record, raw);
  };
  return {
    performance_usd: usd(named(record, 'strategy', 'PerformanceFeeSkimmed'), 'totalFee'),
    entry_usd: usd(named(record, 'strategy', 'ManagementFeePaid'), 'feeAssets'),
  };
}

/** What a skim would take at a price: profit rounded down, fee rounded up. */
export function feeOf(pps: bigint, hwm: bigint, feeBps: bigint, supply: bigint, precision: bigint) {
  const profit = pps > hwm ? ((pps - hwm) * supply) / precision : 0n;
  return { profit, total: ceilDiv(profit * feeBps, BPS) };
}

/** The performance fee that waits to be taken. */
export function pendingFee(record: ChainRecord) {
  const { pps, hwm, feeBps } = termsNow(record);
  return feeOf(pps, hwm, feeBps, supplyAt(record, record.time), record.precision);
}

/** The mark in force just before an event, and the one it sets. */
function marksOf(record: ChainRecord): Map<string, { before: bigint; after: bigint }> {
  const marks = new Map<string, { before: bigint; after: bigint }>();
  let mark = record.precision;
  for (const event of named(record, 'strategy', 'HWMPPSUpdated', 'HighWaterMarkReset')) {
    const after = amount(event, 'newHwmPps');
    marks.set(event.tx, { before: marks.get(event.tx)?.before ?? mark, after });
    mark = after;
  }
  return marks;
}

const kinds: Record<string, string> = {
  PerformanceFeeSkimmed: 'performance',
  ManagementFeePaid: 'entry',
  VaultFeeConfigProposed: 'config_proposed',
  VaultFeeConfigUpdated: 'config_executed',
  FeeRecipientChanged: 'recipient_changed',
  HighWaterMarkReset: 'hwm_reset',
};

/** Parts of an entry that only fees have. */
function taken(record: ChainRecord, event: ChainEvent) {
  if (event.name === 'ManagementFeePaid') {
    const total = amount(event, 'feeAssets');
    return {
      total,
      protocol: null,
      own: total,
      actor: account(event, 'controller'),
      recipient: account(event, 'recipient'),
    };
  }
  const actor = record.costs.get(event.tx)?.from ?? null;
  if (event.name !== 'PerformanceFeeSkimmed') return { total: null, protocol: null, own: null, actor, recipient: null };
  const total = amount(event, 'totalFee');
  const protocol = amount(event, 'superformFee');
  return { total, protocol, own: total - protocol, actor, recipient: null };
}

/** Every fee taken and every change of terms and mark, newest first. */
export function feeLedger(record: ChainRecord) {
  const marks = marksOf(record);
  return named(record, 'strategy', ...Object.keys(kinds))
    .reverse()
    .map((event) => ({
      event,
      kind: kinds[String(event.name)] as string,
      ...taken(record, event),
      usd: usdAt(record, taken(record, event).total, event.time),
      mark:
        event.name === 'ManagementFeePaid' || event.name === 'VaultFeeConfigProposed'
          ? null
          : (marks.get(event.tx) ?? null),
    }));
}

/** Shares of each wallet by the price they were bought at, oldest first; what is redeemed is taken from the oldest. */
function lotsOf(record: ChainRecord): { shares: bigint; pps: bigint }[] {
  const lots = new Map<string, { shares: bigint; pps: bigint }[]>();
  for (const event of record.events) {
    if (event.contract === 'vault' && event.name === 'Deposit') {
      const pps = observationsOf(record).findLast(({ block }) => block <= event.block)?.pps ?? 0n;
      const who = account(event, 'owner');
      lots.set(who, [...(lots.get(who) ?? []), { shares: amount(event, 'shares'), pps }]);
    }
    if (event.contract !== 'strategy' || event.name !== 'RedeemClaimable') continue;
    let left = amount(event, 'sharesFulfilled');
    for (const lot of lots.get(account(event, 'controller')) ?? []) {
      const used = lot.shares < left ? lot.shares : left;
      lot.shares -= used;
      left -= used;
    }
  }
  return [...lots.values()].flat();
}

/** Part of the supply that was bought below the mark; null without supply. */
export function shareBelowMark(record: ChainRecord): number | null {
  const { hwm } = termsNow(record);
  const supply = supplyAt(record, record.time);
  const below = lotsOf(record).filter(({ pps }) => pps < hwm);
  return supply ? ratio(sum(below.map(({ shares }) => shares)), supply) : null;
}
