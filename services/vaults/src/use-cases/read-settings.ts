import { deviationThresholdBps, type Pending, type VaultState } from '@castellan/chain';
import type { Caller, GetVaultSettings, LogEntry, ParamsOf, VaultSettings } from '@castellan/contracts';
import { getAddress } from 'viem/utils';
import type { LogReader } from '../adapters/chain-log.mongo.ts';
import { isoTime } from '../domain/log-entry.ts';
import { upkeepOf } from '../domain/upkeep.ts';
import type { ChangeState } from '../prepare/change.ts';
import {
  EXPIRATION_TIMELOCK_SECONDS,
  FEE_TIMELOCK_SECONDS,
  MAX_ENTRY_FEE_BPS,
  MAX_EXPIRATION_SECONDS,
  MAX_PERFORMANCE_FEE_BPS,
  MIN_EXPIRATION_SECONDS,
  MIN_UPDATE_INTERVAL_TIMELOCK_SECONDS,
  UPKEEP_WITHDRAWAL_TIMELOCK_SECONDS,
} from '../prepare/limits.ts';
import { targetOf } from '../prepare/prepare-change.ts';
import type { ChangeReader } from '../prepare/state.rpc.ts';
import { requireVault, type VaultSource, walletOf } from './vault-view.ts';

export type SettingsPorts = VaultSource & { changes: ChangeReader; log: Pick<LogReader, 'livingOfVault'> };

const DAY_SECONDS = 86_400n;
const COST_WINDOW_SECONDS = 7n * DAY_SECONDS;

/** When a proposal may be executed, beside what it is about. */
const waiting = <T>({ blockTimestamp }: VaultState, pending: { effectiveTime: bigint } | null, what: T) =>
  pending && {
    ...what,
    effective_at: isoTime(pending.effectiveTime),
    can_execute: blockTimestamp >= pending.effectiveTime,
  };

function feesOf({ vault, pendingFees }: ChangeState): VaultSettings['fees'] {
  const terms = (fees: {
    performanceFeeBps: bigint | number;
    managementFeeBps: bigint | number;
    recipient: string;
  }) => ({
    performance_fee_bps: Number(fees.performanceFeeBps),
    management_fee_bps: Number(fees.managementFeeBps),
    recipient: getAddress(fees.recipient),
  });
  return {
    current: terms(vault.fees),
    pending: pendingFees && waiting(vault, pendingFees, terms(pendingFees)),
    limits: {
      max_performance_fee_bps: MAX_PERFORMANCE_FEE_BPS,
      max_management_fee_bps: MAX_ENTRY_FEE_BPS,
      timelock_seconds: Number(FEE_TIMELOCK_SECONDS),
    },
  };
}

function ppsOf({ vault }: ChangeState): VaultSettings['pps'] {
  const { proposedPpsExpiration, pendingMinUpdateInterval } = vault;
  const seconds = (pending: Pending<bigint> | null) => Number(pending?.value ?? 0n);
  return {
    deviation_threshold_bps: deviationThresholdBps(vault.deviationThreshold),
    expiration_seconds: Number(vault.ppsExpiration),
    pending_expiration: waiting(vault, proposedPpsExpiration, { expiration_seconds: seconds(proposedPpsExpiration) }),
    min_update_interval_seconds: Number(vault.minUpdateInterval),
    pending_min_update_interval: waiting(vault, pendingMinUpdateInterval, {
      min_update_interval_seconds: seconds(pendingMinUpdateInterval),
    }),
    max_staleness_seconds: Number(vault.maxStaleness),
    limits: {
      min_expiration_seconds: Number(MIN_EXPIRATION_SECONDS),
      max_expiration_seconds: Number(MAX_EXPIRATION_SECONDS),
      expiration_timelock_seconds: Number(EXPIRATION_TIMELOCK_SECONDS),
      min_update_interval_timelock_seconds: Number(MIN_UPDATE_INTERVAL_TIMELOCK_SECONDS),
    },
  };
}

/**
 * What the prices of the last 7 days cost per day, in base units, rounded up; null when none was paid for.
 * @param since - Where the week begins, or the vault's life when that is shorter.
 */
export function costPerDay(
  payments: readonly Pick<LogEntry, 'args'>[],
  { since, chainTime }: { since: bigint; chainTime: bigint },
): bigint | null {
  if (payments.length === 0) return null;
  const paid = payments.reduce((sum, { args }) => sum + BigInt(String(args.amount)), 0n);
  const span = chainTime > since ? chainTime - since : 1n;
  return (paid * DAY_SECONDS + span - 1n) / span;
}

function upkeepSettings(
  { vault, wallet }: ChangeState,
  { cost, runway }: { cost: bigint | null; runway: number | null },
): VaultSettings['upkeep'] {
  const { upkeep, activation } = upkeepOf(vault.upkeep);
  const { pendingWithdrawal } = vault.upkeep;
  return {
    info: { ...upkeep, runway_seconds: runway },
    activation,
    pending_withdrawal: waiting(vault, pendingWithdrawal, { amount: `${pendingWithdrawal?.value ?? 0n}` }),
    withdrawal_timelock_seconds: Number(UPKEEP_WITHDRAWAL_TIMELOCK_SECONDS),
    wallet: wallet && { balance: `${wallet.balance}`, allowance: `${wallet.allowance}` },
    cost_per_day: cost === null ? null : `${cost}`,
  };
}

/** Read from the chain at its latest block; what no call tells comes from the log. The wallet is of whoever asks. */
export const getVaultSettings =
  (ports: SettingsPorts) =>
  async (
    { chain_id, vault_address }: ParamsOf<typeof GetVaultSettings>,
    caller: Caller | undefined,
  ): Promise<VaultSettings> => {
    const snapshot = await requireVault(ports, chain_id, vault_address);
    const chain = ports.chains.get(chain_id);
    const target = await targetOf(chain, snapshot);
    const wallet = walletOf(caller);
    const state = await ports.changes.read(chain, target, { caller: wallet ? getAddress(wallet) : null, args: {} });
    const { vault } = state;
    const chainTime = vault.blockTimestamp;
    const created = BigInt(Math.floor(Date.parse(snapshot.detail.created_at) / 1000));
    const weekAgo = chainTime - COST_WINDOW_SECONDS;
    const since = created > weekAgo ? created : weekAgo;
    const payments = await ports.log.livingOfVault(chain_id, snapshot.vault, ['UpkeepSpent'], {
      since: isoTime(since),
    });
    const change = vault.pendingManagerChange;
    return {
      chain_id,
      vault_address: target.vault,
      block_number: Number(vault.blockNumber),
      chain_time: isoTime(chainTime),
      fees: feesOf(state),
      pps: ppsOf(state),
      upkeep: upkeepSettings(state, {
        cost: costPerDay(payments, { since, chainTime }),
        runway: snapshot.detail.upkeep_info.runway_seconds,
      }),
      pending_primary_change: change && waiting(vault, change, { proposed_manager: getAddress(change.value) }),
    };
  };
