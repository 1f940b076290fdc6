import { account, amount, type ChainEvent, type ChainRecord, remembered } from './chain-record.ts';
import { transactionsOf } from './gas.ts';
import { usdAt } from './money.ts';
import { ratio } from './numbers.ts';
import { observationsOf } from './prices.ts';

const ZERO = `0x${'0'.repeat(40)}`;
const BPS = 10_000n;

export type Row = {
  type: string;
  event: ChainEvent;
  wallet: string | null;
  assets: bigint | null;
  shares: bigint | null;
  usd: number | null;
  pps: bigint | null;
  slippage: { bps: number; notional: bigint } | null;
};

/** The accepted price after an event, in chain order: that of the event itself when it is one. */
const priceAfter = (record: ChainRecord, { block, logIndex }: ChainEvent): bigint | null =>
  observationsOf(record).findLast((each) => each.block < block || (each.block === block && each.logIndex <= logIndex))
    ?.pps ?? null;

const worth = (record: ChainRecord, shares: bigint | null, pps: bigint | null): bigint | null =>
  shares === null || pps === null ? null : (shares * pps) / record.precision;

/** The accepted price at the end of a block. */
const priceBy = (record: ChainRecord, block: bigint): bigint | null =>
  observationsOf(record).findLast((each) => each.block <= block)?.pps ?? null;

const entryFeeOf = (record: ChainRecord, deposit: ChainEvent): bigint =>
  record.events
    .filter(({ tx, name, contract }) => tx === deposit.tx && contract === 'strategy' && name === 'ManagementFeePaid')
    .reduce((total, event) => total + amount(event, 'feeAssets'), 0n);

/** How much less came out than the price one block before promised; positive is a cost. Null without that price. */
function slippageOf(record: ChainRecord, event: ChainEvent): Row['slippage'] {
  const pps = priceBy(record, event.block - 1n);
  if (pps === null || pps === 0n) return null;
  if (event.name === 'Deposit') {
    const notional = amount(event, 'assets') - entryFeeOf(record, event);
    const expected = (notional * record.precision) / pps;
    return expected ? { bps: ratio((expected - amount(event, 'shares')) * BPS, expected), notional } : null;
  }
  const expected = (amount(event, 'sharesFulfilled') * pps) / record.precision;
  if (expected === 0n) return null;
  return { bps: ratio((expected - amount(event, 'assetsFulfilled')) * BPS, expected), notional: expected };
}

type Shape = { type: string; wallet: string | null; assets?: bigint; shares?: bigint; priced?: boolean };

const settings = new Set([
  'VaultFeeConfigProposed',
  'VaultFeeConfigUpdated',
  'FeeRecipientChanged',
  'PPSExpiryThresholdUpdated',
  'PPSExpirationProposed',
  'PPSExpiryThresholdProposalCanceled',
  'DeviationThresholdUpdated',
  'MinUpdateIntervalChangeProposed',
  'MinUpdateIntervalChanged',
  'MinUpdateIntervalChangeCancelled',
  'YieldSourceAdded',
  'YieldSourceOracleUpdated',
  'YieldSourceRemoved',
]);

function vaultShape(event: ChainEvent, escrow: string): Shape | null {
  const who = (name: string) => account(event, name);
  switch (event.name) {
    case 'Deposit':
      return {
        type: 'deposit',
        wallet: who('owner'),
        assets: amount(event, 'assets'),
        shares: amount(event, 'shares'),
        priced: true,
      };
    case 'Withdraw':
      return {
        type: 'redeem_claim',
        wallet: who('owner'),
        assets: amount(event, 'assets'),
        shares: amount(event, 'shares'),
        priced: true,
      };
    case 'RedeemRequest':
      return { type: 'redeem_request', wallet: who('controller'), shares: amount(event, 'assets') };
    case 'CancelRedeemRequest':
      return { type: 'cancel_request', wallet: who('controller') };
    case 'CancelRedeemClaim':
      return { type: 'cancel_claim', wallet: who('controller'), shares: amount(event, 'shares') };
    case 'Transfer': {
      const own = [who('from'), who('to')].every((end) => end !== ZERO && end !== escrow);
      return own ? { type: 'transfer', wallet: who('from'), shares: amount(event, 'value') } : null;
    }
    default:
      return null;
  }
}

function strategyShape(event: ChainEvent): Shape | null {
  if (event.name === 'RedeemClaimable')
    return {
      type: 'redeem_fulfilled',
      wallet: account(event, 'controller'),
      assets: amount(event, 'assetsFulfilled'),
      shares: amount(event, 'sharesFulfilled'),
      priced: true,
    };
  if (event.name === 'RedeemCancelRequestFulfilled')
    return { type: 'cancel_fulfilled', wallet: account(event, 'controller'), shares: amount(event, 'shares') };
  if (event.name === 'PerformanceFeeSkimmed')
    return { type: 'skim', wallet: null, assets: amount(event, 'totalFee'), priced: true };
  if (event.name === 'HooksExecuted') return { type: 'allocation', wallet: null };
  return settings.has(String(event.name)) ? { type: 'settings', wallet: null } : null;
}

function aggregatorShape(event: ChainEvent): Shape | null {
  if (settings.has(String(event.name))) return { type: 'settings', wallet: null };
  switch (event.name) {
    case 'PPSUpdated':
      return { type: 'pps_update', wallet: null };
    case 'UpkeepDeposited':
      return { type: 'upkeep_deposit', wallet: account(event, 'depositor') };
    case 'UpkeepWithdrawn':
      return { type: 'upkeep_withdrawal', wallet: account(event, 'withdrawer') };
    case 'StrategyPaused':
      return { type: 'pause', wallet: null };
    case 'StrategyUnpaused':
      return { type: 'unpause', wallet: null };
    case 'SecondaryManagerAdded':
    case 'SecondaryManagerRemoved':
      return { type: 'role', wallet: account(event, 'manager') };
    case 'PrimaryManagerChangeCancelled':
      return { type: 'role', wallet: account(event, 'cancelledManager') };
    case 'PrimaryManagerChangeProposed':
    case 'PrimaryManagerChanged':
      return { type: 'role', wallet: account(event, 'newManager') };
    default:
      return null;
  }
}

function shapeOf(record: ChainRecord, event: ChainEvent): Shape | null {
  // The price that a vault is created with is no report.
  if (event.tx === record.createdTx && event.name === 'PPSUpdated') return null;
  if (event.contract === 'vault') return vaultShape(event, record.deployment.escrow);
  if (event.contract === 'strategy') return strategyShape(event);
  return event.contract === 'aggregator' ? aggregatorShape(event) : null;
}

/** What happened, oldest first. */
export const rowsOf = remembered((record: ChainRecord): Row[] =>
  record.events.flatMap((event) => {
    const shape = shapeOf(record, event);
    if (!shape) return [];
    const { type, wallet, shares = null, priced = false } = shape;
    const pps = priceAfter(record, event);
    const assets = shape.assets ?? (type === 'redeem_request' ? worth(record, shares, pps) : null);
    const slips = type === 'deposit' || type === 'redeem_fulfilled';
    return {
      type,
      event,
      wallet,
      assets,
      shares,
      usd: priced ? usdAt(record, assets, event.time) : null,
      pps,
      slippage: slips ? slippageOf(record, event) : null,
    };
  }),
);

export const costOf = (record: ChainRecord, { event }: Row) => transactionsOf(record).get(event.tx);

/** Over deposits and fulfilments of (from, to]. */
export function slippageFigures(record: ChainRecord, from: bigint, to: bigint) {
  const found = rowsOf(record).flatMap(({ event, slippage }) =>
    slippage && event.time > from && event.time <= to ? { ...slippage, tx: event.tx } : [],
  );
  if (found.length === 0)
    return { average_bps: null, simple_average_bps: null, max_bps: null, max_tx_hash: null, sample_size: 0 };
  const weight = found.reduce((total, { notional }) => total + Number(notional), 0);
  const largest = found.reduce((most, each) => (each.bps > most.bps ? each : most));
  return {
    average_bps: weight ? found.reduce((total, { bps, notional }) => total + bps * Number(notional), 0) / weight : 0,
    simple_average_bps: found.reduce((total, { bps }) => total + bps, 0) / found.length,
    max_bps: largest.bps,
    max_tx_hash: largest.tx,
    sample_size: found.length,
  };
}
