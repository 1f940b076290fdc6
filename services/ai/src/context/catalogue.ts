import type { FigureUnit } from '../domain/figure.ts';

/** Units of amounts whose token is known only with the vault: its asset, its share, its upkeep, the chain's own. */
type TokenUnit = 'asset' | 'shares' | 'upkeep' | 'native';
export type CatalogueUnit = Exclude<FigureUnit, 'token'> | TokenUnit;
/** `±` before a unit: the figure has a sign; else its sign lies in its name. */
export type Kind = CatalogueUnit | `±${CatalogueUnit}`;

/**
 * One figure of an answer, or a family of them. `@` in a path stands for a window (`d7`), and in the label for its words; `*` for
 * every item of a list, and `{key}` in the label for that field of the item.
 */
export type Entry = readonly [path: string, kind: Kind, label: string];

const splits: readonly Entry[] = [
  ['tvl_change_split.@.flow', '±usd', 'change of TVL @ from deposits and withdrawals'],
  ['tvl_change_split.@.yield', '±usd', 'change of TVL @ from yield'],
  ['tvl_change_split.@.fees', '±usd', 'change of TVL @ from performance fees taken'],
  ['tvl_change_split.@.price', '±usd', 'change of TVL @ from the price of the asset'],
  ['tvl_change_split.@.total', '±usd', 'change of TVL in dollars @'],
];

const performance: readonly Entry[] = [
  ['apy.@', '±fraction', 'APY @'],
  ['gross_apy.@', '±fraction', 'APY before fees @'],
  ['fee_drag.@', '±fraction', 'what the performance fee took of the APY @'],
  ['period_return.@', '±fraction', 'return @'],
  ['twr', '±fraction', 'time-weighted return over the period'],
  ['apr', '±fraction', 'APR over the period'],
  ['benchmark.rate', '±fraction', 'rate of the benchmark per year'],
  ['excess_return', '±fraction', 'return above the benchmark over the period'],
  ['time_in_loss', 'fraction', 'share of days below an earlier high'],
  ['drawdown_now', 'fraction', 'drawdown now'],
  ['tvl_usd', 'usd', 'TVL'],
  ['tvl_asset', 'asset', 'TVL in the asset'],
  ['tvl_change.@', '±fraction', 'change of TVL @'],
  ['from', 'time', 'start of the period'],
  ['to', 'time', 'end of the period'],
  ...splits,
];

const overview: readonly Entry[] = [
  ['apy.@', '±fraction', 'APY @'],
  ['asset_price.usd', 'usd', 'price of the asset'],
  ['asset_price.updated_at', 'time', 'time of the price of the asset'],
  ['asset_price.age_seconds', 'seconds', 'age of the price of the asset'],
  ['tvl_usd', 'usd', 'TVL'],
  ['tvl_asset', 'asset', 'TVL in the asset'],
  ['tvl_change.@', '±fraction', 'change of TVL @'],
  ['tvl_change_usd.@', '±fraction', 'change of TVL in dollars, relative, @'],
  ...splits,
  ['depositors', 'count', 'depositors'],
  ['strategies', 'count', 'yield sources with assets'],
  ['empty_sources', 'count', 'yield sources without assets'],
  ['net_flow.@', '±asset', 'net flow @'],
  ['net_flow_usd.@', '±usd', 'net flow in dollars @'],
];

const risk: readonly Entry[] = [
  ['score', 'score', 'risk score'],
  ['coverage', 'fraction', 'share of the risk score with live data'],
  ['floors.*.floor', 'score', 'floor of the risk score by {name}'],
  ['components.*.score', 'fraction', 'risk from {name}'],
  ['concentration.hhi', 'ratio', 'concentration (HHI)'],
  ['concentration.points', 'score', 'concentration in HHI points'],
  ['concentration.hhi_deployed', 'ratio', 'concentration of what is deployed (HHI)'],
  ['concentration.effective_sources', 'count', 'effective number of sources'],
  ['concentration.normalised', 'ratio', 'normalised concentration'],
  ['max_drawdown_30d', 'fraction', 'deepest drawdown over 30 days'],
  ['sharpe', '±ratio', 'Sharpe ratio'],
  ['volatility_daily', 'fraction', 'volatility per day'],
  ['volatility_annual', 'fraction', 'volatility per year'],
  ['top_holder_share', 'fraction', 'share of the largest holder'],
  ['top10_holder_share', 'fraction', 'share of the 10 largest holders'],
  ['holder_hhi', 'ratio', 'concentration of holders (HHI)'],
  ['liquidity.instant_assets', 'asset', 'assets that can be paid on demand'],
  ['liquidity.instant_share', 'fraction', 'share of assets that can be paid on demand'],
  ['liquidity.coverage.k1', 'ratio', 'assets that can be paid on demand over those of the largest holder'],
  ['liquidity.coverage.k3', 'ratio', 'assets that can be paid on demand over those of the 3 largest holders'],
  ['liquidity.coverage.k10', 'ratio', 'assets that can be paid on demand over those of the 10 largest holders'],
  ['liquidity.ladder.*.assets', 'asset', 'assets that can be paid {bucket}'],
  ['liquidity.ladder.*.share', 'fraction', 'share of assets that can be paid {bucket}'],
  ['withdrawal_at_risk.h24_p95', 'fraction', 'withdrawals on a bad day (p95), share of TVL'],
  ['withdrawal_at_risk.shortfall', 'asset', 'shortfall on a bad day of withdrawals'],
];

const bridge = (window: 'd7' | 'd30', words: string): readonly Entry[] => [
  [`bridge.${window}.start`, 'count', `holders at the start of ${words}`],
  [`bridge.${window}.new_kept`, 'count', `new holders who stayed, ${words}`],
  [`bridge.${window}.reactivated`, 'count', `holders who came back, ${words}`],
  [`bridge.${window}.churned`, 'count', `holders who left, ${words}`],
  [`bridge.${window}.end`, 'count', `holders at the end of ${words}`],
];

const users: readonly Entry[] = [
  ['total', 'count', 'holders'],
  ['ever', 'count', 'wallets that ever held'],
  ['active.@', 'count', 'active wallets @'],
  ['new.@', 'count', 'new holders @'],
  ['new_by_deposit.@', 'count', 'new holders by deposit @'],
  ['new_by_transfer.@', 'count', 'new holders by transfer @'],
  ['reactivated.@', 'count', 'holders who came back @'],
  ['churned.@', 'count', 'holders who left @'],
  ['pending_churn', 'count', 'holders who asked to redeem everything'],
  ...bridge('d7', 'the last 7 days'),
  ...bridge('d30', 'the last 30 days'),
  ['retention.@', 'fraction', 'retention of holders @'],
  ['asset_retention.@', 'fraction', 'retention of shares @'],
  ['net_asset_retention.@', 'fraction', 'net retention of shares @'],
  ['average_deposit', 'asset', 'average deposit over 30 days'],
  ['median_deposit', 'asset', 'median deposit over 30 days'],
  ['mean_tenure_seconds', 'seconds', 'mean age of the shares that are held'],
  ['p90_deposit', 'asset', 'p90 of deposits over 30 days'],
  ['average_deposit_usd', 'usd', 'average deposit in dollars over 30 days'],
];

const operations: readonly Entry[] = [
  ['from', 'time', 'start of the period'],
  ['to', 'time', 'end of the period'],
  ['transactions', 'count', 'transactions'],
  ['deposits.count', 'count', 'deposits'],
  ['deposits.assets', 'asset', 'deposited'],
  ['deposits.usd', 'usd', 'deposited, in dollars'],
  ['withdrawals.count', 'count', 'fulfilled withdrawals'],
  ['withdrawals.assets', 'asset', 'paid out'],
  ['withdrawals.usd', 'usd', 'paid out, in dollars'],
  ['requests', 'count', 'redemption requests'],
  ['cancels', 'count', 'cancelled requests'],
  ['claims', 'count', 'claims'],
  ['gas.average', 'native', 'average gas cost of a transaction'],
  ['gas.p50', 'native', 'median gas cost of a transaction'],
  ['gas.p95', 'native', 'p95 of the gas cost of a transaction'],
  ['gas.total', 'native', 'gas cost'],
  ['gas.usd', 'usd', 'gas cost in dollars'],
  ...['depositor', 'manager', 'keeper', 'validator', 'other'].flatMap((payer): Entry[] => [
    [`gas.by_payer.${payer}.total`, 'native', `gas cost paid by ${payer === 'other' ? 'others' : `${payer}s`}`],
    [`gas.by_payer.${payer}.usd`, 'usd', `gas cost in dollars paid by ${payer === 'other' ? 'others' : `${payer}s`}`],
  ]),
  ['gas.tvl_bps_per_year', 'bps', 'gas cost per year, of TVL'],
  ['slippage.average_bps', '±bps', 'average slippage'],
  ['slippage.max_bps', '±bps', 'largest slippage'],
  ['net_flow', '±asset', 'net flow of the period'],
  ['net_flow_usd', '±usd', 'net flow of the period in dollars'],
  ['redemptions.pending', 'count', 'pending redemption requests'],
  ['redemptions.pending_shares', 'shares', 'shares in pending redemptions'],
  ['redemptions.pending_assets', 'asset', 'assets of pending redemptions'],
  ['redemptions.oldest_seconds', 'seconds', 'age of the oldest request'],
  ['redemptions.fulfilled', 'count', 'fulfilled redemptions'],
  ['redemptions.p50_seconds', 'seconds', 'median waiting time of a redemption'],
  ['redemptions.p95_seconds', 'seconds', 'p95 of the waiting time of a redemption'],
  ['redemptions.max_seconds', 'seconds', 'longest waiting time of a redemption'],
  ['redemptions.blocked', 'count', 'requests that cannot be fulfilled at this price'],
  ['updates_per_day', 'ratio', 'price updates per day, last 24 hours'],
  ['updates_per_day_7d', 'ratio', 'price updates per day, over the last 7 days'],
  ['upkeep.balance', 'upkeep', 'upkeep balance'],
  ['upkeep.spent', 'upkeep', 'upkeep spent'],
  ['upkeep.deposited', 'upkeep', 'upkeep deposited'],
  ['upkeep.cost_per_update', 'upkeep', 'upkeep per price update'],
  ['upkeep.runway_seconds', 'seconds', 'how long the upkeep lasts'],
  ['upkeep.runway_worst_case_seconds', 'seconds', 'how long the upkeep lasts at the shortest interval'],
  ['upkeep.runway_7d_seconds', 'seconds', 'how long the upkeep lasts at the pace of the last 7 days'],
  ['upkeep.empty_at', 'time', 'when the upkeep runs out'],
];

const fees: readonly Entry[] = [
  ['fees.*.t', 'time', 'time of the entry {kind}'],
  ['fees.*.total', 'asset', 'fee taken ({kind})'],
  ['fees.*.protocol_share', 'asset', 'part of the protocol ({kind})'],
  ['fees.*.recipient_share', 'asset', 'part of the recipient ({kind})'],
  ['fees.*.usd', 'usd', 'fee taken in dollars ({kind})'],
  ['fees.*.hwm_before', 'pps', 'high-water mark before ({kind})'],
  ['fees.*.hwm_after', 'pps', 'high-water mark after ({kind})'],
  ['fees.*.performance_fee_bps', 'bps', 'performance fee ({kind})'],
  ['fees.*.management_fee_bps', 'bps', 'entry fee ({kind})'],
  ['total', 'count', 'entries of the fee ledger'],
  ['totals.performance', 'asset', 'performance fees taken so far'],
  ['totals.performance_protocol', 'asset', 'performance fees taken so far, part of the protocol'],
  ['totals.performance_recipient', 'asset', 'performance fees taken so far, part of the recipient'],
  ['totals.entry', 'asset', 'entry fees taken so far'],
  ['totals.performance_usd', 'usd', 'performance fees taken so far, in dollars'],
  ['totals.entry_usd', 'usd', 'entry fees taken so far, in dollars'],
  ['pending.profit', 'asset', 'profit above the high-water mark'],
  ['pending.total', 'asset', 'pending performance fee'],
  ['hwm_pps', 'pps', 'high-water mark'],
  ['share_below_hwm', 'fraction', 'share of the supply bought below the high-water mark'],
];

const pps: readonly Entry[] = [
  ['current.pps', 'pps', 'price per share'],
  ['current.net_pps', 'pps', 'price per share after pending fees'],
  ['current.t', 'time', 'time of the price'],
  ['calculated.pps', 'pps', 'calculated price per share'],
  ['calculated.t', 'time', 'time of the calculated price'],
  ['calculated.divergence_bps', '±bps', 'divergence of the calculated from the accepted price'],
  ['hwm.pps', 'pps', 'high-water mark'],
  ['hwm.distance', '±fraction', 'distance of the price from the high-water mark'],
  ['expiry.expires_at', 'time', 'when the price expires'],
  ['expiry.expiration_seconds', 'seconds', 'for how long a price may be used'],
  ['cadence.p50_seconds', 'seconds', 'median time between price reports'],
  ['cadence.p95_seconds', 'seconds', 'p95 of the time between price reports'],
  ['cadence.max_seconds', 'seconds', 'longest time between price reports'],
  ['cadence.reports', 'count', 'price reports'],
];

const whatIf: readonly Entry[] = [
  ['current_pps', 'pps', 'price per share now'],
  ['next_pps', 'pps', 'price per share that would be reported'],
  ['change_bps', '±bps', 'change of the price'],
  ['fee.profit', 'asset', 'profit above the high-water mark then'],
  ['fee.total', 'asset', 'performance fee that could be taken then'],
  ['next_net_pps', 'pps', 'price per share after that fee'],
  ['upkeep_after', 'upkeep', 'upkeep balance after the update'],
];

const run: readonly Entry[] = [
  ['top_holders', 'count', 'holders who ask for everything'],
  ['hours', 'count', 'hours of the simulation'],
  ['venue_shock', 'fraction', 'share of the sources that is closed'],
  ['demand', 'asset', 'asked for'],
  ['demand_share', 'fraction', 'asked for, share of the assets'],
  ['paid_now', 'asset', 'paid at once'],
  ['paid_by.*.assets', 'asset', 'paid out of {source_address}'],
  ['paid_by.*.within_seconds', 'seconds', 'time until {source_address} pays'],
  ['shortfall', 'asset', 'not paid'],
];

const drawdown: readonly Entry[] = [
  ['max_drawdown', 'fraction', 'deepest drawdown of the period'],
  ['max_drawdown_since_inception', 'fraction', 'deepest drawdown since inception'],
  ['recovery_seconds', 'seconds', 'time the deepest drawdown of the period took to recover'],
  ['seconds_since_high', 'seconds', 'time since the last high of the net price'],
  ['calmar', '±ratio', 'Calmar ratio of the period'],
  ['current_drawdown', 'fraction', 'drawdown now'],
  ['from', 'time', 'start of the period'],
  ['to', 'time', 'end of the period'],
  ['episodes.*.depth', 'fraction', 'depth of the drawdown'],
  ['episodes.*.duration_seconds', 'seconds', 'length of the drawdown'],
  ['episodes.*.start', 'time', 'start of the drawdown'],
  ['episodes.*.trough', 'time', 'low of the drawdown'],
  ['episodes.*.recovered', 'time', 'recovery from the drawdown'],
  ['episodes.*.peak_net_pps', 'pps', 'price per share before the drawdown'],
  ['episodes.*.trough_net_pps', 'pps', 'price per share at the low of the drawdown'],
];

const transmissions: readonly Entry[] = [
  ['next.due_at', 'time', 'when the next price is due'],
  ['next.late_by_seconds', 'seconds', 'how late the next price is'],
  ['next.value_at_risk_usd', 'usd', 'TVL while the price is late'],
  ['transmissions.*.t', 'time', 'time of a transmission'],
  ['transmissions.*.report_timestamp', 'time', 'time of a reported price'],
];

const timeline: readonly Entry[] = [
  ['items.*.t', 'time', 'time of {action_type}'],
  // The figures that the title of an event says in words.
  ['items.*.details.performanceFeeBps', 'bps', 'performance fee, {action_type}'],
  ['items.*.details.managementFeeBps', 'bps', 'entry fee, {action_type}'],
  ['items.*.details.ppsExpiration', 'seconds', 'for how long a price may be used, {action_type}'],
  ['items.*.details.newMinUpdateInterval', 'seconds', 'shortest time between prices, {action_type}'],
];

const vaults: readonly Entry[] = [
  ['vaults.*.tvl_usd', 'usd', 'TVL of {vault_address}'],
  ['vaults.*.apy', '±fraction', 'APY of {vault_address}'],
  ['total', 'count', 'vaults with a role of yours'],
];

const prepared: readonly Entry[] = [['steps.*.expires_at', 'time', 'when the prepared call expires']];

const vault: readonly Entry[] = [
  ['current_pps', 'pps', 'price per share'],
  ['calculated_pps', 'pps', 'calculated price per share'],
  ['hwm_pps', 'pps', 'high-water mark'],
  ['divergence_bps', '±bps', 'divergence of the calculated from the accepted price'],
  ['created_at', 'time', 'creation of the vault'],
  ['created_block', 'block', 'block of the creation'],
  ['last_pps_update_timestamp', 'time', 'time of the last price'],
  ['last_oracle_update_timestamp', 'time', 'time of the last price of the oracle'],
  ['asset.price_usd', 'usd', 'price of the asset'],
  ['asset.price_updated_at', 'time', 'time of the price of the asset'],
  ['pps_config.min_update_interval_seconds', 'seconds', 'shortest time between prices'],
  ['pps_config.max_staleness_seconds', 'seconds', 'longest staleness'],
  ['pps_config.expiration_seconds', 'seconds', 'for how long a price may be used'],
  ['pps_config.deviation_threshold_bps', 'bps', 'deviation threshold'],
  ['remaining_staleness_time', 'seconds', 'time until the price is stale'],
  ['next_update_in_seconds', 'seconds', 'time until a price may be reported'],
  ['chain_time', 'time', 'chain time'],
  ['total_supply', 'shares', 'supply of shares'],
  ['total_assets', 'asset', 'total assets'],
  ['free_assets', 'asset', 'idle assets'],
  ['escrowed_assets', 'asset', 'assets in escrow'],
  ['tvl_usd', 'usd', 'TVL'],
  ['apy', '±fraction', 'APY now'],
  ['pause.since', 'time', 'start of the pause'],
  ['fee_config.performance_fee_bps', 'bps', 'performance fee'],
  ['fee_config.management_fee_bps', 'bps', 'entry fee'],
  ['pending_fee_config.performance_fee_bps', 'bps', 'proposed performance fee'],
  ['pending_fee_config.management_fee_bps', 'bps', 'proposed entry fee'],
  ['pending_fee_config.effective_at', 'time', 'when the proposed fees may be executed'],
  ['pending_performance_fee.total', 'asset', 'pending performance fee'],
  ['pending_performance_fee.protocol_share', 'asset', 'pending performance fee, part of the protocol'],
  ['pending_performance_fee.recipient_share', 'asset', 'pending performance fee, part of the recipient'],
  ['pending_performance_fee.profit_since_hwm', 'asset', 'profit above the high-water mark'],
  ['pending_performance_fee.can_skim_at', 'time', 'when the fee can be taken'],
  ['upkeep_info.balance', 'upkeep', 'upkeep balance'],
  ['upkeep_info.threshold.required_balance', 'upkeep', 'required upkeep'],
  ['upkeep_info.threshold.shortfall', 'upkeep', 'missing upkeep'],
  ['upkeep_info.runway_seconds', 'seconds', 'how long the upkeep lasts'],
  ['upkeep_info.runway_worst_case_seconds', 'seconds', 'how long the upkeep lasts at the shortest interval'],
  ['withdrawal_status.amount', 'upkeep', 'upkeep to be withdrawn'],
  ['withdrawal_status.effective_at', 'time', 'when the upkeep may be withdrawn'],
  ['pending_manager_change.effective_at', 'time', 'when the primary manager may change'],
  ['managers.view_only_count', 'count', 'wallets with view-only access'],
  ['allocation.*.assets', 'asset', 'assets in {source_address}'],
  ['allocation.*.usd', 'usd', 'dollars in {source_address}'],
  ['allocation.*.share', 'fraction', 'share of {source_address}'],
  ['allocation.*.apy', '±fraction', 'APY of {source_address}'],
  ['block_number', 'block', 'block'],
];

/** Every figure that may be said, by the read it comes from. What is not listed is no figure. */
export const catalogue = {
  vault,
  overview,
  performance,
  risk,
  users,
  operations,
  fees,
  pps,
  'pps/what-if': whatIf,
  'risk/run': run,
  'risk/drawdown': drawdown,
  transmissions,
  timeline,
  vaults,
  prepared,
} as const satisfies Record<string, readonly Entry[]>;
export type Read = keyof typeof catalogue;

/** Windows as paths name them and as a text does. */
export const windows: Readonly<Record<string, string>> = {
  current: 'now',
  h24: 'over 24 h',
  d7: 'over 7 days',
  d30: 'over 30 days',
  d90: 'over 90 days',
  since_inception: 'since inception',
};

/** Steps of the liquidity ladder as a text names them. */
export const buckets: Readonly<Record<string, string>> = {
  now: 'at once',
  '1h': 'within an hour',
  '1d': 'within a day',
  '7d': 'within a week',
  longer: 'later',
  unknown: 'at an unknown time',
};
