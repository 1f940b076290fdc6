import { deviationThresholdBps } from '@castellan/chain';
import type { LogEntry } from '@castellan/contracts';
import { formatBps } from './format.ts';
import type { FactEvent, Observed } from './journal.ts';

type Args = Readonly<Record<string, unknown>>;
type Reader = (args: Args) => FactEvent | undefined;

const textOf = (value: unknown): string => String(value);
const lower = (value: unknown): string => String(value).toLowerCase();
const numberOf = (value: unknown): number => Number(value);

/** Calculated over current price in basis points, to a hundredth of one. */
function divergenceBps(calculated: unknown, current: unknown): number | null {
  if (calculated === null || calculated === undefined) return null;
  const [now, then] = [BigInt(textOf(calculated)), BigInt(textOf(current))];
  return then === 0n ? null : Number(((now - then) * 1_000_000n) / then) / 100;
}

function observedOf(args: Args): Observed {
  const cost = args.upkeep_cost_per_update;
  return {
    is_paused: args.is_paused === true,
    is_stale: args.is_pps_stale === true,
    last_update: numberOf(args.last_update_timestamp),
    expiration_seconds: numberOf(args.pps_expiration_seconds),
    upkeep_enabled: args.upkeep_enabled === true,
    upkeep_balance: textOf(args.upkeep_balance),
    upkeep_cost: cost === null || cost === undefined ? null : textOf(cost),
    divergence_bps: divergenceBps(args.calculated_pps, args.pps),
    guard_bps: deviationThresholdBps(BigInt(textOf(args.deviation_threshold))),
  };
}

const readers: Readonly<Record<string, Reader>> = {
  'aggregator.VaultDeployed': ({ name }) => ({ type: 'deployed', name: textOf(name) }),
  'aggregator.StrategyPaused': () => ({ type: 'paused' }),
  'aggregator.StrategyUnpaused': () => ({ type: 'unpaused' }),
  'aggregator.PPSUpdated': ({ timestamp }) => ({ type: 'reported', timestamp: numberOf(timestamp) }),
  'aggregator.StrategyCheckFailed': ({ reason }) => ({ type: 'refused', reason: textOf(reason) }),
  'aggregator.UpkeepSpent': ({ amount, balance }) => ({
    type: 'spent',
    amount: textOf(amount),
    balance: textOf(balance),
  }),
  'aggregator.UpkeepDeposited': ({ amount }) => ({ type: 'deposited', amount: textOf(amount) }),
  'aggregator.MinUpdateIntervalChanged': () => ({ type: 'interval_changed' }),
  'strategy.RedeemRequestPlaced': ({ controller }) => ({ type: 'requested', controller: lower(controller) }),
  'strategy.RedeemClaimable': ({ controller }) => ({ type: 'settled', controller: lower(controller) }),
  'strategy.RedeemCancelRequestFulfilled': ({ controller }) => ({ type: 'settled', controller: lower(controller) }),
  'aggregator.PrimaryManagerChangeProposed': ({ newManager, effectiveTime }) => ({
    type: 'proposed',
    what: 'manager',
    detail: textOf(newManager),
    effective_at: numberOf(effectiveTime),
  }),
  'aggregator.PrimaryManagerChangeCancelled': () => ({ type: 'decided', what: 'manager' }),
  'aggregator.PrimaryManagerChanged': () => ({ type: 'decided', what: 'manager' }),
  'aggregator.StrategyHooksRootUpdateProposed': ({ root, effectiveTime }) => ({
    type: 'proposed',
    what: 'root',
    detail: textOf(root),
    effective_at: numberOf(effectiveTime),
  }),
  'aggregator.StrategyHooksRootUpdated': () => ({ type: 'decided', what: 'root' }),
  'aggregator.StrategyHooksRootVetoStatusChanged': ({ vetoed }) => ({
    type: 'veto',
    scope: 'strategy',
    on: vetoed === true,
  }),
  'strategy.VaultFeeConfigProposed': ({ performanceFeeBps, managementFeeBps, effectiveTime }) => ({
    type: 'proposed',
    what: 'fees',
    detail: `performance fee ${formatBps(numberOf(performanceFeeBps))}, entry fee ${formatBps(numberOf(managementFeeBps))}`,
    effective_at: numberOf(effectiveTime),
  }),
  'strategy.VaultFeeConfigUpdated': () => ({ type: 'decided', what: 'fees' }),
  'aggregator.UpkeepWithdrawalProposed': ({ amount, effectiveTime }) => ({
    type: 'proposed',
    what: 'upkeep_withdrawal',
    detail: textOf(amount),
    effective_at: numberOf(effectiveTime),
  }),
  'aggregator.UpkeepWithdrawalCancelled': () => ({ type: 'decided', what: 'upkeep_withdrawal' }),
  'aggregator.UpkeepWithdrawn': ({ amount }) => ({ type: 'withdrawn', amount: textOf(amount) }),
};

/** The fact of an entry of the canonical log; undefined when nothing, or of no vault that is served. */
export function factEventOf({ kind, name, contract, vault_address, args }: LogEntry): FactEvent | undefined {
  if (vault_address === null) return undefined;
  if (kind === 'observation') return name === 'state_observed' ? { type: 'observed', ...observedOf(args) } : undefined;
  return kind === 'log' ? readers[`${contract ?? ''}.${name}`]?.(args) : undefined;
}

/** A veto of the global root reaches every vault of the chain; its entry names none. */
export function globalVetoOf({ kind, name, args }: LogEntry): FactEvent | undefined {
  if (kind !== 'log' || name !== 'GlobalHooksRootVetoStatusChanged') return undefined;
  return { type: 'veto', scope: 'global', on: args.vetoed === true };
}
