import { type Asked, checksum, decimal, inceptionOf, power } from './answer-parts.ts';
import { account, type ChainRecord, named } from './chain-record.ts';
import { placesOf, sharesOf } from './concentration.ts';
import { pendingFee } from './fees.ts';
import { managersByBlock } from './gas.ts';
import { assetPrices, usdAt } from './money.ts';
import { lastAt, ratio } from './numbers.ts';
import { apy, observationsOf, termsNow } from './prices.ts';
import { calculatedPps, divergence, type State } from './state.ts';
import { isoOf, windows } from './time.ts';
import { upkeepFigures } from './upkeep.ts';

const NEVER = 2n ** 256n - 1n;
const positive = (value: bigint): number => Number(value > 0n ? value : 0n);

/** By age of the price against its expiry: fresh < 50 % <= ageing < 80 % <= critical < 100 % <= expired. */
function statusOf(age: bigint, expiration: bigint): string {
  const percent = ratio(age * 100n, expiration);
  return percent < 50 ? 'fresh' : percent < 80 ? 'ageing' : percent < 100 ? 'critical' : 'expired';
}

/** The first that holds: paused, awaiting a price, stale, underfunded, live. */
function operationOf(record: ChainRecord, state: State, age: bigint): string {
  const oracle = observationsOf(record).some(({ source }) => source === 'oracle');
  if (state.paused) return 'paused';
  if (!oracle) return 'awaiting_price';
  if (state.stale || age > state.expiration) return 'stale';
  return state.enabled && state.upkeep < state.cost ? 'underfunded' : 'live';
}

function priceFields(record: ChainRecord, state: State) {
  const { pps, hwm } = termsNow(record);
  const calculated = calculatedPps(state, record.precision);
  const shown = (value: bigint) => decimal(value, record.precision);
  const oracle = observationsOf(record).findLast(({ source }) => source === 'oracle');
  const age = record.time - state.lastUpdate;
  return {
    current_pps: `${pps}`,
    current_pps_display: shown(pps),
    calculated_pps: calculated === null ? null : `${calculated}`,
    calculated_pps_display: calculated === null ? null : shown(calculated),
    hwm_pps: `${hwm}`,
    hwm_pps_display: shown(hwm),
    pps_precision: `${record.precision}`,
    divergence_bps: calculated === null ? null : divergence(calculated, pps),
    last_pps_update_timestamp: isoOf(state.lastUpdate),
    last_oracle_update_timestamp: oracle ? isoOf(oracle.time) : null,
    remaining_staleness_time: positive(state.expiration - age),
    next_update_in_seconds: positive(state.minInterval - age),
    pps_status: statusOf(age, state.expiration),
    is_pps_stale: state.stale,
    operational_state: operationOf(record, state, age),
    pps_config: {
      min_update_interval_seconds: Number(state.minInterval),
      max_staleness_seconds: Number(record.terms.maxStaleness),
      expiration_seconds: Number(state.expiration),
      deviation_threshold_bps: state.threshold === NEVER ? null : ratio(state.threshold * 10_000n, 10n ** 18n),
    },
  };
}

function moneyFields(record: ChainRecord, state: State) {
  const { pps } = termsNow(record);
  const assets = (state.supply * pps) / record.precision;
  const upkeep = upkeepFigures(record, record.time, record.time).upkeep;
  const short = state.cost > state.upkeep ? state.cost - state.upkeep : 0n;
  return {
    total_supply: `${state.supply}`,
    total_assets: `${assets}`,
    free_assets: `${state.idle}`,
    tvl_usd: usdAt(record, assets, record.time),
    apy: power(apy(observationsOf(record), record.time, windows.d7)),
    upkeep_info: {
      balance: `${state.upkeep}`,
      enabled: state.enabled,
      threshold: { required_balance: `${state.cost}`, shortfall: `${short}` },
      runway_seconds: upkeep.runway_seconds,
    },
  };
}

/** The same wallets in the order of a list; those that it does not have come last. */
const inOrderOf = (order: readonly string[], wallets: readonly string[]): string[] => {
  const place = (wallet: string) => (order.includes(wallet) ? order.indexOf(wallet) : order.length);
  return [...wallets].sort((a, b) => place(a) - place(b));
};

/** What the detail of a vault should be at the block it names. */
export function vaultDetail({ record, answer }: Pick<Asked, 'record' | 'answer'>, state: State) {
  const { vault, strategy, escrow, asset } = record.deployment;
  const price = lastAt(assetPrices(record), record.time);
  const places = placesOf(state, strategy);
  const shares = sharesOf(places.map(({ assets }) => assets));
  const fee = pendingFee(record);
  const managers = managersByBlock(record).at(-1)?.managers;
  const listed = (answer.managers as { secondary: { wallet_address: string }[] }).secondary.map(
    ({ wallet_address }) => wallet_address,
  );
  const secondary = [...(managers?.secondary ?? [])].map(checksum);
  const fees = named(record, 'strategy', 'VaultFeeConfigUpdated', 'FeeRecipientChanged').at(-1);
  const recipient = fees
    ? account(fees, fees.name === 'FeeRecipientChanged' ? 'newRecipient' : 'recipient')
    : record.terms.feeRecipient;
  return {
    vault_address: checksum(vault),
    strategy_address: checksum(strategy),
    escrow_address: checksum(escrow),
    chain_id: 31337,
    vault_share_decimals: record.precision.toString().length - 1,
    asset: {
      address: checksum(asset),
      decimals: record.precision.toString().length - 1,
      price_usd: price ? ratio(price.value, record.feedScale) : null,
      price_updated_at: price ? isoOf(price.updatedAt) : null,
    },
    created_at: isoOf(inceptionOf(record)),
    created_block: Number(record.events.find(({ tx }) => tx === record.createdTx)?.block ?? 0n),
    created_tx: record.createdTx,
    chain_time: isoOf(record.time),
    ...priceFields(record, state),
    ...moneyFields(record, state),
    is_paused: state.paused,
    fee_config: { performance_fee_bps: Number(termsNow(record).feeBps), recipient: checksum(recipient) },
    // Half of the fee goes to the protocol, as the governor has it; which half a rest goes to, only a skim shows.
    pending_performance_fee: { total: `${fee.total}`, profit_since_hwm: `${fee.profit}` },
    managers: {
      primary: { wallet_address: managers ? checksum(managers.primary) : null },
      secondary: inOrderOf(listed, secondary).map((wallet_address) => ({ wallet_address })),
    },
    allocation: places.map(({ source, kind, assets }, at) => ({
      source_address: checksum(source),
      kind,
      assets: `${assets}`,
      usd: usdAt(record, assets, record.time),
      share: shares[at],
    })),
    block_number: Number(record.block),
  };
}

/** What one vault of the public list should be at the block it names. */
export function listedVault(record: ChainRecord, state: State) {
  const { current_pps, current_pps_display, pps_status, operational_state } = priceFields(record, state);
  const { total_assets, tvl_usd, apy: rate, upkeep_info } = moneyFields(record, state);
  return {
    vault_address: checksum(record.deployment.vault),
    strategy_address: checksum(record.deployment.strategy),
    escrow_address: checksum(record.deployment.escrow),
    chain_id: 31337,
    vault_share_decimals: record.precision.toString().length - 1,
    underlying_asset_decimals: record.precision.toString().length - 1,
    underlying_asset_address: checksum(record.deployment.asset),
    total_assets,
    current_pps,
    current_pps_display,
    pps_status,
    operational_state,
    tvl_usd,
    apy: rate,
    upkeep_info,
    block_number: Number(record.block),
  };
}
