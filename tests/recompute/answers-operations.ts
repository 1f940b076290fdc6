import { type Asked, checksum, envelope, inceptionOf, rangeAsked, rangeFields, text } from './answer-parts.ts';
import { amount, type ChainEvent, type ChainRecord, named } from './chain-record.ts';
import { Near, unruled } from './coverage.ts';
import { feeLedger, feeTotals, feeTotalsUsd, pendingFee, shareBelowMark } from './fees.ts';
import { flowFigures, flowOf } from './flows.ts';
import { gasDollars, gasFigures, payers } from './gas.ts';
import { termsNow } from './prices.ts';
import { redemptionFigures } from './redemptions.ts';
import { isoOf } from './time.ts';
import { costOf, rowsOf, slippageFigures } from './transactions.ts';
import { upkeepFigures } from './upkeep.ts';

/** Sums of doubles weighted by doubles. */
const AVERAGE = 1e-11;

/** (after, to]: of the whole life also what happened in the second it began. */
const eventsAsked = (asked: Asked) => {
  const { from, to, whole } = rangeAsked(asked);
  return { after: whole ? from - 1n : from, to };
};

const inRange = (asked: Asked) => {
  const { after, to } = eventsAsked(asked);
  return ({ time }: { time: bigint }) => time > after && time <= to;
};

export function operations(asked: Asked) {
  const { record } = asked;
  const { after: from, to } = eventsAsked(asked);
  const count = (...names: string[]) => named(record, 'vault', ...names).filter(inRange(asked)).length;
  const { deposits, withdrawals, net_flow, net_flow_usd } = flowFigures(record, from, to);
  const { transactions, by_payer, ...gas } = gasFigures(record, from, to);
  const dollars = gasDollars(record, from, to, inceptionOf(record));
  const slippage = slippageFigures(record, from, to);
  const { updates_per_day, updates_per_day_7d, upkeep } = upkeepFigures(record, from, to);
  const runway = upkeep.runway_seconds;
  return {
    ...envelope(asked),
    ...rangeFields(asked),
    transactions,
    deposits,
    withdrawals,
    requests: count('RedeemRequest'),
    cancels: count('CancelRedeemRequest'),
    claims: count('Withdraw', 'CancelRedeemClaim'),
    gas: {
      ...gas,
      usd: dollars.usd,
      by_payer: Object.fromEntries(
        payers.map((payer) => [payer, { ...by_payer[payer], usd: dollars.by_payer[payer].usd }]),
      ),
      tvl_bps_per_year: dollars.tvl_bps_per_year,
    },
    slippage: {
      ...slippage,
      average_bps: new Near(slippage.average_bps, AVERAGE),
      simple_average_bps: new Near(slippage.simple_average_bps, AVERAGE),
    },
    net_flow: `${net_flow}`,
    net_flow_usd,
    redemptions: redemptionFigures(record, from),
    updates_per_day,
    updates_per_day_7d,
    upkeep: { ...upkeep, empty_at: runway === null ? null : isoOf(record.time + BigInt(runway)) },
  };
}

export function transactions(asked: Asked) {
  const { record, query } = asked;
  const rows = rowsOf(record)
    .filter(({ event }) => inRange(asked)(event))
    .reverse();
  const shown = rows.slice(0, Number(query.limit ?? 100));
  return {
    ...envelope(asked),
    total: rows.length,
    has_more: rows.length > shown.length,
    next_cursor: rows.length > shown.length ? unruled : null,
    transactions: shown.map((row) => {
      const cost = costOf(record, row);
      return {
        type: row.type,
        t: isoOf(row.event.time),
        wallet_address: row.wallet ? checksum(row.wallet) : null,
        assets: text(row.assets),
        shares: text(row.shares),
        usd: row.usd,
        pps: text(row.pps),
        slippage_bps: row.slippage?.bps ?? null,
        gas_used: text(cost?.gasUsed ?? null),
        gas_cost: text(cost?.cost ?? null),
        payer: cost?.payer ?? null,
        tx_hash: row.event.tx,
        log_index: row.event.logIndex,
        block: Number(row.event.block),
      };
    }),
  };
}

/** Buckets of the answer's interval; the first and the last are cut where the range is. */
export function volume(asked: Asked) {
  const { record, answer } = asked;
  const { after: from, to } = eventsAsked(asked);
  const interval = BigInt(answer.interval_seconds as number);
  const points = [];
  for (let time = (from / interval) * interval; time <= to; time += interval) {
    // A bucket has the seconds from its beginning to the last before the next.
    const first = time - 1n > from ? time - 1n : from;
    const last = time + interval - 1n < to ? time + interval - 1n : to;
    const { deposits, withdrawals, net } = flowOf(record, first, last);
    const { inward_usd, withdrawals: out, net_flow_usd } = flowFigures(record, first, last);
    points.push({
      t: isoOf(time),
      deposits: `${deposits}`,
      withdrawals: `${withdrawals}`,
      net: `${net}`,
      deposits_usd: inward_usd,
      withdrawals_usd: out.usd,
      net_usd: net_flow_usd,
    });
  }
  return { ...envelope(asked), ...rangeFields(asked), interval_seconds: unruled, points };
}

const bps = (event: ChainEvent, field: string): number | null => {
  if (event.name === 'ManagementFeePaid') return field === 'managementFeeBps' ? Number(amount(event, 'feeBps')) : null;
  return field in event.args ? Number(amount(event, field)) : null;
};

const recipientOf = (_record: ChainRecord, event: ChainEvent, recipient: string | null): string | null => {
  const named = event.args.recipient ?? event.args.newRecipient;
  return recipient ?? (typeof named === 'string' ? named.toLowerCase() : null);
};

export function fees(asked: Asked) {
  const { record, query } = asked;
  const entries = feeLedger(record).filter(({ event }) => inRange(asked)(event));
  const shown = entries.slice(0, Number(query.limit ?? 100));
  const pending = pendingFee(record);
  const address = (value: string | null) => (value ? checksum(value) : null);
  return {
    ...envelope(asked),
    total: entries.length,
    has_more: entries.length > shown.length,
    next_cursor: entries.length > shown.length ? unruled : null,
    fees: shown.map(({ event, kind, total, protocol, own, usd, actor, recipient, mark }) => ({
      t: isoOf(event.time),
      kind,
      total: text(total),
      protocol_share: text(protocol),
      recipient_share: text(own),
      usd,
      actor: address(actor),
      recipient: address(recipientOf(record, event, recipient)),
      hwm_before: text(mark?.before ?? null),
      hwm_after: text(mark?.after ?? null),
      performance_fee_bps: bps(event, 'performanceFeeBps'),
      management_fee_bps: bps(event, 'managementFeeBps'),
      tx_hash: event.tx,
      log_index: event.logIndex,
      block: Number(event.block),
    })),
    totals: { ...feeTotals(record), ...feeTotalsUsd(record) },
    pending: { profit: `${pending.profit}`, total: `${pending.total}` },
    hwm_pps: `${termsNow(record).hwm}`,
    share_below_hwm: shareBelowMark(record),
  };
}
